"""A wall-following Pioneer P3-DX in the usual style of programs for CoppeliaSim's ZeroMQ remote API."""

from __future__ import annotations

import math
from typing import Any

WHEEL_RADIUS = 0.195  # the study's mistake: this is the diameter
CLEARANCE, GAIN, MAX_SPEED, NOTHING = 0.23, 1.3, 1.2, 1.0
SETTLE, AFTER, WITHIN = 10.0, 10.0, 0.07


def follow_walls(client: Any, *, stepping: bool, seconds: float = 900.0) -> tuple[float, float]:
    """Drive to a wall and follow it on the left; return the time of loop closure and the remaining gap."""
    sim = client.require("sim")
    robot = sim.getObject("/PioneerP3DX")
    motors = [sim.getObject("/PioneerP3DX/leftMotor"), sim.getObject("/PioneerP3DX/rightMotor")]
    sonars = [sim.getObject(f"/PioneerP3DX/ultrasonicSensor[{i}]") for i in range(8)]
    if stepping:
        sim.setStepping(True)
    sim.startSimulation()

    def drive(*speeds: float) -> None:
        for motor, speed in zip(motors, speeds, strict=True):
            sim.setJointTargetVelocity(motor, max(-MAX_SPEED, min(MAX_SPEED, speed)) / WHEEL_RADIUS)

    following: float | None = None
    begin: list[float] | None = None
    while (now := sim.getSimulationTime()) < seconds:
        found = [sim.readProximitySensor(sonar)[:2] for sonar in sonars]
        nearest = min(min(distance, NOTHING) if seen else NOTHING for seen, distance in found)
        if following is None:
            drive(0.5, 0.5)
            following = now if nearest < CLEARANCE else None
        else:
            swerve = math.copysign(math.sqrt(abs(nearest - CLEARANCE)), CLEARANCE - nearest)
            drive(GAIN * nearest + swerve, GAIN * nearest - swerve)
            place = sim.getObjectPosition(robot, sim.handle_world)[:2]
            if begin is None:
                begin = place if now - following > SETTLE else None
            elif now - following > SETTLE + AFTER and math.dist(begin, place) < WITHIN:
                break
        sim.step()
    drive(0.0, 0.0)
    return now, math.inf if begin is None else math.dist(begin, sim.getObjectPosition(robot)[:2])
