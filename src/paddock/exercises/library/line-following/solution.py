class Controller:
    def __init__(self):
        self.side = 1.0

    def act(self, observation):
        left, middle, right = observation.ground < 0.5
        if left != right:
            self.side = 1.0 if left else -1.0
        if middle and not (left or right):
            return 0.08, 0.08
        turn = self.side * (0.55 if middle else 0.8 if left or right else 1.4)
        return 0.08 * (1 - turn), 0.08 * (1 + turn)
