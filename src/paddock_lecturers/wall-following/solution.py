"""Follow the wall: keep 3 cm to the right; turn left if an obstacle is ahead, right where the wall ends."""

SPEED = 0.09
DISTANCE = 0.03  # desired distance [m]
SEEN = 0.06  # obstacles nearer than this count as detected [m]
BLIND = 0.06  # distance past a corner before the side sensor detects it [m]
AROUND = 0.6  # distance around a corner after which the wall counts as lost [m]
STEP = SPEED * 0.04  # distance between two calls of act [m]


class Controller:
    def __init__(self):
        self.since_ahead = BLIND  # distance since an obstacle was ahead [m]
        self.since_wall = AROUND  # distance since a wall was detected [m]

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
            turn = 0.0  # search: drive straight ahead
        elif near[1] < DISTANCE:
            turn = -0.8
        elif near[2] < SEEN:
            turn = max(-0.5, min(0.55, 0.25 + 20.0 * (near[2] - DISTANCE)))
        else:
            turn = 0.0 if self.since_ahead < BLIND else 0.55
        return SPEED * min(1.0, 1.0 + turn), SPEED * min(1.0, 1.0 - turn)
