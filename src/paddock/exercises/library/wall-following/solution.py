"""Follow the wall: keep 3 cm to the right; turn left where something is ahead, right where the wall ends."""

SPEED = 0.09
DISTANCE = 0.03  # to keep [m]
SEEN = 0.06  # what is nearer than this is there [m]
BLIND = 0.06  # way past a corner before the sensor at the side sees it [m]
AROUND = 0.6  # way round a corner after which there is no wall any more [m]
STEP = SPEED * 0.04  # way of one decision [m]


class Controller:
    def __init__(self):
        self.since_ahead = BLIND  # way since something was ahead [m]
        self.since_wall = AROUND  # way since any wall was seen [m]

    def act(self, observation):
        near = observation.proximity
        ahead = min(near[0], near[1], near[6], near[7]) < 0.052
        self.since_ahead = 0.0 if ahead else self.since_ahead + STEP
        self.since_wall = 0.0 if ahead or near[2] < SEEN else self.since_wall + STEP
        if min(near[0], near[7]) < DISTANCE:
            return -SPEED, SPEED
        if min(near[5], near[6]) < 0.02:
            turn = 0.3  # away from a wall on the left
        elif self.since_wall >= AROUND:
            turn = 0.0  # search: straight on
        elif near[1] < DISTANCE:
            turn = -0.8
        elif near[2] < SEEN:
            turn = max(-0.5, min(0.55, 0.25 + 20.0 * (near[2] - DISTANCE)))
        else:
            turn = 0.0 if self.since_ahead < BLIND else 0.55
        return SPEED * min(1.0, 1.0 + turn), SPEED * min(1.0, 1.0 - turn)
