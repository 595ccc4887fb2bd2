"""Follow the wall, with the wall on the right."""


def act(observation):
    """Called 25 times in a second: look, and answer with the speeds of the left and the right wheel [m/s]."""
    near = observation.proximity  # eight distances [m], clockwise from the right of the nose; 0.07: nothing there
    ahead, right = min(near[0], near[7]), near[2]
    if ahead < 0.04:
        return -0.04, 0.04  # turn left on the spot
    return 0.08, 0.08
