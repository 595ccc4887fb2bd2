"""Follow the line."""


def act(observation):
    """Read the sensors and return the speeds of the left and the right wheel [m/s]. Called 25 times per second."""
    left, middle, right = observation.ground  # 0 black … 1 white
    return 0.05, 0.05
