"""A controller gives the same run in this process and through a socket in lock-step."""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest

import paddock
from network.server.parties import ServerProcess, program, served
from paddock.core.observation import Command, Observation

SECONDS = 4.0


def turn_away(seen: Observation) -> tuple[float, float]:
    """Avoid obstacles with proximity sensors all around."""
    near = seen.proximity < 0.03
    return (0.08, -0.06) if near[: len(near) // 2].any() else (-0.06, 0.08) if near.any() else (0.1, 0.1)


def follow_line(seen: Observation) -> tuple[float, float]:
    left, middle, right = seen.ground
    return (0.02 + 0.08 * left, 0.02 + 0.08 * right) if middle < 0.9 else (0.06, -0.02)


def sweep(seen: Observation) -> Command:
    """Pan a pivoting sensor to and fro while the robot drives in circles."""
    return Command(wheels=(0.1, 0.15), pans={"turret": math.sin(3 * seen.time)}, leds={})


def by_sonar(seen: Observation) -> tuple[float, float]:
    return (0.3, 0.3) if min(seen.sonar[2:6]) > 0.6 else (0.2, -0.2)


RUNS: list[tuple[str, dict[str, Any]]] = [
    ("clutter", {"red": turn_away}),
    ("line-crossing", {"red": follow_line, "blue": turn_away}),
    ("line-track", {"red": follow_line}),
    ("wall-loop", {}),
    ("yellow-rooms", {}),
]


def controllers_for(arena: Any, chosen: dict[str, Any]) -> dict[str, Any]:
    """The given controllers, or by default one that suits each robot's sensors."""
    found = dict(chosen)
    for name, robot in arena.robots.items():
        if not chosen:
            found[name] = turn_away if "proximity" in robot.devices else by_sonar
    return {name: one for name, one in found.items() if name in arena.robots}


def drive(arena: Any, chosen: dict[str, Any]) -> None:
    controllers = controllers_for(arena, chosen)
    assert controllers
    for name in controllers:
        robot = arena[name]
        robot.enable(*(device for device in robot.devices if device in ("proximity", "ground", "sonar")))
    arena.run(SECONDS, controllers)


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize(("world", "chosen"), RUNS, ids=[world for world, _ in RUNS])
def test_network_run_is_bit_identical_to_local_run(world: str, chosen: dict[str, Any], seed: int) -> None:
    with paddock.open(world, seed=seed) as here:
        drive(here, chosen)
        wanted = here.digest(), here.tick, {name: robot.pose for name, robot in here.robots.items()}
    with served(world, seed=seed) as server, paddock.connect(server.url()) as there:
        drive(there, chosen)
        assert (there.digest(), there.tick, {name: robot.pose for name, robot in there.robots.items()}) == wanted


def test_pans_and_polled_readings_are_identical_over_network() -> None:
    def tour(arena: Any) -> list[float]:
        scout = arena.spawn("scout", "scout", at=(0.75, 0.5))
        scout.enable()
        heard = []
        for i in range(60):
            scout.apply(Command(wheels=(0.05, 0.06), pans={"turret": math.sin(i / 10)}))
            arena.step()
            heard += [scout.turret.read(), scout.turret.pan_angle, *scout.sense().encoders]
        return [*heard, *scout.pose]

    with paddock.open("clutter", seed=3) as here:
        wanted, digest = tour(here), here.digest()
    with served("clutter", seed=3) as server, paddock.connect(server.url()) as there:
        assert tour(there) == wanted
        assert there.digest() == digest


def test_reset_over_network_repeats_run() -> None:
    with served("clutter", seed=5) as server, paddock.connect(server.url()) as arena:
        arena["red"].enable("proximity")
        arena.run(SECONDS, turn_away)
        first = arena.digest()
        arena.reset()
        arena.run(SECONDS, turn_away)
        assert arena.digest() == first
        arena.reset(seed=6)
        arena.run(SECONDS, turn_away)
        assert arena.digest() != first


DRIVER = """
import sys
import paddock
sys.path.insert(0, sys.argv[3])
from network.server.test_same_digest import follow_line
arena = paddock.connect(sys.argv[1], name=sys.argv[2])
robot = arena.claim(sys.argv[2])
robot.enable("ground")
print("ready", flush=True)
sys.stdin.readline()
for _ in range(300):
    robot.apply(follow_line(robot.sense()))
    arena.step()
print("done", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_two_processes_with_one_robot_each_match_single_program(seed: int) -> None:
    with paddock.open("line-crossing", seed=seed) as here:
        for name in ("red", "blue"):
            here[name].enable("ground")
        here.run(300 * here.dt, {"red": follow_line, "blue": follow_line})
        wanted = here.digest()
    tests = next(path for path in sys.path if path.endswith("tests"))
    with (
        ServerProcess("line-crossing", "--lock-step", "--seed", str(seed)) as server,
        program(DRIVER, server.url, "red", tests) as red,
        program(DRIVER, server.url, "blue", tests) as blue,
    ):
        for word in ("ready", "done"):
            for one in (red, blue):
                assert one.stdout is not None
                assert one.stdout.readline().strip() == word
            if word == "ready":
                for one in (red, blue):
                    assert one.stdin is not None
                    one.stdin.write("go\n")
                    one.stdin.flush()
        with paddock.connect(server.url, lock_step=False) as arena:
            assert arena.tick == 300
            assert arena.digest() == wanted
