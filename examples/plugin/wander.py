"""Controller for robots with whiskers: turn away from obstacles."""


def act(observation):
    """Drive straight. The more a whisker is deflected, the slower the wheel on the other side."""
    left, right = observation.whiskers
    return 0.1 - 4.0 * right, 0.1 - 4.0 * left
