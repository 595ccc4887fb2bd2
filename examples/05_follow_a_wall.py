"""Drive to a wall and follow it on the right-hand side, with a ring of sonars and a few lines of Python."""

import math
from itertools import pairwise

import paddock
from paddock.arena.metrics import ContactTime, Distance
from paddock.report import draw_paths

TARGET = 0.40  # distance from the sonars on the right to the wall [m]
AHEAD, RIGHT = slice(2, 6), slice(5, 9)  # indices of the sonars in these directions
WHEEL_SEPARATION = 0.33  # [m]


def follow_wall(seen):
    """Controller: return the speeds of both wheels [m/s] for an observation."""
    linear, angular = 0.35, 3.0 * (TARGET - seen.sonar[RIGHT].min())  # turn left if too near, right if too far
    if seen.sonar[AHEAD].min() < 0.45:  # turn left on the spot in front of a wall
        linear, angular = 0.0, 0.8
    turn = max(-0.8, min(0.8, angular)) * WHEEL_SEPARATION / 2
    return linear - turn, linear + turn


def is_at_wall(arena):
    return arena["pioneer"].sonar.read()[AHEAD].min() <= 0.6


def distance_to_walls(world, x, y):
    """Return the true distance from a point to the nearest wall [m], which the robot cannot measure."""
    left, bottom, right, top = world.bounds
    nearest = min(x - left, y - bottom, right - x, top - y)
    for wall in world.walls:
        for (ax, ay), (bx, by) in pairwise(wall.points):
            dx, dy = bx - ax, by - ay
            share = max(0.0, min(1.0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)))
            nearest = min(nearest, math.dist((x, y), (ax + share * dx, ay + share * dy)) - wall.thickness / 2)
    return nearest


with paddock.open("wall-loop", seed=4) as arena:
    arena["pioneer"].enable("sonar")
    arena.run(60, lambda seen: (0.5, 0.5), until=is_at_wall)  # straight ahead to the wall
    episode = arena.run(120, follow_wall, metrics=[Distance(), ContactTime()])
    distances = [distance_to_walls(arena.world, x, y) for x, y, _ in episode.trace.pose]

travelled = episode.metrics["distance"]
draw_paths([episode.trace], arena.world).save("05_follow_a_wall.png")
print(f"by the wall for {travelled:.1f} m at {min(distances):.2f} to {max(distances):.2f} m: see 05_follow_a_wall.png")
assert episode.metrics["contacts"] == 0
assert travelled > 35  # it did not stop
assert min(distances) > 0.35  # its centre was never too near to a wall (the robot is 0.38 m wide)
assert max(distances) < 1.0  # and never far from it
