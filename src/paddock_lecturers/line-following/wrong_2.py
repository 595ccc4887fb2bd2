"""A mistake: when no sensor detects the line, it drives straight ahead and never returns."""


def act(observation):
    left, middle, right = observation.ground < 0.5
    if left:
        return 0.05, 0.1
    if right:
        return 0.1, 0.05
    return 0.1, 0.1
