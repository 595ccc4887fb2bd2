"""Measure CoppeliaSim's own client with a served world: cycles per second, and the CPU time of both sides.

python benchmarks/coppelia_rates.py --cycles 3000
"""

from __future__ import annotations

import argparse

from coppeliasim_zmqremoteapi_client import RemoteAPIClient

from paddock.testing import PaddockProcess
from rates import report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=3000)
    cycles = parser.parse_args().cycles
    with PaddockProcess(
        "serve", "wall-loop", "--speed", "0", "--bridge", "coppelia=0,stopped", "--port", "0"
    ) as server:
        port = int(server.line(r"ZeroMQ remote API at 127\.0\.0\.1, port (\d+)"))
        sim = RemoteAPIClient("127.0.0.1", port).require("sim")
        motors = [sim.getObject(f"/PioneerP3DX/{side}Motor") for side in ("left", "right")]
        sonars = [sim.getObject(f"/PioneerP3DX/ultrasonicSensor[{i}]") for i in range(16)]
        sim.setStepping(True)
        sim.startSimulation()

        def drive() -> None:
            for sonar in sonars:
                sim.readProximitySensor(sonar)
            for motor in motors:
                sim.setJointTargetVelocity(motor, 0.5)
            sim.step()

        def drive_at_once() -> None:
            sim.callScriptFunction("getProxSensorsForRemote@PioneerP3DX", 1, [], [], [], b"")
            sim.callScriptFunction("setVelocitiesForRemote@PioneerP3DX", 1, [], [0.5, 0.5], [], b"")
            sim.step()

        report("a step", cycles, sim.step, server.process.pid)
        report("a call", cycles, sim.getSimulationTime, server.process.pid)
        report("16 sonars, 2 motors, a step", cycles // 10, drive, server.process.pid)
        report("the same with two script functions", cycles // 3, drive_at_once, server.process.pid)


if __name__ == "__main__":
    main()
