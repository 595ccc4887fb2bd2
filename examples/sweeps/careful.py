"""A controller with parameters: it drives straight ahead, and turns while an obstacle is nearer than `margin`."""


class Controller:
    def __init__(self, speed: float = 0.08, margin: float = 0.03) -> None:
        self.speed, self.margin = speed, margin

    def act(self, observation):
        nearest = min(observation.proximity[[0, 1, 6, 7]])  # front sensors
        return (self.speed, self.speed) if nearest > self.margin else (self.speed, -self.speed)
