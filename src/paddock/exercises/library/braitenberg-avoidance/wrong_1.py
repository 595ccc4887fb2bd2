"""A mistake: it looks ahead only, so that it runs into what it passes at its side."""

SPEED = 0.1


def act(observation):
    near = observation.proximity
    if min(near[0], near[7]) < 0.03:
        return -SPEED, SPEED
    return SPEED, SPEED
