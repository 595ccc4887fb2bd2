"""Extreme robots: one client spawns robots with extreme sizes, speeds and sensors while another drives in lock-step.

    python benchmarks/extreme_robots.py                  # 2,000 robots
    python benchmarks/extreme_robots.py --robots 100 --seed 7

The robots are spawned and removed in a separate room. So the other client's run must end with the same digest as a run
without them, and no tick of the server may take longer than 0.1 s of its thread's CPU time. Prints one JSON line; the
exit status is 0 if both hold.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import paddock
from paddock.core.errors import PaddockError
from paddock.network.server import Server, Settings
from paddock.simulation.worlds.world_spec import Cylinder, RobotPlacement, Wall, WorldSpec

AFTERWARDS = 20  # ticks that the undisturbed robot continues alone
ALIVE = 8  # maximum number of extreme robots at a time
TIMEOUT = 300.0  # timeout of a client that waits for the other [s]


def two_rooms() -> WorldSpec:
    """Return a world with a room for one e-puck, and a larger room for the extreme robots."""
    pillars = [Cylinder(at=(0.5 + 0.7 * i, 0.6 + 0.9 * (i % 2)), radius=0.1) for i in range(3)]
    others = [Cylinder(at=(4.0 + 2 * i, 2.0 + 3 * j), radius=0.3) for i in range(6) for j in range(3)]
    return WorldSpec(
        name="two-rooms",
        bounds=(0, 0, 16, 10),
        walls=(Wall(points=((2.2, 0), (2.2, 2.2), (0, 2.2)), height=1),),
        cylinders=tuple(pillars + others),
        robots=(RobotPlacement(name="red", type="e-puck", at=(1.1, 1.1), heading_deg=30),),
    )


def drive(arena: Any, ticks: int) -> str:
    """Drive an e-puck that turns away from obstacles; return the digest at the end."""
    red = arena["red"]
    red.enable("proximity", "ground")
    for _ in range(ticks):
        near = red.sense().proximity < 0.04
        red.wheels.set(*((0.06, -0.06) if near[:4].any() else (-0.06, 0.06) if near.any() else (0.12, 0.11)))
        arena.step()
    return str(arena.digest())


class Extremes:
    """Random tables of robots: each number is common, anywhere in the allowed range, or far outside it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def number(self, common: float, low: float, high: float) -> float:
        """Draw one number; `low` and `high` are the limits of the spec."""
        luck = self.rng.random()
        if luck < 0.5:
            return common
        if luck < 0.96:
            return math.exp(self.rng.uniform(math.log(low), math.log(high)))
        return self.rng.choice([low / 1e6, high * 1e7, -common, 0.0, 1e308, 5e-324])

    def robot(self) -> dict[str, Any]:
        """Return a robot's table."""
        n, rng = self.number, self.rng
        body: dict[str, Any] = {"height": n(0.05, 1e-3, 20)}
        if rng.random() < 0.5:
            body["radius"] = n(0.05, 1e-3, 2)
        else:
            long, wide, corners = n(0.1, 1e-3, 4), n(0.1, 1e-3, 4), rng.randint(3, 12)
            turns = [math.tau * i / corners for i in range(corners)]
            body["outline"] = [[long * math.cos(a), wide * math.sin(a)] for a in turns]
        drive = {
            "wheel_separation": n(0.05, 1e-3, 20),
            "wheel_diameter": n(0.04, 1e-3, 20),
            "max_speed": n(0.3, 1e-6, 100),
            "slip_noise": n(0.01, 1e-6, 1),
        }
        if rng.random() < 0.5:
            drive["max_acceleration"] = n(1, 1e-6, 1e5)
        if rng.random() < 0.5:
            drive["steps_per_turn"] = n(1000, 1, 1e7)
        sensors = [self.sensor(i) for i in range(rng.randint(0, 3))]
        return {"name": "extreme", "body": body, "drive": drive, "sensors": sensors, "leds": ["front"]}

    def sensor(self, number: int) -> dict[str, Any]:
        """Return a sensor's table."""
        n, rng = self.number, self.rng
        kind = rng.choice(["laser", "sonar", "proximity", "ground", "encoders", "camera", "inertial", "gyroscope"])
        table: dict[str, Any] = {"kind": kind, "name": f"eye{number}", "noise": n(0.01, 1e-6, 1e9)}
        table["mounts"] = [[n(0.01, 1e-6, 20), 0, n(0.02, 1e-6, 20), rng.uniform(-180, 180)]]
        table["delay"] = n(0.1, 1e-3, 1)
        if kind in ("laser", "sonar", "proximity", "camera"):
            table["range"] = n(1, 1e-6, 1e6)
        if kind == "laser":
            table |= {"fov_deg": n(180, 0.01, 360), "beams": rng.choice([2, 180, 4096])}
        if kind == "camera":
            table |= {"fov_deg": n(45, 0.01, 150), "width": rng.choice([1, 64]), "height": rng.choice([1, 64])}
        if kind == "sonar":
            table |= {"cone_deg": n(20, 1e-3, 175), "max_incidence_deg": n(45, 1e-3, 90)}
        if kind in ("ground", "encoders", "gyroscope"):
            table |= {"scale": n(1000, 1e-9, 1e9), "resolution": n(1, 1e-9, 1e9)}
        return table


