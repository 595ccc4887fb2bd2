"""Follow the line: steer towards the sensor that detects it, and remember on which side it was detected last."""

SPEED = 0.1
DARK = 0.5


class Controller:
    def __init__(self):
        self.side = 1.0  # side on which the line was last detected: 1 left, -1 right

    def act(self, observation):
        left, middle, right = observation.ground < DARK
        if left != right:
            self.side = 1.0 if left else -1.0
        if middle and not left and not right:
            return SPEED, SPEED
        turn = 0.4 if middle else 0.7 if left or right else 1.4
        fast, slow = SPEED, SPEED * (1.0 - turn)
        return (slow, fast) if self.side > 0 else (fast, slow)
