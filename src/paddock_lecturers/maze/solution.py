"""Find the exit: follow the wall on the right. In a maze without islands this rule reaches every cell."""

import math
from collections import deque

SPEED = 0.12  # [m/s]
DISTANCE = 0.05  # desired distance to the wall on the right [m]
OPEN = 0.12  # a wall of the same corridor is nearer than this [m]
ARC = 0.085  # radius of the arc around the end of a wall [m]
WHEELS = 0.08  # wheel separation [m]
PERIOD = 0.04  # time between two calls of act [s]


def drive(speed, turn):
    """Return the wheel speeds for a linear speed [m/s] and an angular speed to the left [rad/s]."""
    return speed - turn * WHEELS / 2, speed + turn * WHEELS / 2


class Controller:
    def __init__(self):
        self.turn_until = None  # difference of the wheel distances at which a turn on the spot ends [m]
        self.seen = deque(maxlen=6)  # last distances to the wall on the right

    def act(self, observation):
        left, front, right = observation.range
        turned = observation.encoders[1] - observation.encoders[0]
        if self.turn_until is None and front < 0.05:
            self.turn_until = turned + WHEELS * math.pi / 2
        if self.turn_until is not None:
            if turned < self.turn_until:
                return drive(0.0, 2.0)
            self.turn_until = None
            self.seen.clear()
        if right > OPEN:  # drive around the end of the wall
            self.seen.clear()
            return drive(SPEED, -SPEED / ARC)
        self.seen.append(right)
        slope = (self.seen[-1] - self.seen[0]) / (PERIOD * max(1, len(self.seen) - 1))  # [m/s]
        turn = -20.0 * (right - DISTANCE) - 25.0 * slope
        return drive(SPEED, max(-1.5, min(1.5, turn)))
