"""Two robots meet on a line: both pass on the right, like cars, and return to the line in an arc."""

import math

SPEED = 0.09
WHEELS = 0.053  # wheel separation [m]
PERIOD = 0.04  # time between two calls of act [s]
CLOSE = 0.045  # distance at which an obstacle ahead blocks the path [m]


class Controller:
    def __init__(self):
        self.side = 1.0  # side on which the line was last detected: 1 left, -1 right
        self.state = "follow"  # follow the line; leave it; pass the other robot
        self.way = self.turned = 0.0  # distance [m] and rotation to the left [rad] since the state began
        self.wheels = 0.0, 0.0

    def act(self, observation):
        left, right = self.wheels
        self.way += PERIOD * (left + right) / 2
        self.turned += PERIOD * (right - left) / WHEELS
        near, dark = observation.proximity, observation.ground < 0.5
        if self.state == "follow" and min(near[0], near[1], near[6], near[7]) < CLOSE:
            self.enter("leave")
        elif self.state == "leave" and self.turned < -math.radians(70):
            self.enter("pass")
        elif self.state == "pass" and self.way > 0.08 and dark.any():
            self.side = -1.0  # turn right into the line
            self.enter("follow")
        self.wheels = self.choose_speeds(dark)
        return self.wheels

    def enter(self, state):
        self.state, self.way, self.turned = state, 0.0, 0.0

    def choose_speeds(self, dark):
        if self.state == "leave":  # turn right on the spot
            return 0.6 * SPEED, -0.6 * SPEED
        if self.state == "pass":  # an arc of about 12 cm to the left, which meets the line again
            return 0.65 * SPEED, SPEED
        left, middle, right = dark
        if left != right:
            self.side = 1.0 if left else -1.0
        if middle and not left and not right:
            return SPEED, SPEED
        turn = 0.4 if middle else 0.7 if left or right else 1.4
        fast, slow = SPEED, SPEED * (1.0 - turn)
        return (slow, fast) if self.side > 0 else (fast, slow)
