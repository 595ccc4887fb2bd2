"""A mistake: it turns left at every wall and never follows one, so that it drives in circles."""


def act(observation):
    left, front, right = observation.range
    if front < 0.06:
        return -0.1, 0.1
    turn = max(-0.3, min(0.3, 2.0 * (left - right)))
    return 0.15 * (1 - turn), 0.15 * (1 + turn)
