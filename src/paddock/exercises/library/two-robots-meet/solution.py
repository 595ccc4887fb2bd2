"""Two robots meet on a line: both pass on the right, like cars, and come back to the line from there."""

import math

SPEED = 0.09
WHEELS = 0.053  # between the wheels [m]
PERIOD = 0.04  # between two decisions [s]
CLOSE = 0.045  # something ahead is in the way [m]


class Controller:
    def __init__(self):
        self.side = 1.0  # where the line was last seen: 1 left, -1 right
        self.state = "follow"
        self.way = self.turned = 0.0  # since the state began [m], [rad to the left]
        self.wheels = 0.0, 0.0

    def act(self, observation):
        left, right = self.wheels
        self.way += PERIOD * (left + right) / 2
        self.turned += PERIOD * (right - left) / WHEELS
        near, dark = observation.proximity, observation.ground < 0.5
        ahead = min(near[0], near[1], near[6], near[7])
        if self.state == "follow" and ahead < CLOSE:
            self.enter("leave")
        elif self.state == "leave" and self.turned < -math.radians(70):
            self.enter("pass_")
        elif self.state == "pass_" and self.way > 0.06 and (self.turned > math.radians(100) or dark.any()):
            self.enter("find")
        elif self.state == "find" and dark.any():
            self.side = -1.0  # turn right into the line
            self.enter("follow")
        self.wheels = getattr(self, self.state)(near, dark)
        return self.wheels

    def enter(self, state):
        self.state, self.way, self.turned = state, 0.0, 0.0

    def follow(self, near, dark):
        left, middle, right = dark
        if left != right:
            self.side = 1.0 if left else -1.0
        if middle and not left and not right:
            return SPEED, SPEED
        turn = 0.4 if middle else 0.7 if left or right else 1.4
        fast, slow = SPEED, SPEED * (1.0 - turn)
        return (slow, fast) if self.side > 0 else (fast, slow)

    def leave(self, near, dark):
        """Turn right on the spot."""
        return 0.6 * SPEED, -0.6 * SPEED

    def pass_(self, near, dark):
        """Around the other robot, which is on the left: away from it where it is near, else to the left."""
        beside = min(near[5], near[6])
        turn = -0.3 if beside < 0.025 else 0.3
        return SPEED * min(1.0, 1.0 - turn), SPEED * min(1.0, 1.0 + turn)

    def find(self, near, dark):
        """Straight on, to the line."""
        return SPEED, SPEED
