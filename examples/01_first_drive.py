"""Drive an e-puck straight ahead, then turn on the spot, and check its final pose."""

import math

import paddock
from paddock.report.drawing import save_drawing

with paddock.open("empty", seed=1) as arena:
    robot = next(iter(arena.robots.values()))
    start = robot.pose
    robot.wheels.set(0.05, 0.05)
    arena.run(4.0)
    robot.drive(0.0, 1.0)  # m/s, rad/s
    arena.run(1.0)
    robot.stop()
    end = robot.pose
    save_drawing(arena.world, "01_first_drive.png", poses=arena.poses, trails={robot.name: [start, end]})

travelled = math.dist(start[:2], end[:2])
print(f"travelled {travelled:.4f} m, turned {end.heading - start.heading:.3f} rad: see 01_first_drive.png")
assert abs(travelled - 0.2) < 0.002
assert abs(abs(end.heading - start.heading) - 1.0) < 0.02
