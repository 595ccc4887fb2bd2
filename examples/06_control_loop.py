"""Architecture 1, the control loop: sense, compute an error, act. A proportional light seeker."""

import math

import paddock
from paddock.report.drawing import save_drawing
from paddock.simulation.worlds import Light, RobotPlacement, WorldSpec

LAMP = (1.6, 1.5)
world = WorldSpec(
    name="lamp",
    bounds=(0, 0, 2, 2),
    lights=(Light(at=LAMP, height=0.05, intensity=0.2),),
    robots=(RobotPlacement(name="red", type="e-puck", at=(0.3, 0.3), heading_deg=120),),
)
RIGHT, LEFT = [0, 1, 2], [7, 6, 5]  # light sensors on either side of the nose
TARGET = 3.0  # target sum of the six readings [W/m²]

with paddock.open(world, seed=1) as arena:
    robot = arena["red"]
    robot.enable("light")
    start, trail = math.dist(robot.pose[:2], LAMP), []
    while arena.time < 60:
        light = robot.light.read()  # sense
        total, difference = light[LEFT + RIGHT].sum(), light[LEFT].sum() - light[RIGHT].sum()
        linear = max(0.0, min(0.06, 0.05 * (TARGET - total)))  # decide: two errors, two gains
        angular = max(-1.5, min(1.5, 4.0 * difference / max(total, 0.05)))
        robot.drive(linear, angular)  # act
        arena.step()
        trail.append(robot.pose)
    save_drawing(world, "06_control_loop.png", poses=arena.poses, trails={"red": trail})
    end = math.dist(robot.pose[:2], LAMP)
    facing = math.atan2(LAMP[1] - robot.pose.y, LAMP[0] - robot.pose.x) - robot.pose.heading

print(f"{start:.2f} m to {end:.2f} m from the lamp, {math.degrees(facing):.0f}° off the nose: see 06_control_loop.png")
assert 0.1 < end < 0.7  # it stopped where the target brightness is reached
assert abs(math.sin(facing / 2)) < 0.2  # and faces the lamp
assert max(abs(speed) for speed in robot.wheels.speeds) < 0.02
