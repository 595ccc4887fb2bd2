"""A mistake: it follows the wall on its left."""

SPEED = 0.09
DISTANCE = 0.03


def act(observation):
    near = observation.proximity
    if min(near[0], near[7]) < DISTANCE:
        return SPEED, -SPEED
    if near[6] < DISTANCE:
        return SPEED, 0.2 * SPEED
    if near[5] < 0.06:
        turn = max(-0.5, min(0.5, 20.0 * (near[5] - DISTANCE)))
        return SPEED * min(1.0, 1.0 - turn), SPEED * min(1.0, 1.0 + turn)
    return SPEED * 0.6, SPEED
