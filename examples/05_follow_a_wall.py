"""Drive to a wall and follow it, on the right-hand side, with a ring of sonars and a few lines of plain Python."""

import math
from itertools import pairwise

import paddock

WANTED = 0.40  # distance from the sonars on the right to the wall [m]
AHEAD, RIGHT = slice(2, 6), slice(5, 9)  # which of the sixteen sonars look there


def steer(sonar):
    """Forward speed [m/s] and turn rate [rad/s] for one look at the sonars."""
    if sonar[AHEAD].min() < 0.45:  # a wall in front: turn left on the spot
        return 0.0, 0.8
    error = WANTED - sonar[RIGHT].min()  # too near: positive, turn left; too far: negative, turn right
    return 0.35, max(-0.8, min(0.8, 3.0 * error))


def distance_to_walls(world, x, y):
    """From a point to the nearest wall [m]: what the robot itself does not know."""
    left, bottom, right, top = world.bounds
    nearest = min(x - left, y - bottom, right - x, top - y)
    for wall in world.walls:
        for (ax, ay), (bx, by) in pairwise(wall.points):
            dx, dy = bx - ax, by - ay
            share = max(0.0, min(1.0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)))
            nearest = min(nearest, math.dist((x, y), (ax + share * dx, ay + share * dy)) - wall.thickness / 2)
    return nearest


with paddock.open("wall-loop", seed=4) as arena:
    robot = arena["pioneer"]
    robot.enable("sonar")

    robot.drive(0.5, 0.0)  # straight ahead, until there is a wall
    while robot.sonar.read()[AHEAD].min() > 0.6:
        arena.step()
    start, travelled, touches, distances = arena.time, 0.0, 0, []

    while arena.time < start + 120:
        before = robot.pose
        robot.drive(*steer(robot.sonar.read()))  # sense, think, act
        arena.step()
        travelled += math.dist(before[:2], robot.pose[:2])
        touches += len(robot.contacts)
        distances.append(distance_to_walls(arena.world, robot.pose.x, robot.pose.y))

print(f"along the wall for {travelled:.1f} m, {min(distances):.2f} to {max(distances):.2f} m away from it")
assert touches == 0
assert travelled > 35  # it kept going …
assert min(distances) > 0.35  # … its centre never too near to a wall (it is 0.38 m wide) …
assert max(distances) < 1.0  # … and never far from it
