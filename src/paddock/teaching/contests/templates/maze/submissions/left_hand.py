"""Follow the wall on the left: in a maze without islands this rule reaches every cell."""

import math

SPEED = 0.12  # [m/s]
DISTANCE = 0.06  # desired distance to the wall on the left [m]
OPEN = 0.14  # a wall of the same corridor is nearer than this [m]
WHEELS = 0.08  # wheel separation [m]


def drive(speed, turn):
    """Return the wheel speeds for a linear speed [m/s] and an angular speed away from the wall [rad/s]."""
    slower, faster = speed - turn * WHEELS / 2, speed + turn * WHEELS / 2
    return faster, slower


class Controller:
    def __init__(self):
        self.turn_until = None  # difference of the wheel distances at which a turn on the spot ends [m]
        self.before = DISTANCE

    def act(self, observation):
        left, front, _ = observation.range
        wall = left
        turned = observation.encoders[0] - observation.encoders[1]
        if self.turn_until is None and front < 0.06:
            self.turn_until = turned + WHEELS * math.pi / 2
        if self.turn_until is not None:
            if turned < self.turn_until:
                return drive(0.0, 2.0)
            self.turn_until, self.before = None, wall
        if wall > OPEN:  # drive around the end of the wall
            self.before = DISTANCE
            return drive(SPEED, -SPEED / 0.115)
        slope, self.before = (wall - self.before) / 0.02, wall
        return drive(SPEED, max(-1.5, min(1.5, -15.0 * (wall - DISTANCE) - 20.0 * slope)))
