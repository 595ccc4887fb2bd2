"""A mistake: a wrong comparison. It only turns right if the wall is far away, and misses most openings."""


def act(observation):
    left, front, right = observation.range
    if front < 0.06:
        return -0.1, 0.1
    if right > 0.5:
        return 0.21, 0.09
    turn = max(-0.3, min(0.3, 4.0 * (0.05 - left)))
    return 0.15 * (1 + turn), 0.15 * (1 - turn)
