"""A wall-following Pioneer P3-DX in the usual style of programs for V-REP."""

from __future__ import annotations

import math
from typing import Any

WHEEL_RADIUS = 0.195  # the study's mistake: this is the diameter
CLEARANCE, GAIN, MAX_SPEED, NOTHING = 0.23, 1.3, 1.2, 1.0
SETTLE, AFTER, WITHIN = 10.0, 10.0, 0.07


class Pioneer:
    """The robot as seen through the API; sensors are streamed and read from the buffer, or requested each time."""

    def __init__(self, vrep: Any, client: int, *, blocking: bool) -> None:
        self.vrep, self.client = vrep, client
        self.mode = vrep.simx_opmode_oneshot_wait if blocking else vrep.simx_opmode_buffer
        self.base = self.handle("Pioneer_p3dx")
        self.left, self.right = self.handle("Pioneer_p3dx_leftMotor"), self.handle("Pioneer_p3dx_rightMotor")
        self.sonars = [self.handle(f"Pioneer_p3dx_ultrasonicSensor{i}") for i in range(1, 9)]
        for sonar in [] if blocking else self.sonars:
            vrep.simxReadProximitySensor(client, sonar, vrep.simx_opmode_streaming)
        vrep.simxGetObjectPosition(client, self.base, -1, vrep.simx_opmode_streaming)

    def handle(self, name: str) -> int:
        code, handle = self.vrep.simxGetObjectHandle(self.client, name, self.vrep.simx_opmode_oneshot_wait)
        if code != self.vrep.simx_return_ok:
            raise SystemExit(f"no object {name}")
        return int(handle)

    def ranges(self) -> list[float]:
        found = []
        for sonar in self.sonars:
            code, seen, point, _, _ = self.vrep.simxReadProximitySensor(self.client, sonar, self.mode)
            distance = math.sqrt(sum(value**2 for value in point))
            found.append(min(distance, NOTHING) if code == 0 and seen else NOTHING)
        return found

    def position(self) -> tuple[float, float]:
        code, place = self.vrep.simxGetObjectPosition(self.client, self.base, -1, self.mode)
        return (place[0], place[1]) if code == 0 else (math.inf, math.inf)

    def drive(self, left: float, right: float) -> None:
        for motor, speed in ((self.left, left), (self.right, right)):
            capped = max(-MAX_SPEED, min(MAX_SPEED, speed))
            self.vrep.simxSetJointTargetVelocity(
                self.client, motor, capped / WHEEL_RADIUS, self.vrep.simx_opmode_oneshot
            )

    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.vrep.simxGetLastCmdTime(self.client)) / 1000


def follow_walls(vrep: Any, port: int, *, blocking: bool = False, seconds: float = 900.0) -> tuple[float, float]:
    """Drive to a wall and follow it on the left; return the time of loop closure and the remaining gap."""
    client = vrep.simxStart("127.0.0.1", port, True, True, 60_000, 1)
    if client < 0:
        raise SystemExit("cannot connect")
    try:
        vrep.simxSynchronous(client, True)
        vrep.simxStartSimulation(client, vrep.simx_opmode_oneshot_wait)
        robot = Pioneer(vrep, client, blocking=blocking)
        following: float | None = None
        begin: tuple[float, float] | None = None
        while True:
            vrep.simxSynchronousTrigger(client)
            nearest, now = min(robot.ranges()), robot.time()
            if following is None:
                robot.drive(0.5, 0.5)
                following = now if nearest < CLEARANCE else None
                continue
            swerve = math.copysign(math.sqrt(abs(nearest - CLEARANCE)), CLEARANCE - nearest)
            robot.drive(GAIN * nearest + swerve, GAIN * nearest - swerve)
            if begin is None:
                begin = robot.position() if now - following > SETTLE else None
                continue
            gap = math.dist(begin, robot.position())
            if (now - following > SETTLE + AFTER and gap < WITHIN) or now > seconds:
                robot.drive(0.0, 0.0)
                vrep.simxGetPingTime(client)
                return now, gap
    finally:
        vrep.simxFinish(client)
