"""A mistake: left and right are mixed up, so that it steers away from the line."""


class Controller:
    def __init__(self):
        self.side = 1.0

    def act(self, observation):
        left, middle, right = observation.ground < 0.5
        if left != right:
            self.side = -1.0 if left else 1.0
        if middle:
            return 0.1, 0.1
        return (0.0, 0.1) if self.side > 0 else (0.1, 0.0)
