"""A mistake: it uses only the front sensors, so that it touches obstacles at its sides."""

SPEED = 0.1


def act(observation):
    near = observation.proximity
    if min(near[0], near[7]) < 0.03:
        return -SPEED, SPEED
    return SPEED, SPEED
