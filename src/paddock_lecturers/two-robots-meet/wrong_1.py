"""A mistake: it only follows the line, and drives into the other robot."""

SPEED = 0.08


class Controller:
    def __init__(self):
        self.side = 1.0  # where the line was last seen: 1 left, -1 right

    def act(self, observation):
        """Read the sensors and return the speeds of the left and the right wheel [m/s]. Called 25 times per second."""
        left, middle, right = observation.ground < 0.5
        if left != right:
            self.side = 1.0 if left else -1.0
        if middle and not left and not right:
            return SPEED, SPEED
        turn = 0.4 if middle else 0.7 if left or right else 1.4
        fast, slow = SPEED, SPEED * (1.0 - turn)
        return (slow, fast) if self.side > 0 else (fast, slow)
