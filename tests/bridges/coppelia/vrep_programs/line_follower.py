"""A line-following e-puck in the style of programs for the Vorarlberg framework."""

from __future__ import annotations

from typing import Any

MAX_SPEED = 2.094  # [rad/s]
DARK = 0.5


def follow_line(vrep: Any, port: int, name: str, steps: int) -> list[tuple[float, float, float]]:
    """Follow a line in synchronous mode and return x, y and the middle ground sensor of each step."""
    client = vrep.simxStart("127.0.0.1", port, True, True, 60_000, 1)
    if client < 0:
        raise SystemExit("cannot connect")
    vrep.simxSynchronous(client, True)
    vrep.simxStartSimulation(client, vrep.simx_opmode_oneshot_wait)
    vrep.simxGetStringSignal(client, f"{name}_allSens", vrep.simx_opmode_streaming)
    places = []
    for _ in range(steps):
        vrep.simxSynchronousTrigger(client)
        code, packed = vrep.simxGetStringSignal(client, f"{name}_allSens", vrep.simx_opmode_buffer)
        if code != vrep.simx_return_ok:
            continue
        left, middle, right = vrep.simxUnpackFloats(packed)[16:19]
        speeds = [MAX_SPEED * (0.2 if left < DARK else 1.0), MAX_SPEED * (0.2 if right < DARK else 1.0)]
        vrep.simxSetStringSignal(client, f"{name}_velocities", vrep.simxPackFloats(speeds), vrep.simx_opmode_oneshot)
        _, _, pose, _, _ = vrep.simxCallScriptFunction(
            client, name, vrep.sim_scripttype_childscript, "getPoseForRemote",
            [], [], [], bytearray(), vrep.simx_opmode_oneshot_wait,
        )  # fmt: skip
        places.append((pose[0], pose[1], middle))
    vrep.simxFinish(client)
    return places
