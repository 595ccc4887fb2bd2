"""Many threads, arenas, robots and clients: no data race, no lost update, no deadlock."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import paddock
from network.client.served import YARD, join, serving, together
from paddock.arena.base_arena import BaseArena
from paddock.network.client.remote import RemoteArena
from paddock.testing import wait_for

OPERATIONS = 60


@pytest.fixture(params=["here", "in lock-step", "free"])
def arena(request: pytest.FixtureRequest) -> Iterator[BaseArena]:
    if request.param == "here":
        yield paddock.open(YARD, seed=1)
    else:
        with serving(lock_step=request.param == "in lock-step") as server, join(server) as one:
            yield one


def test_eight_threads_share_one_robot(arena: BaseArena) -> None:
    red = arena["red"]
    red.enable("proximity", "ground", "encoders", "camera", "sonar")
    pairs = [(0.01 * i, -0.01 * i) for i in range(1, 5)]

    def work(number: int) -> None:
        chance = random.Random(number)
        operations: list[Callable[[], Any]] = [
            lambda: red.wheels.set(*chance.choice(pairs)),
            lambda: red.leds.set(number, chance.random()),
            lambda: red.sonar.pan(chance.uniform(-1, 1)),
            lambda: red.speaker.play(400 + number),
            lambda: check(red.sense()),
            lambda: red.proximity.read().shape == (8,) or 1 / 0,
            lambda: red.ground.raw().shape == (3,) or 1 / 0,
            lambda: red.camera.read().shape == (64, 64, 3) or 1 / 0,
            lambda: 0 < red.pose.x < 2 or 1 / 0,
            lambda: red.wheels.speeds,
            lambda: red.sonar.pan_angle,
            lambda: arena.step(),
            lambda: arena.digest(),
        ]
        for _ in range(OPERATIONS):
            chance.choice(operations)()

    def check(seen: paddock.Observation) -> None:
        assert seen.proximity.shape == (8,)
        assert np.isfinite(seen.proximity).all()
        assert seen.camera.shape == (64, 64, 3)
        left, right = seen.encoders
        assert left == pytest.approx(-right, abs=1e-3)  # both wheels were always set together

    together(*(lambda number=number: work(number) for number in range(8)))  # type: ignore[misc]
    red.wheels.set(0.02, -0.02)
    red.leds.set(0, 0.125)
    arena.step(3)
    assert red.leds.read()[red.leds.names[0]] == 0.125


def test_steps_of_all_threads_are_counted(arena: BaseArena) -> None:
    together(*[lambda: [arena.step() for _ in range(10)]] * 8)
    assert arena.tick >= 80
    if not isinstance(arena, RemoteArena) or arena.held:
        assert arena.tick == 80


def test_last_command_of_thread_is_applied(arena: BaseArena) -> None:
    red, blue = arena["red"], arena["blue"]

    def drive(robot: Any) -> None:
        for i in range(200):
            robot.wheels.set(0.0001 * i, 0.0001 * i)
        robot.wheels.set(0.05, 0.05)

    together(lambda: drive(red), lambda: drive(blue), lambda: [arena.step() for _ in range(50)])
    arena.step(100)
    for robot in (red, blue):
        assert robot.wheels.speeds == pytest.approx((0.05, 0.05), rel=0.2)


def test_threads_receive_same_handle(arena: BaseArena) -> None:
    handles: list[object] = []
    together(*[lambda: handles.append(arena["blue"])] * 8)
    assert len(set(map(id, handles))) == 1


def test_threads_may_start_and_end_watches(arena: BaseArena) -> None:
    red = arena["red"]
    red.enable("ground", "proximity")

    def work() -> None:
        for _ in range(10):
            end = red.on_sense(lambda seen: None, "ground")
            arena.step()
            end()

    together(*[work] * 6)
    assert red.watches.any is False


def test_robots_are_spawned_and_removed_while_others_drive(arena: BaseArena) -> None:
    red = arena["red"]
    red.enable("proximity")

    def visit(number: int) -> None:
        for i in range(4):
            name = f"guest-{number}-{i}"
            guest = arena.spawn(name, "e-puck")
            guest.enable("ground")
            guest.wheels.set(0.02, 0.02)
            arena.step()
            assert guest.sense().ground.shape == (3,)
            arena.remove(name)

    def drive() -> None:
        for _ in range(50):
            red.wheels.set(0.01, -0.01)
            assert red.sense().proximity.shape == (8,)
            arena.step()

    together(drive, *(lambda number=number: visit(number) for number in range(3)))  # type: ignore[misc]
    assert list(arena) == ["red", "blue"]


# Several.


def test_one_process_drives_several_arenas() -> None:
    with serving(seed=1) as one, serving(seed=2) as two, join(one) as here, join(two) as there:
        for arena in (here, there):
            arena["red"].enable("ground")
        here["red"].wheels.set(0.1, 0.1)
        for _ in range(20):
            here.step()
            there.step(2)
        assert (here.tick, there.tick) == (20, 40)
        assert (here.seed, there.seed) == (1, 2)
        assert here["red"].pose.x > there["red"].pose.x
        with paddock.open(YARD, seed=2) as same:
            same.step(40)
            assert same.digest() == there.digest()


def test_one_client_drives_many_robots() -> None:
    with serving() as server, join(server) as arena:
        robots = [arena.spawn(f"guest-{i}", "e-puck") for i in range(12)] + [arena["red"], arena["blue"]]
        for robot in robots:
            robot.enable("proximity")
        arena.step()
        for _ in range(5):
            for robot in robots:
                robot.sense()
                robot.wheels.set(0.05, 0.05)
            arena.step()
        assert all(robot.wheels.speeds.left > 0 for robot in robots)


def test_many_clients_in_lock_match_single_process() -> None:
    clients, ticks = 8, 20
    with serving() as server, join(server, lock_step=False) as lecturer:
        arenas = [join(server, name=f"student-{i}") for i in range(clients)]
        robots = [arena.spawn(f"guest-{i}", "e-puck") for i, arena in enumerate(arenas)]
        for robot in robots:
            robot.enable("proximity")

        def drive(i: int) -> None:
            for _ in range(ticks):
                seen = robots[i].sense()
                robots[i].wheels.set(0.05, 0.04 if seen.proximity.min() > 0.05 else -0.05)
                arenas[i].step()

        together(*(lambda i=i: drive(i) for i in range(clients)))  # type: ignore[misc]
        digest = lecturer.digest()
        for arena in arenas:
            arena.close()
        wait_for(lambda: len(server.arena.robots) == 2)
    with paddock.open(YARD, seed=1) as here:
        guests = [here.spawn(f"guest-{i}", "e-puck") for i in range(clients)]
        for guest in guests:
            guest.enable("proximity")
        for _ in range(ticks):
            for guest in guests:
                seen = guest.sense()
                guest.wheels.set(0.05, 0.04 if seen.proximity.min() > 0.05 else -0.05)
            here.step()
        assert here.digest() == digest
