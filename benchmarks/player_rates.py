"""Measure a Player program with a served world: reads per second, and the CPU time of both sides.

python benchmarks/player_rates.py --cycles 3000
"""

from __future__ import annotations

import argparse

from paddock.bridges.player.link import PlayerClient
from paddock.bridges.player.wire import PlayerInterface
from paddock.bridges.player.wire import interfaces as layout
from paddock.testing import PaddockProcess
from rates import report

POSITION, SONAR, LASER = (PlayerInterface.POSITION2D, 0), (PlayerInterface.SONAR, 0), (PlayerInterface.LASER, 0)
GEOMETRY, VELOCITY = 1, 1
INTERVAL = 0.1  # [s] of simulated time between two reads


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=3000)
    cycles = parser.parse_args().cycles
    command = ("serve", "wall-loop", "--speed", "0", "--lock-step", "--bridge", "player=0,stepped", "--port", "0")
    with PaddockProcess(*command) as server:
        port = int(server.line(r"Player at 127\.0\.0\.1, port (\d+)"))
        with PlayerClient("127.0.0.1", port) as client:
            client.subscribe(POSITION)
            velocity = layout.VELOCITY.pack((0.2, 0.0, 0.1)) + layout.NUMBER.pack(1)

            def drive() -> None:
                client.command(POSITION, VELOCITY, velocity)
                client.read()

            pid = server.process.pid
            report("a request", cycles, lambda: client.ask(POSITION, GEOMETRY), pid)
            report("a read", cycles, client.read, pid, simulated=INTERVAL)
            client.subscribe(SONAR)
            report("16 sonars, a command, a read", cycles, drive, pid, simulated=INTERVAL)
            client.subscribe(LASER)
            report("16 sonars, 180 beams, a command, a read", cycles, drive, pid, simulated=INTERVAL)


if __name__ == "__main__":
    main()
