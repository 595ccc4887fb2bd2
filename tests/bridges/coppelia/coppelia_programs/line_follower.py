"""A line-following e-puck with a camera of one row below its nose, for CoppeliaSim's ZeroMQ API."""

from __future__ import annotations

from typing import Any

import numpy as np

MAX_SPEED = 2.094  # [rad/s]
DARK = 128


def follow_line(client: Any, steps: int) -> list[tuple[float, float, bool]]:
    """Follow a line in stepping mode and return x, y and the line detection of each step."""
    sim = client.require("sim")
    robot, camera = sim.getObject("/ePuck"), sim.getObject("/ePuck/lightSensor")
    left, right = sim.getObject("/ePuck/leftJoint"), sim.getObject("/ePuck/rightJoint")
    sim.setStepping(True)
    sim.startSimulation()
    places = []
    for _ in range(steps):
        image, (width, height) = sim.getVisionSensorImg(camera)
        row = np.frombuffer(image, np.uint8).reshape(height, width, 3).mean(2)[0]
        dark = row[[0, width // 2, -1]] < DARK  # from the left, the middle, the right
        sim.setJointTargetVelocity(left, MAX_SPEED * (0.2 if dark[0] else 1.0))
        sim.setJointTargetVelocity(right, MAX_SPEED * (0.2 if dark[2] else 1.0))
        sim.step()
        x, y, _ = sim.getObjectPosition(robot)
        places.append((x, y, bool(dark[1])))
    sim.stopSimulation()
    return places