def bring(arena: Any, robots: int, seed: int, counts: dict[str, int]) -> None:
    """Spawn robots one after the other, drive each and read its sensors, and remove it."""
    extremes = Extremes(seed)
    with arena:
        alive: list[str] = []
        for i in range(robots):
            at = (extremes.rng.uniform(2.5, 15.5), extremes.rng.uniform(2.5, 9.5))
            try:
                kind = paddock.RobotSpec.from_table(extremes.robot())
                robot = arena.spawn(f"extreme{i}", kind, at=at, heading=extremes.rng.uniform(-3, 3))
                alive.append(robot.name)
                robot.enable()
                robot.wheels.set(*(robot.spec.drive.max_speed * extremes.rng.choice([-1, 0.9, 1]) for _ in range(2)))
                robot.sense()
                counts["driven"] += 1
            except PaddockError as error:
                counts["refused"] += 1
                counts["server_failed"] += "server failed" in str(error)
            if len(alive) > ALIVE:
                arena.remove(alive.pop(0))
            arena.step()
        for name in alive:
            arena.remove(name)


class Stopwatch:
    """Longest thread CPU time [s] of a call of some methods of an arena, and the number of calls."""

    def __init__(self, arena: Any, *methods: str) -> None:
        self.longest, self.calls = 0.0, 0
        for method in methods:
            setattr(arena, method, self._timed(getattr(arena, method)))

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            started = time.thread_time()
            try:
                return function(*arguments, **named)
            finally:
                self.longest, self.calls = max(self.longest, time.thread_time() - started), self.calls + 1

        return call


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--slowest", type=float, default=0.1, help="maximum seconds of a tick")
    chosen = parser.parse_args()
    ticks = chosen.robots + AFTERWARDS
    with paddock.open(two_rooms(), seed=chosen.seed) as arena:
        wanted = drive(arena, ticks)
    arena = paddock.open(two_rooms(), seed=chosen.seed)
    counts = {"driven": 0, "refused": 0, "server_failed": 0}
    ticks_of, requests = Stopwatch(arena, "advance"), Stopwatch(arena, "spawn", "remove", "read", "take_picture")
    with Server(arena, Settings(port=0, lock_step=True, speed=None)).in_background() as server:
        there, extreme = (paddock.connect(server.url(), name=name, timeout=TIMEOUT) for name in ("red", "extreme"))
        other = threading.Thread(target=bring, args=(extreme, chosen.robots, chosen.seed, counts))
        other.start()
        with there:
            got = drive(there, ticks)
        other.join()
    same = got == wanted and not counts["server_failed"]
    slowest = {"slowest_tick_s": round(ticks_of.longest, 6), "slowest_request_s": round(requests.longest, 6)}
    verdict = {"same_digest": got == wanted, **slowest, "robots": chosen.robots, **counts}
    print(json.dumps(verdict), flush=True)
    return 0 if same and ticks_of.calls and ticks_of.longest <= chosen.slowest else 1


if __name__ == "__main__":
    raise SystemExit(main())
