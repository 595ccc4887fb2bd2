"""A controller for robots with whiskers: turn away from what bends them."""


def act(observation):
    """Drive on; the more a whisker is bent, the slower the wheel of the other side."""
    left, right = observation.whiskers
    return 0.1 - 4.0 * right, 0.1 - 4.0 * left
