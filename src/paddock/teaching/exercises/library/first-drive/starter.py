"""First drive: stop at the wall."""


def act(observation):
    """Read the sensors and return the speeds of the left and the right wheel [m/s]. Called 25 times per second."""
    ahead = min(observation.proximity[0], observation.proximity[7])  # distance to an obstacle ahead [m], at most 0.07
    return 0.05, 0.05
