"""A mistake: it only turns away from walls, and never towards them."""


def act(observation):
    near = observation.proximity
    if min(near[0], near[1], near[6], near[7]) < 0.04:
        return -0.06, 0.06
    return 0.09, 0.09
