"""Robots spawned in and removed from a running arena."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paddock
from paddock.arena import Arena, Robot
from paddock.arena.arena import list_placed
from paddock.simulation.robots import load_robot
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.sensors.position import PositionSpec
from paddock.simulation.sensors.sonar import SonarSpec
from paddock.simulation.worlds.world_spec import Box, RobotPlacement

KIND = load_robot("e-puck")
SLOW = replace(
    KIND,
    name="slow",
    sensors=(
        *(KIND.sensor(name) for name in ("proximity", "ground", "camera")),
        SonarSpec(name="sonar", range=1, cone_deg=20, pivot={"min_deg": -90, "max_deg": 90}),  # type: ignore[arg-type]
        PositionSpec(name="late", delay=0.2, period=0.1),
        EncodersSpec(name="encoders", scale=1000),
    ),
)
WORLD = paddock.WorldSpec(
    name="yard",
    bounds=(0, 0, 4, 4),
    boxes=(Box(at=(1.0, 0.5), size=(0.2, 0.2)),),
    robots=(
        RobotPlacement(name="red", type=SLOW, at=(0.5, 0.5), noise=False),
        RobotPlacement(name="blue", type="e-puck", at=(3.5, 3.5), heading_deg=90, noise=False),
    ),
)
NAMES = [sensor.name for sensor in SLOW.sensors]


def driving() -> Arena:
    """Return an arena with robots in motion."""
    arena = paddock.open(WORLD, seed=3)
    red, blue = arena["red"], arena["blue"]
    red.enable()
    blue.enable("proximity", "ground")
    red.drive(0.08, 0.4)
    blue.drive(0.05, -0.2)
    red.sonar.pan(1.2)
    red.leds.set("front", 0.75)
    red.leds.set(3, 0.25)
    red.speaker.play(700, 0.2)
    arena.step(37)
    return arena


def read_state(arena: Arena, name: str) -> list[Any]:
    """Return the full state of a robot."""
    robot = arena[name]
    own = [robot.pose, robot.wheels.speeds, robot.contacts, robot.leds.read(), robot.speaker.read()]
    own += [device.enabled for device in robot.devices.values()]
    own += [device.read().tolist() if hasattr(device.read(), "tolist") else device.read() for device in on(robot)]
    return [*own, *(device.pan_angle for device in robot.devices.values())]


def on(robot: Robot) -> list[Any]:
    return [device for device in robot.devices.values() if device.enabled]


# Coming.


def test_spawn_keeps_the_state_of_other_robots() -> None:
    arena = driving()
    before = [read_state(arena, name) for name in ("red", "blue")]
    tick, seed = arena.tick, arena.seed
    arena.spawn("green", "e-puck", at=(2, 2))
    assert [read_state(arena, name) for name in ("red", "blue")] == before
    assert (arena.tick, arena.seed) == (tick, seed)


def test_spawn_does_not_change_the_run_of_other_robots() -> None:
    arena, alone = driving(), driving()
    for one in (arena, alone):
        one["red"].camera.disable()  # it sees far
    arena.spawn("green", "e-puck", at=(2, 2)).drive(0.02, 1.0)
    for _ in range(30):  # longer than the delay of the slowest sensor
        for name in ("red", "blue"):
            assert read_state(arena, name) == read_state(alone, name)
        arena.step()
        alone.step()


@pytest.mark.parametrize("kind", ["scout", "e-puck"])
def test_spawn_of_another_robot_type_keeps_the_state_of_others(kind: str) -> None:
    arena, alone = driving(), driving()
    arena.spawn("green", kind, at=(2, 2))  # other LEDs, pans and delays than those that are there
    arena.step(10)
    arena.remove("green")
    arena.step(10)
    alone.step(20)
    assert [read_state(arena, name) for name in ("red", "blue")] == [
        read_state(alone, name) for name in ("red", "blue")
    ]


def test_spawned_robot_with_a_longer_delay_extends_the_history() -> None:
    arena = paddock.open(WORLD.with_robots(replace(WORLD.robots[1], name="blue")))
    blue = arena["blue"]
    blue.drive(0.1, 0.0)
    arena.step(50)
    red = arena.spawn("red", SLOW, at=(0.5, 0.5))
    red.enable("late")
    assert red.late.read() == pytest.approx((0.5, 0.5, 0), abs=1e-6)  # it always stood there
    red.drive(0.1, 0.0)
    arena.step(40)
    assert red.late.read().x < red.pose.x - 0.01


def test_spawned_robot_stands_at_its_pose_and_is_detected() -> None:
    arena = driving()
    red = arena["red"]
    pose = red.pose
    near = red.proximity.read()[0]
    ahead = (pose.x + 0.1 * math.cos(pose.heading), pose.y + 0.1 * math.sin(pose.heading))
    green = arena.spawn("green", "e-puck", at=ahead, heading=1.0, color="#00ff00")
    assert green.pose == pytest.approx((*ahead, 1.0))
    assert green.wheels.speeds == (0, 0)
    assert green.leds.read() == dict.fromkeys(green.leds.names, 0.0)
    assert red.proximity.read()[0] < near
    red.wheels.set(0.1, 0.1)
    arena.step(20)
    assert red.contacts


def test_robot_spawned_without_a_position_finds_a_free_one() -> None:
    arena = driving()
    names = [f"guest-{i}" for i in range(20)]
    for name in names:
        arena.spawn(name, "e-puck")
    assert list(arena) == ["red", "blue", *names]
    check_invariants(arena)


def test_reset_returns_spawned_robots_to_their_spawn_pose() -> None:
    arena = driving()
    green = arena.spawn("green", "e-puck", at=(2, 2), heading=0.5)
    green.drive(0.1, 0.0)
    arena.step(20)
    arena.reset()
    assert green.pose == pytest.approx((2, 2, 0.5))
    assert arena["red"].pose == pytest.approx((0.5, 0.5, 0))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"at": (0.5, 0.5)}, "robot 'green' "),  # where red starts, though it is not there now
        ({"at": (1.0, 0.5)}, "robot 'green' "),
        ({"at": (9.0, 9.0)}, "robot 'green' "),
    ],
    ids=["another's start", "a box", "outside"],
)
def test_spawn_without_free_space_is_refused(options: Any, told: str) -> None:
    arena = driving()
    before = arena.digest()
    with pytest.raises(paddock.SimulationError, match=told):
        arena.spawn("green", "e-puck", **options)
    assert arena.digest() == before
    assert list(arena) == ["red", "blue"]


@pytest.mark.parametrize("name", ["red", "", 7])
def test_spawn_needs_a_valid_unused_name(name: Any) -> None:
    arena = driving()
    before = arena.digest()
    with pytest.raises(paddock.PaddockError):
        arena.spawn(name, "e-puck")
    assert arena.digest() == before


def test_spawn_in_a_full_world_is_refused() -> None:
    with paddock.open(paddock.WorldSpec(name="box", bounds=(0, 0, 0.12, 0.12))) as arena:
        arena.spawn("one", "e-puck")
        with pytest.raises(paddock.SimulationError, match="robot 'two' fits nowhere in the world"):
            arena.spawn("two", "e-puck")


# Going.


def test_removal_keeps_the_state_of_other_robots() -> None:
    arena = driving()
    arena.spawn("green", "scout", at=(2, 2))
    arena.spawn("white", "e-puck", at=(2, 3))
    arena.step(3)
    before = [read_state(arena, name) for name in ("red", "blue", "white")]
    arena.remove("green")  # white gets another row
    assert [read_state(arena, name) for name in ("red", "blue", "white")] == before


def test_first_robot_can_be_removed() -> None:
    arena, alone = driving(), driving()
    arena.remove("red")
    blue = arena["blue"]
    for _ in range(20):
        assert blue.pose == alone["blue"].pose
        assert blue.wheels.speeds == alone["blue"].wheels.speeds
        arena.step()
        alone.step()
    assert list(arena) == ["blue"]


def test_all_robots_can_be_removed_and_a_new_one_spawned() -> None:
    arena = driving()
    for name in ("red", "blue"):
        arena.remove(name)
    arena.step(5)
    assert len(arena.robots) == 0
    red = arena.spawn("red", "e-puck", at=(1, 1))
    red.drive(0.1, 0.0)
    arena.step(10)
    assert red.pose.x > 1


def test_handles_of_a_removed_robot_always_raise() -> None:
    arena = driving()
    red = arena["red"]
    ground, camera = red.ground, red.camera
    arena.remove("red")
    calls = [
        *(
            red.sense,
            red.stop,
            red.enable,
            red.disable,
            lambda: red.pose,
            lambda: red.contacts,
            lambda: red.set_pose(2, 2),
        ),
        *(lambda: red.wheels.set(0.1, 0.1), lambda: red.drive(0.1, 0), lambda: red.apply((0, 0)), red.leds.read),
        *(lambda: red.leds.set(0), red.speaker.read, red.speaker.stop, lambda: red.wheels.speeds, ground.read),
        *(ground.raw, camera.read, camera.depth, lambda: red.sonar.pan(0.1), lambda: red.sonar.pan_angle),
        *(lambda: red.watch(), lambda: red.on_sense(print), lambda: camera.on_image(print)),
    ]
    arena.spawn("red", "e-puck", at=(2, 2))  # a namesake changes nothing
    for call in calls:
        with pytest.raises(paddock.SimulationError) as caught:
            call()
        assert str(caught.value) == "robot 'red' has left the arena"
    assert arena["red"] is not red
    assert arena["red"].pose == (2, 2, 0)


def test_removal_of_an_unknown_robot_is_refused() -> None:
    arena = driving()
    with pytest.raises(paddock.UnknownName, match=r"no robot called 'rde' \(did you mean 'red'\?\)"):
        arena.remove("rde")


def test_snapshot_with_a_different_set_of_robots_is_refused() -> None:
    arena = driving()
    moment = arena.snapshot()
    arena.spawn("green", "e-puck", at=(2, 2))
    with pytest.raises(paddock.SimulationError, match="this snapshot was taken in another world"):
        arena.restore(moment)
    arena.remove("green")
    then = arena.digest()
    arena.step(5)
    arena.restore(moment)
    assert arena.digest() == then


# Laws.


def test_same_spawns_and_removals_give_the_same_digest() -> None:
    def run() -> list[str]:
        arena = driving()
        digests = []
        for i in range(4):
            guest = arena.spawn(f"guest-{i}", ("e-puck", "scout")[i % 2], heading=0.3 * i)
            guest.drive(0.05, 0.3)
            arena.step(5)
            digests.append(arena.digest())
            if i % 2:
                arena.remove(f"guest-{i - 1}")
        return digests

    assert run() == run()


def test_spawn_followed_by_removal_restores_the_digest() -> None:
    arena = driving()
    before = arena.digest()
    arena.spawn("green", "e-puck", at=(2, 2))
    assert arena.digest() != before
    arena.remove("green")
    assert arena.digest() == before


def test_undetected_spawn_in_the_last_row_keeps_the_noise_of_others() -> None:
    noisy = WORLD.with_robots(*(replace(robot, noise=True) for robot in WORLD.robots))
    arena, alone = paddock.open(noisy, seed=3), paddock.open(noisy, seed=3)
    for one in (arena, alone):
        one["red"].enable("proximity", "ground", "late", "encoders")
        one["red"].drive(0.08, 0.4)
        one.step(10)
    arena.spawn("green", "e-puck", at=(2, 2))  # a new last row; theirs stay
    for _ in range(10):
        assert read_state(arena, "red") == read_state(alone, "red")
        arena.step()
        alone.step()
    arena.remove("green")
    assert arena.digest() == alone.digest()


def test_removal_shifts_rows_and_changes_the_noise_of_later_robots() -> None:
    """Noise depends on the row of a robot: this is intended."""
    noisy = WORLD.with_robots(*(replace(robot, noise=True) for robot in WORLD.robots))
    arena, other = paddock.open(noisy, seed=3), paddock.open(noisy, seed=3)
    arena.remove("red")
    for one in (arena, other):
        one["blue"].enable("ground")
        one.step(5)
    assert not np.array_equal(arena["blue"].ground.read(), other["blue"].ground.read())


def check_invariants(arena: Arena) -> None:
    names = list(arena)
    assert len(names) == len(set(names)) == len(arena.robots) == len(arena.poses)
    assert [robot.name for robot in arena.world.robots] == names
    poses = arena.poses
    assert np.isfinite(poses).all()
    for i, name in enumerate(names):
        robot = arena[name]
        assert robot.name == name
        assert robot.pose == tuple(poses[i])
        assert abs(robot.wheels.speeds.left) <= robot.wheels.max_speed * 1.1
        radius = robot.spec.body.radius
        assert radius - 1e-3 <= robot.pose.x <= 4 - radius + 1e-3
        for j, other in enumerate(names[:i]):
            gap = math.dist(poses[i][:2], poses[j][:2])
            assert gap >= radius + arena[other].spec.body.radius - 2e-3, (name, other)


PENS = [(1.4 + 0.4 * column, 1.6 + 0.4 * row) for column in range(4) for row in range(3)]  # out of the others' sight
MOVES = st.one_of(
    st.tuples(st.just("spawn"), st.sampled_from(["e-puck", "scout"]), st.floats(0, 6)),
    st.tuples(st.just("step"), st.integers(1, 30), st.just(0.0)),
    st.tuples(st.just("remove"), st.integers(0, 30), st.just(0.0)),
)


@pytest.mark.heavy
@settings(max_examples=15)
@given(st.lists(MOVES, max_size=12))
def test_any_sequence_of_spawns_and_removals_keeps_the_invariants(
    moves: list[tuple[str, Any, float]],
) -> None:
    arena, alone = driving(), driving()
    for one in (arena, alone):
        one["red"].camera.disable()  # it sees far
        one["red"].drive(0.02, 0.5)
        one["blue"].drive(0.02, -0.5)
    guests: dict[str, tuple[float, float]] = {}
    for number, (what, argument, heading) in enumerate(moves):
        pen = next((pen for pen in PENS if pen not in guests.values()), None)
        if what == "spawn" and pen is not None:
            guest = arena.spawn(f"guest-{number}", argument, at=pen, heading=heading)
            guest.enable()
            guest.drive(0.0, 0.5)
            guests[guest.name] = pen
        elif what == "step":
            arena.step(argument)
            alone.step(argument)
        elif what == "remove" and guests:
            gone = arena[sorted(guests)[argument % len(guests)]]
            arena.remove(gone.name)
            del guests[gone.name]
            with pytest.raises(paddock.SimulationError, match="has left the arena"):
                gone.sense()
        check_invariants(arena)
        assert list(arena) == ["red", "blue", *guests]
        for name in guests:
            assert set(arena[name].sense()) <= set(arena[name].devices)
        for name in ("red", "blue"):
            assert read_state(arena, name) == read_state(alone, name)
    for name in guests:
        arena.remove(name)
    assert arena.digest() == alone.digest()


def test_robot_removed_while_its_handle_is_created_can_be_respawned(monkeypatch: pytest.MonkeyPatch) -> None:
    with paddock.open("empty") as arena:
        arena.spawn("new", "e-puck", at=(0.5, 0.5))
        arena.robots._handles.clear()
        made, removed = threading.Event(), threading.Event()
        make = arena.robots.new_handle

        def make_slowly(name: str) -> Robot:
            handle = make(name)
            made.set()
            removed.wait(0.2)  # the remover has to wait for the lock
            return handle

        def remove() -> None:
            made.wait(60)
            with arena.mutex:
                staying = [robot for robot in list_placed(arena.built) if robot.name != "new"]
                arena.adopt(arena._build(staying, arena.built))
            removed.set()

        monkeypatch.setattr(arena.robots, "new_handle", make_slowly)
        thread = threading.Thread(target=remove)
        thread.start()
        arena.robots["new"]
        thread.join()
        monkeypatch.undo()
        arena.spawn("new", "e-puck", at=(0.5, 0.5))
        assert arena["new"].pose.x == pytest.approx(0.5)


@pytest.mark.parametrize("at", [3, (1,), (1, 1, 1), "ab", (1, math.nan), {"x": 1, "y": 1}])
def test_spawn_position_must_be_a_finite_point(at: Any) -> None:
    with pytest.raises(paddock.SimulationError, match=r"robot 'new' cannot be placed at .*: expected finite numbers"):
        paddock.open("empty").spawn("new", "e-puck", at=at)


def test_spawn_position_may_be_an_array() -> None:
    arena = paddock.open("empty")
    assert arena.spawn("new", "e-puck", at=np.array([0.5, 0.5])).pose[:2] == (0.5, 0.5)  # type: ignore[arg-type]
