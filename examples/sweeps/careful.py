"""A controller with parameters: drives on, and turns away from what is nearer than it likes."""


class Controller:
    def __init__(self, speed: float = 0.08, margin: float = 0.03) -> None:
        self.speed, self.margin = speed, margin

    def act(self, observation):
        nearest = min(observation.proximity[[0, 1, 6, 7]])  # those that look ahead
        return (self.speed, self.speed) if nearest > self.margin else (self.speed, -self.speed)
