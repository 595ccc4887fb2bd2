"""The same code gives the same results and errors with a local arena and one behind a socket."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import paddock
from network.client.served import FULL, YARD, Traffic, join, serving
from paddock.arena.base_arena import BaseArena
from paddock.core.observation import Observation

PLACES = ("here", "there")


@pytest.fixture(params=PLACES)
def arena(request: pytest.FixtureRequest) -> Iterator[BaseArena]:
    yield from opened(request.param)


def opened(place: str) -> Iterator[BaseArena]:
    if place == "here":
        yield paddock.open(YARD, seed=1)
    else:
        with serving() as server, join(server) as arena:
            yield arena


@pytest.fixture
def both() -> Iterator[tuple[BaseArena, BaseArena]]:
    with serving() as server, join(server) as there:
        yield paddock.open(YARD, seed=1), there


# Bodies of tests that are right for any arena.


def test_arena_has_its_robots_and_world(arena: BaseArena) -> None:
    assert list(arena) == ["red", "blue"]
    assert len(arena.robots) == 2
    assert "red" in arena
    assert "green" not in arena
    assert arena["red"] is arena["red"]
    assert arena["red"].spec == FULL
    assert arena.world.name == "yard"
    assert (arena.tick, arena.time, arena.dt, arena.seed) == (0, 0.0, 0.02, 1)


def test_devices_are_enabled_and_disabled(arena: BaseArena) -> None:
    red = arena["red"]
    red.enable("ground", "proximity")
    assert red.ground.read().shape == (3,)
    assert list(red.sense()) == ["proximity", "ground"]
    red.ground.disable()
    assert list(red.sense()) == ["proximity"]
    with pytest.raises(paddock.DeviceNotEnabled, match=r"red\.ground is not enabled"):
        red.ground.read()
    red.enable()
    assert list(red.sense()) == [s.name for s in FULL.sensors if s.name != "camera"] + ["camera"]
    red.disable()
    assert list(red.sense()) == []


def test_read_and_sense_return_equal_values(arena: BaseArena) -> None:
    red = arena["red"]
    red.enable()
    arena.step(3)
    seen = red.sense()
    assert seen.time == arena.time == 3 * arena.dt
    for name in red.devices:
        assert np.array_equal(getattr(seen, name), red.device(name).read()), name
        assert np.array_equal(red.device(name).read(), red.device(name).read()), name


def test_returned_arrays_are_copies(arena: BaseArena) -> None:
    red = arena["red"]
    red.enable("proximity", "camera")
    arena.step()
    for read in (red.proximity.read, red.proximity.raw, red.camera.read, red.camera.depth):
        first = read()
        expected = first.copy()
        first[:] = 0
        assert np.array_equal(read(), expected)
    row = red.sense().proximity
    row[:] = -1
    assert red.sense().proximity.min() >= 0


def test_wheels_turn_with_next_step(arena: BaseArena) -> None:
    red = arena["red"]
    red.wheels.set(0.1, 0.1)
    assert red.wheels.speeds == (0, 0)
    arena.step(50)
    assert red.wheels.speeds == pytest.approx((0.1, 0.1), rel=0.1)
    assert red.pose.x > 0.55
    red.drive(0.0, 1.0)
    arena.step(10)
    assert red.wheels.speeds.left < 0 < red.wheels.speeds.right
    red.stop()
    arena.step(10)
    assert red.wheels.speeds == (0, 0)


def test_booleans_are_accepted_as_numbers(arena: BaseArena) -> None:
    red = arena["red"]
    red.wheels.set(True, False)
    red.leds.set("front", True)
    red.speaker.play(440, True)
    red.sonar.pan(False)
    arena.step(10)
    assert red.wheels.speeds.left > 0 == red.wheels.speeds.right


def test_robots_are_printed_by_their_names(arena: BaseArena) -> None:
    assert repr(arena.robots) == "<Robots red, blue>"


def test_pivot_turns(arena: BaseArena) -> None:
    sonar = arena["red"].sonar
    sonar.enable()
    sonar.pan(1.0)
    assert sonar.pan_angle == 0
    arena.step(200)
    assert sonar.pan_angle == pytest.approx(1.0)


def test_polled_device_is_left_out_of_sense(arena: BaseArena) -> None:
    red = arena["red"]
    red.enable("sonar", "ground")
    red.sonar.poll_only()
    assert list(red.sense()) == ["ground"]
    assert 0 < red.sonar.read() <= 1
    arena.step()
    assert list(red.sense()) == ["ground"]
    red.sonar.poll_only(False)
    assert list(red.sense()) == ["ground", "sonar"]


def test_leds_and_tones_are_set_at_once(arena: BaseArena) -> None:
    red, blue = arena["red"], arena["blue"]
    blue.enable("microphones")
    arena.step()
    quiet = blue.microphones.read().max()
    red.leds.set("front", 0.5)
    red.leds.set(1)
    red.speaker.play(440, 0.3)
    assert list(red.leds.read().values())[1] == 1.0
    assert red.leds.read()["front"] == 0.5
    assert red.speaker.read() == (440, 0.3)
    assert blue.microphones.read().max() > quiet  # without a step
    assert blue.sense().microphones.max() > quiet
    red.speaker.stop()
    assert red.speaker.read() == (0, 0)
    assert blue.microphones.read().max() == pytest.approx(quiet, abs=0.05)


def test_command_applies_all_its_parts(arena: BaseArena) -> None:
    red = arena["red"]
    red.enable("sonar")
    red.apply(paddock.Command(wheels=(0.05, 0.1), pans={"sonar": 0.5}, leds={"front": 1.0}, tone=(800.0, 0.1)))
    arena.step(100)
    assert red.wheels.speeds == pytest.approx((0.05, 0.1), rel=0.1)
    assert red.sonar.pan_angle == pytest.approx(0.5)
    assert red.leds.read()["front"] == 1.0
    assert red.speaker.read() == (800, 0.1)
    red.apply(None)
    red.apply((0.0, 0.0))
    arena.step(10)
    assert red.wheels.speeds == (0, 0)
    assert red.speaker.read() == (800, 0.1)


def test_teleported_robot_is_sensed_at_new_pose_at_once(arena: BaseArena) -> None:
    red, blue = arena["red"], arena["blue"]
    red.enable("position")
    blue.enable("proximity")
    arena.step()
    red.sense()
    far = blue.proximity.read()[0]
    red.set_pose(1.0, 1.0, math.pi / 2)
    assert red.pose == pytest.approx((1.0, 1.0, math.pi / 2))
    assert red.position.read() == pytest.approx((1.0, 1.0, math.pi / 2))
    red.set_pose(1.58, 1.5)
    assert blue.proximity.read()[0] < far
    assert blue.sense().proximity[0] < far


def test_contacts_are_reported(arena: BaseArena) -> None:
    red = arena["red"]
    assert red.contacts == ()
    red.set_pose(1.35, 0.5)
    red.wheels.set(0.1, 0.1)
    arena.step(60)
    assert red.contacts == pytest.approx((0,), abs=0.2)


def test_camera_gives_pictures_and_depths(arena: BaseArena) -> None:
    camera = arena["red"].camera
    camera.enable()
    picture, depth = camera.read(), camera.depth()
    assert (picture.shape, picture.dtype) == ((64, 64, 3), np.uint8)
    assert (depth.shape, depth.dtype) == ((64, 64), np.float64)
    assert np.array_equal(arena["red"].sense().camera, picture)
    assert np.isfinite(depth).any()


def test_controllers_run(arena: BaseArena) -> None:
    for robot in arena.robots.values():
        robot.enable("proximity")
    times: list[float] = []

    def act(seen: Observation) -> tuple[float, float]:
        times.append(seen.time)
        return (0.08, 0.08) if seen.proximity.min() > 0.03 else (-0.05, 0.05)

    arena.run(1.0, {"red": act, "blue": act})
    assert arena.tick == 50
    assert times == pytest.approx([0.02 * (i // 2) for i in range(100)])
    with pytest.raises(paddock.SimulationError, match="there are 2 robots: expected a dict"):
        arena.run(1.0, act)


def test_reset_restores_initial_state(arena: BaseArena) -> None:
    red = arena["red"]
    red.enable("ground")
    first = red.ground.read()
    red.wheels.set(0.1, 0.1)
    red.leds.set("front")
    red.speaker.play(440)
    arena.step(20)
    red.wheels.set(0.1, 0.02)  # forgotten by the reset
    arena.reset()
    assert (arena.tick, arena.seed) == (0, 1)
    assert red.pose == pytest.approx((0.5, 0.5, 0))
    assert red.ground.enabled
    assert np.array_equal(red.ground.read(), first)
    assert red.leds.read()["front"] == 0
    assert red.speaker.read() == (0, 0)
    arena.step(20)
    assert red.pose == pytest.approx((0.5, 0.5, 0))
    arena.reset(seed=2)
    assert arena.seed == 2
    assert not np.array_equal(red.ground.read(), first)


def test_snapshot_is_restored(arena: BaseArena) -> None:
    red = arena["red"]
    red.enable("ground")
    red.wheels.set(0.1, 0.08)
    red.leds.set("front", 0.25)
    arena.step(10)
    moment, then, seen = arena.snapshot(), arena.digest(), red.ground.read()
    red.leds.set("front", 0.75)
    arena.step(10)
    end = arena.digest()
    red.wheels.set(0, 0)  # overwritten by the restore
    arena.restore(moment)
    assert arena.tick == 10
    assert arena.digest() == then
    assert np.array_equal(red.ground.read(), seen)
    assert red.leds.read()["front"] == 0.25
    red.leds.set("front", 0.75)
    arena.step(10)
    assert arena.digest() == end


def test_digest_includes_pending_commands(arena: BaseArena) -> None:
    before = arena.digest()
    arena["red"].wheels.set(0.1, 0.1)
    assert arena.digest() != before
    arena["red"].stop()
    assert arena.digest() == before


def test_robot_is_spawned_and_removed(arena: BaseArena) -> None:
    red = arena["red"]
    red.enable("proximity")
    arena.step()
    open_view = red.proximity.read()
    green = arena.spawn("green", "e-puck", at=(0.58, 0.5), heading=1.0, color="#00ff00")
    assert "green" in arena
    assert green.pose == pytest.approx((0.58, 0.5, 1.0))
    assert red.proximity.read()[0] < open_view[0]
    green.enable("ground")
    green.wheels.set(0.05, 0.05)
    arena.step(5)
    assert green.ground.read().shape == (3,)
    arena.remove("green")
    assert "green" not in arena
    for call in (green.sense, green.stop, lambda: green.pose, lambda: green.set_pose(1, 1), green.ground.enable):
        with pytest.raises(paddock.SimulationError) as caught:
            call()
        assert str(caught.value) == "robot 'green' has left the arena"
    with pytest.raises(paddock.UnknownName):
        arena["green"]
    place = np.array([0.58, 0.7])
    assert arena.spawn("green", "e-puck", at=place).pose.y == 0.7  # type: ignore[arg-type]


# Both at once.


def drive(arena: BaseArena) -> list[Any]:
    """Use most features once; return the numbers."""
    red, blue = arena["red"], arena["blue"]
    red.enable()
    blue.enable("proximity", "ground")
    told: list[Any] = []
    for i in range(40):
        seen = red.sense()
        told += [seen.proximity, seen.ground, seen.position, seen.camera, blue.proximity.read(), blue.ground.raw()]
        told += [red.proximity.raw(), red.pose, red.contacts, red.wheels.speeds, red.sonar.pan_angle, red.leds.read()]
        red.wheels.set(0.12 if seen.proximity.min() > 0.03 else -0.1, 0.1)
        red.sonar.pan(0.01 * i)
        red.leds.set(i % 8, 0.5)
        blue.drive(0.05, 0.3)
        if i == 10:
            green = arena.spawn("green", "e-puck", heading=0.5)
            told.append(green.pose)
            green.drive(0.1, 0.0)
        if i == 20:
            red.set_pose(1.2, 0.5)
        if i == 30:
            arena.remove("green")
        arena.step(1 + i % 3)
    return told


def test_local_and_remote_drives_are_identical(both: tuple[BaseArena, BaseArena]) -> None:
    here, there = both
    for one, other in zip(drive(here), drive(there), strict=True):
        assert type(one) is type(other)
        assert np.array_equal(one, other) if not isinstance(one, dict) else one == other
    assert here.tick == there.tick
    assert here.digest() == there.digest()


def test_controller_gives_same_digest_locally_and_remotely(both: tuple[BaseArena, BaseArena]) -> None:
    def act(seen: Observation) -> paddock.Command:
        near = seen.proximity.min() < 0.03
        return paddock.Command(wheels=(-0.05, 0.05) if near else (0.1, 0.09), leds={"front": float(near)})

    for arena in both:
        for robot in arena.robots.values():
            robot.enable("proximity")
        arena.run(4.0, {"red": act, "blue": act})
    assert both[0].digest() == both[1].digest()


MISTAKES: dict[str, Callable[[BaseArena], object]] = {
    "a robot that is not there": lambda arena: arena["rde"],
    "a name that is none": lambda arena: arena[7],  # type: ignore[index]
    "a device that is not there": lambda arena: arena["red"].grond,
    "a device by a wrong name": lambda arena: arena["red"].device("poximity"),
    "enabling what is not there": lambda arena: arena["red"].enable("grond"),
    "reading what is off": lambda arena: arena["red"].ground.read(),
    "raw numbers of what is off": lambda arena: arena["red"].ground.raw(),
    "a picture of a camera that is off": lambda arena: arena["red"].camera.read(),
    "a depth of a camera that is off": lambda arena: arena["red"].camera.depth(),
    "an image observer of a camera that is off": lambda arena: arena["red"].camera.on_image(print),
    "raw numbers of what has none": lambda arena: (arena["red"].enable("position"), arena["red"].position.raw()),
    "turning what does not pivot": lambda arena: arena["red"].ground.pan(1.0),
    "turning too far": lambda arena: arena["red"].sonar.pan(3.0),
    "polling what cannot be polled": lambda arena: arena["red"].ground.poll_only(),
    "an LED that is not there": lambda arena: arena["red"].leds.set("fornt"),
    "an LED that is too bright": lambda arena: arena["red"].leds.set(0, 2.0),
    "a tone that cannot sound": lambda arena: arena["red"].speaker.play(-1),
    "speeds that are none": lambda arena: arena["red"].wheels.set(math.nan, 0),
    "a turn that is none": lambda arena: arena["red"].drive(0, math.inf),
    "a command that is none": lambda arena: arena["red"].apply("fast"),
    "a pan in a command": lambda arena: arena["red"].apply(paddock.Command(pans={"ground": 1.0})),
    "a place without room": lambda arena: arena["red"].set_pose(1.5, 0.5),
    "a place outside": lambda arena: arena["red"].set_pose(99, 99),
    "a place that is none": lambda arena: arena["red"].set_pose(math.nan, 0),
    "half a tick": lambda arena: arena.step(0.5),  # type: ignore[arg-type]
    "less than no tick": lambda arena: arena.step(-1),
    "a seed that is none": lambda arena: arena.reset(-1),
    "a time that is none": lambda arena: arena.run(-1),
    "a snapshot that is none": lambda arena: arena.restore("yesterday"),  # type: ignore[arg-type]
    "a period that is none": lambda arena: arena["red"].watch(-1),
    "observing what is not there": lambda arena: arena["red"].on_sense(print, "grond"),
    "a robot without room": lambda arena: arena.spawn("green", "e-puck", at=(0.5, 0.5)),
    "a robot at no place": lambda arena: arena.spawn("green", "e-puck", at=(math.nan, 0.5)),
    "a robot at a number": lambda arena: arena.spawn("green", "e-puck", at=0.5),  # type: ignore[arg-type]
    "a robot at a text": lambda arena: arena.spawn("green", "e-puck", at="ab"),  # type: ignore[arg-type]
    "a robot at three numbers": lambda arena: arena.spawn("green", "e-puck", at=(1, 1, 0)),  # type: ignore[arg-type]
    "a robot that looks nowhere": lambda arena: arena.spawn("green", "e-puck", heading=math.inf),
    "a kind of robot that is not there": lambda arena: arena.spawn("green", "e-pukc"),
    "a name that is taken": lambda arena: arena.spawn("red", "e-puck"),
    "a robot without a name": lambda arena: arena.spawn("", "e-puck"),
    "a colour that is none": lambda arena: arena.spawn("green", "e-puck", color="greenish"),
    "taking away who is not there": lambda arena: arena.remove("green"),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_error_messages_are_equal_locally_and_remotely(
    both: tuple[BaseArena, BaseArena], mistake: Callable[[BaseArena], object]
) -> None:
    told = []
    for arena in both:
        with pytest.raises(paddock.PaddockError) as caught:
            mistake(arena)
        told.append((type(caught.value), str(caught.value)))
    assert told[0] == told[1]
    assert both[0].digest() == both[1].digest()


# What a cycle costs.


def test_cycle_in_lock_step_is_one_round_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    traffic = Traffic(monkeypatch)
    with serving() as server, join(server) as arena:
        red = arena["red"]
        red.enable("proximity", "ground", "camera", "encoders")
        red.sense()
        arena.step()
        traffic.take()
        for _ in range(20):
            seen = red.sense()
            red.wheels.set(0.1, float(seen.ground[0]) * 0.1)
            red.leds.set("front", 1.0)
            arena.step()
        assert traffic.take() == ["step"] * 20


def test_reading_after_step_needs_no_round_trip(monkeypatch: pytest.MonkeyPatch) -> None:
    traffic = Traffic(monkeypatch)
    with serving() as server, join(server) as arena:
        red, blue = arena["red"], arena["blue"]
        red.enable("proximity", "ground", "camera", "sonar")
        blue.enable("ground")
        arena.step()
        traffic.take()
        for robot in (red, blue):
            robot.sense()
            robot.ground.read()
            assert robot.pose
            assert robot.contacts == ()
            assert robot.wheels.speeds == (0, 0)
            robot.leds.read()
        red.proximity.read()
        red.camera.read()
        assert red.sonar.pan_angle == 0
        assert arena.time == arena.dt
        assert traffic.take() == []


def test_run_is_one_round_trip_per_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    traffic = Traffic(monkeypatch)
    with serving() as server, join(server) as arena:
        for robot in arena.robots.values():
            robot.enable("ground")
        arena.step()
        traffic.take()
        arena.run(1.0, dict.fromkeys(arena, lambda seen: (0.1, 0.1)))
        assert traffic.take() == [*["step"] * 50, "digest"]


def test_device_names_are_completed(arena: BaseArena) -> None:
    assert {"proximity", "ground", "sonar", "wheels", "leds", "enable"} <= set(dir(arena["red"]))
