"""Follow a line with three ground sensors, with an explicit control loop."""

import paddock
from paddock.report.drawing import save_drawing

on_line, trail = 0, []
with paddock.open("line-track", seed=7) as arena:
    robot = next(iter(arena.robots.values()))
    robot.enable("ground")
    while arena.time < 60:
        left, middle, right = robot.ground.read()  # sense: 0 dark … 1 bright
        slow_left, slow_right = left < 0.5, right < 0.5  # decide
        robot.wheels.set(0.02 if slow_left else 0.07, 0.02 if slow_right else 0.07)  # act
        arena.step()
        on_line += min(left, middle, right) < 0.5
        trail.append(robot.pose)
    save_drawing(arena.world, "02_follow_a_line.png", poses=arena.poses, trails={robot.name: trail}, rays=False)

share = on_line / len(trail)
print(f"{share:.0%} of the time at least one sensor was on the line: see 02_follow_a_line.png")
assert share > 0.8
