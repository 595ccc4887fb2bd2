"""Two robots meet on a line: the same program drives both of them, each by itself."""


class Controller:
    def __init__(self):
        self.state = "follow"  # what the robot does at present

    def act(self, observation):
        """Called 25 times in a second: look, and answer with the speeds of the left and the right wheel [m/s]."""
        left, middle, right = observation.ground  # 0 black … 1 white
        return 0.05, 0.05
