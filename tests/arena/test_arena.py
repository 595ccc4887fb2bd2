"""The arena: open, time, run, reset, snapshots, digests."""

from __future__ import annotations

import math
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.control.policies.braitenberg import Braitenberg, explorer
from paddock.core.observation import WheelSpeeds
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.world_spec import Box, Cylinder, RobotPlacement, WorldSpec
from scenes import alone

TWO = paddock.WorldSpec(
    name="two",
    bounds=(0, 0, 2, 2),
    robots=(
        RobotPlacement(name="red", type="e-puck", at=(0.5, 0.5)),
        RobotPlacement(name="blue", type="e-puck", at=(1.5, 1.5), heading_deg=180),
    ),
)
ONE = TWO.with_robots(TWO.robots[0])


def forward(observation: paddock.Observation) -> tuple[float, float]:
    return 0.1, 0.1


class Spinner:
    """A controller with internal state."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def act(self, observation: paddock.Observation) -> WheelSpeeds:
        self.times.append(observation.time)
        return WheelSpeeds(-0.05, 0.05)


# Opening.


def test_a_world_opens_by_name() -> None:
    with paddock.open("clutter") as arena:
        assert arena.world.name == "clutter"
        assert list(arena.robots) == ["red"]


@pytest.mark.parametrize("kind", [str, Path])
def test_a_world_opens_by_path(tmp_path: Path, kind: Any) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\nbounds = [0, 0, 1, 1]\n', encoding="utf-8")
    assert paddock.open(kind(file)).world.name == "mine"


def test_a_world_opens_from_a_spec() -> None:
    assert paddock.open(TWO).world == TWO


def test_a_world_without_robots_opens_and_time_passes() -> None:
    arena = paddock.open(TWO.with_robots())
    arena.step(5)
    assert (arena.tick, len(arena.robots)) == (5, 0)


def test_default_tick_is_the_worlds_own_and_can_be_overridden() -> None:
    assert paddock.open(ONE).dt == 0.02
    assert paddock.open(ONE, dt=0.005).dt == 0.005


def test_finer_tick_reaches_the_same_pose() -> None:
    places = []
    for dt in (0.02, 0.005):
        arena = paddock.open(ONE, dt=dt)
        arena["red"].wheels.set(0.1, 0.06)
        arena.run(2.0)
        places.append(arena["red"].pose)
    assert places[0] == pytest.approx(places[1], abs=1e-3)


@pytest.mark.parametrize("dt", [0, 1e-9, -0.02, 1.5, math.nan, math.inf])
def test_invalid_tick_is_refused(dt: float) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        paddock.open(ONE, dt=dt)
    assert str(caught.value) == f"dt: expected seconds >= 0.0001 and <= 1, got {dt!r}"


def test_tick_given_as_a_string_is_refused() -> None:
    with pytest.raises(paddock.PaddockError, match=r"dt: expected seconds >= 0\.0001 and <= 1, got '20 ms'"):
        paddock.open(ONE, dt="20 ms")  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 1.5, "7", True, None, 2**63])
def test_invalid_seed_is_refused(seed: Any) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        paddock.open(ONE, seed=seed)
    assert str(caught.value) == f"seed: expected a whole number from 0 to 2**63 - 1, got {seed!r}"
    with pytest.raises(paddock.PaddockError):
        paddock.open(ONE).reset(seed=-1)


@pytest.mark.parametrize("seed", [0, 2**63 - 1, np.int64(7)])
def test_any_integer_in_range_is_a_seed(seed: int) -> None:
    assert paddock.open(ONE, seed=seed).seed == seed
    assert paddock.open(ONE, seed=seed).digest() == paddock.open(ONE, seed=int(seed)).digest()


def test_context_manager_closes_the_arena_and_propagates_exceptions() -> None:
    with pytest.raises(ZeroDivisionError), paddock.open(ONE) as arena:
        _ = 1 / 0
    arena.close()


# Robots by name.


def test_robots_are_a_mapping_of_names_to_handles() -> None:
    arena = paddock.open(TWO)
    assert list(arena.robots) == ["red", "blue"]
    assert len(arena.robots) == 2
    assert "red" in arena.robots
    assert "green" not in arena.robots
    assert arena.robots["red"] is arena["red"]
    assert [robot.name for robot in arena.robots.values()] == ["red", "blue"]


def test_unknown_robot_error_suggests_an_existing_one() -> None:
    arena = paddock.open(TWO)
    with pytest.raises(paddock.UnknownName) as caught:
        arena["rde"]
    assert str(caught.value) == "no robot called 'rde' (did you mean 'red'?)"
    with pytest.raises(KeyError):
        arena.robots["green"]


@pytest.mark.parametrize("name", [0, None, ("red", "blue"), ["blue", "red"]])
def test_robot_lookup_accepts_names_only(name: Any) -> None:
    with pytest.raises(paddock.UnknownName) as caught:
        paddock.open(TWO)[name]
    assert str(caught.value) == f"no robot called {name!r} (there are: blue, red)"


def test_arena_supports_membership_and_iteration_by_robot_name() -> None:
    arena = paddock.open(TWO)
    assert "red" in arena
    assert "green" not in arena
    assert 0 not in arena
    assert list(arena) == ["red", "blue"]


def test_handles_of_two_arenas_are_independent() -> None:
    one, other = paddock.open(TWO), paddock.open(TWO)
    assert one["red"] is not other["red"]
    one["red"].wheels.set(0.1, 0.1)
    one["red"].enable()
    one.step(10)
    assert other["red"].pose == (0.5, 0.5, 0.0)
    assert other.tick == 0
    assert not other["red"].ground.enabled
    other.step(10)
    assert other["red"].pose == (0.5, 0.5, 0.0)


@pytest.mark.parametrize("what", ["arena", "robots", "device"])
def test_handles_have_a_readable_repr(what: str) -> None:
    arena = paddock.open(TWO)
    thing = {"arena": arena, "robots": arena.robots, "device": arena["red"].ground}[what]
    assert " object at 0x" not in repr(thing)


def test_robot_repr_shows_name_and_type() -> None:
    assert repr(paddock.open(TWO)["red"]) == "<Robot red (e-puck)>"


# Time.


def test_time_advances_only_with_steps() -> None:
    arena = paddock.open(ONE)
    assert (arena.time, arena.tick) == (0.0, 0)
    arena.step()
    assert (arena.time, arena.tick) == (0.02, 1)
    arena.step(49)
    assert (arena.time, arena.tick) == (1.0, 50)


def test_zero_ticks_change_nothing() -> None:
    arena = paddock.open(ONE)
    before = arena.digest()
    arena.step(0)
    arena.run(0)
    assert arena.digest() == before


def test_tick_count_may_be_a_keyword_argument() -> None:
    arena = paddock.open(ONE)
    arena.step(n=3)
    assert arena.tick == 3


@pytest.mark.parametrize("ticks", [-1, 1.5, "3", math.nan])
def test_invalid_tick_count_is_refused(ticks: Any) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        paddock.open(ONE).step(ticks)
    assert str(caught.value) == f"step: expected a whole number of ticks >= 0, got {ticks!r}"


def test_many_single_steps_equal_one_long_step() -> None:
    one, other = paddock.open(TWO, seed=5), paddock.open(TWO, seed=5)
    for arena in (one, other):
        arena["red"].wheels.set(0.1, 0.09)
        arena["blue"].drive(0.1, 1.0)
    for _ in range(100):
        one.step()
    other.step(100)
    assert one.digest() == other.digest()


@pytest.mark.parametrize("name", ["time", "tick"])
def test_time_is_read_only(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(paddock.open(ONE), name, 3)


def test_dt_is_read_only() -> None:
    with pytest.raises(AttributeError):
        paddock.open(ONE).dt = 0.1  # type: ignore[misc]


# Running with controllers.


def test_run_without_controllers_keeps_the_commands() -> None:
    arena = paddock.open(ONE)
    arena["red"].wheels.set(0.1, 0.1)
    arena.run(1.0)
    assert arena.tick == 50
    assert arena["red"].pose.x == pytest.approx(0.6, abs=0.002)


def test_function_controls_the_only_robot() -> None:
    arena = paddock.open(ONE)
    arena.run(1.0, forward)
    assert arena["red"].pose.x == pytest.approx(0.6, abs=0.002)


def test_act_method_is_called_once_per_tick() -> None:
    arena, spinner = paddock.open(ONE), Spinner()
    arena.run(0.1, spinner)
    assert spinner.times == pytest.approx([0, 0.02, 0.04, 0.06, 0.08])
    assert arena["red"].pose.heading > 0.05


def test_controller_with_a_raising_property_still_runs() -> None:
    class Stubborn:
        @property
        def devices(self) -> tuple[str, ...]:
            raise RuntimeError("not connected yet")

        def act(self, observation: paddock.Observation) -> tuple[float, float]:
            return forward(observation)

    arena = paddock.open(ONE)
    arena.run(1.0, Stubborn())
    assert arena["red"].pose.x == pytest.approx(0.6, abs=0.002)


def test_controllers_by_name_drive_only_their_robots() -> None:
    arena = paddock.open(TWO)
    arena.run(1.0, {"blue": forward})
    assert arena["red"].pose == (0.5, 0.5, 0.0)
    assert arena["blue"].pose.x == pytest.approx(1.4, abs=0.002)


def test_shared_stateful_controller_triggers_a_warning() -> None:
    class Counter:
        def __init__(self) -> None:
            self.calls = 0

        def act(self, observation: object) -> tuple[float, float]:
            self.calls += 1
            return 0.01, 0.01

    def drive(observation: object) -> tuple[float, float]:
        return 0.01, 0.01

    with paddock.open("line-crossing") as arena:
        arena.run(0.1, {"red": drive, "blue": drive})
        arena.run(0.1, {"red": Counter(), "blue": Counter()})
        with pytest.warns(paddock.PaddockWarning, match="red, blue have the same Counter as their controller"):
            arena.run(0.1, dict.fromkeys(("red", "blue"), Counter()))


def test_single_controller_for_several_robots_is_refused() -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        paddock.open(TWO).run(1.0, forward)
    assert str(caught.value) == "run: there are 2 robots: expected a dict of controllers by robot name"


def test_controller_for_an_unknown_robot_is_refused_before_stepping() -> None:
    arena = paddock.open(TWO)
    with pytest.raises(paddock.UnknownName, match="no robot called 'bleu'"):
        arena.run(1.0, {"red": forward, "bleu": forward})
    assert arena.tick == 0


def test_invalid_controller_is_refused_before_stepping() -> None:
    arena = paddock.open(ONE)
    with pytest.raises(paddock.PaddockError, match="3 is not a controller"):
        arena.run(1.0, 3)
    for kind in (Spinner, Braitenberg):
        with pytest.raises(paddock.PaddockError, match=f"{kind.__name__} is a class: expected an object"):
            arena.run(1.0, kind)
    assert arena.tick == 0


@pytest.mark.parametrize(("seconds", "ticks"), [(0, 0), (1e-9, 1), (0.01, 1), (0.029, 1), (0.031, 2), (1, 50)])
def test_run_rounds_to_whole_ticks_with_at_least_one(seconds: float, ticks: int) -> None:
    arena = paddock.open(ONE)
    arena.run(seconds)
    assert arena.tick == ticks


@pytest.mark.parametrize("seconds", [-1, math.nan, math.inf, "1"])
def test_invalid_duration_is_refused(seconds: Any) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        paddock.open(ONE).run(seconds)
    assert str(caught.value) == f"run: expected seconds >= 0, got {seconds!r}"


def test_invalid_speed_factor_is_refused() -> None:
    for speed in (0, math.inf, "fast"):
        with pytest.raises(paddock.PaddockError, match="speed: expected a factor > 0"):
            paddock.open(ONE).run(1.0, forward, speed=speed)  # type: ignore[arg-type]


def test_paced_run_is_bit_identical_to_an_unpaced_run() -> None:
    free, paced = paddock.open(ONE, seed=1), paddock.open(ONE, seed=1)
    free.run(1.0, forward)
    paced.run(1.0, forward, speed=10_000)
    assert free.digest() == paced.digest()


def test_none_keeps_the_last_command() -> None:
    arena = paddock.open(ONE)
    arena["red"].wheels.set(0.1, 0.1)
    arena.run(1.0, lambda observation: None)
    assert arena["red"].pose.x == pytest.approx(0.6, abs=0.002)


def test_command_sets_wheels_leds_and_speaker_together() -> None:
    arena = paddock.open(ONE)
    arena.run(0.1, lambda _: paddock.Command(wheels=(0.1, 0.1), leds={"led0": 0.5}, tone=(440, 0.2)))
    red = arena["red"]
    assert red.wheels.speeds == pytest.approx((0.1, 0.1), abs=1e-3)
    assert red.leds.read()["led0"] == 0.5
    assert red.speaker.read() == (440, 0.2)


def test_command_without_wheels_keeps_the_wheel_speeds() -> None:
    arena = paddock.open(ONE)
    arena["red"].wheels.set(0.1, 0.1)
    arena.run(0.1, lambda _: paddock.Command(leds={"led0": 1}))
    assert arena["red"].wheels.speeds == pytest.approx((0.1, 0.1), abs=1e-3)


def test_tone_of_zero_amplitude_is_silence() -> None:
    arena = paddock.open(ONE)
    arena["red"].speaker.play(440)
    arena.run(0.1, lambda _: paddock.Command(tone=(0, 0)))
    assert arena["red"].speaker.read() == (0, 0)


@pytest.mark.parametrize("answer", [3, (0.1,), (0.1, 0.2, 0.3), (10**400, 0.1), (1j, 0.1)])
def test_invalid_controller_output_is_reported_with_its_robot(answer: Any) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        paddock.open(ONE).run(1.0, lambda _: answer)
    assert str(caught.value) == (
        f"the controller of 'red' returned {answer!r}: expected (left, right) in m/s, a Command, or None"
    )


@pytest.mark.parametrize("answer", ["go", ("0.1", "0.1"), ("fast", "slow"), {"left": 0.1, "right": 0.1}, (None, 0.1)])
def test_non_numeric_controller_output_is_reported_with_its_robot(answer: Any) -> None:
    with pytest.raises(paddock.PaddockError, match=r"the controller of 'red' returned .*: expected \(left, right\)"):
        paddock.open(ONE).run(1.0, lambda _: answer)


@pytest.mark.parametrize(
    "part", [{"wheels": "go"}, {"leds": 3}, {"pans": 3}, {"tone": 3}, {"tone": (440, "loud")}, {"tone": ()}]
)
def test_invalid_command_field_is_reported_with_its_robot(part: Any) -> None:
    with pytest.raises(paddock.PaddockError, match=r"the controller of 'red' returned Command\(.*: expected"):
        paddock.open(ONE).run(1.0, lambda _: paddock.Command(**part))


def test_column_vector_output_is_refused() -> None:
    with pytest.raises(
        paddock.PaddockError, match=r"the controller of 'red' returned array(.|\n)*: expected \(left, right\)"
    ):
        paddock.open(ONE).run(1.0, lambda _: np.array([[0.1], [0.1]]))
    with pytest.raises(paddock.PaddockError, match=r"red\.wheels\.set\(array.*\): expected two finite speeds in m/s"):
        paddock.open(ONE)["red"].wheels.set(np.array([0.1]), np.array([0.1]))  # type: ignore[arg-type]


def test_non_finite_controller_output_is_refused() -> None:
    with pytest.raises(paddock.PaddockError, match=r"red\.wheels\.set\(nan, 0\.1\): expected two finite speeds in m/s"):
        paddock.open(ONE).run(1.0, lambda _: (math.nan, 0.1))


def test_controller_output_may_be_an_array() -> None:
    arena = paddock.open(ONE)
    arena.run(1.0, lambda _: np.array([0.1, 0.1]))
    assert arena["red"].pose.x == pytest.approx(0.6, abs=0.002)


def test_controller_exception_propagates_unchanged() -> None:
    def broken(observation: paddock.Observation) -> None:
        raise RuntimeError("out of ideas")

    with pytest.raises(RuntimeError, match="out of ideas"):
        paddock.open(ONE).run(1.0, broken)


def test_controller_receives_the_enabled_devices_only() -> None:
    arena = paddock.open(ONE)
    arena["red"].enable("ground")
    seen: list[list[str]] = []
    arena.run(0.02, lambda observation: seen.append(list(observation)))
    assert seen == [["ground"]]


def test_compiled_and_python_policy_runs_are_bit_identical() -> None:
    results = []
    for controller in (explorer(), explorer().act):
        arena = paddock.open("clutter", seed=4)
        arena["red"].enable("proximity")
        arena.run(20.0, controller)
        results.append((arena.tick, arena.digest()))
    assert results[0] == results[1]


def test_policy_needs_its_device_enabled() -> None:
    arena = paddock.open("clutter")
    with pytest.raises(paddock.DeviceNotEnabled, match=r"red\.proximity is not enabled"):
        arena.run(1.0, explorer())


def test_policy_with_a_missing_device_is_refused() -> None:
    arena = paddock.open("clutter")
    arena["red"].enable()
    with pytest.raises(paddock.UnknownName, match="no device of red called 'sonars'"):
        arena.run(1.0, Braitenberg(left=(0,), right=(0,), device="sonars"))


# Reset, snapshot, restore, digest.


def driven(arena: paddock.Arena, seconds: float = 1.0) -> str:
    arena.run(seconds, dict.fromkeys(arena.robots, forward))
    return arena.digest()


def test_reset_repeats_the_same_run() -> None:
    arena = paddock.open(TWO, seed=3)
    start = arena.digest()
    end = driven(arena)
    arena["red"].leds.set("led0")
    arena["red"].speaker.play(440)
    arena.reset()
    assert arena.digest() == start
    assert (arena.tick, arena["red"].pose) == (0, (0.5, 0.5, 0.0))
    assert driven(arena) == end


def test_reset_with_a_seed_equals_opening_with_it() -> None:
    arena = paddock.open(TWO, seed=3)
    driven(arena)
    arena.reset(seed=8)
    assert arena.digest() == paddock.open(TWO, seed=8).digest()
    assert arena.digest() != paddock.open(TWO, seed=3).digest()
    arena.reset()
    assert arena.digest() == paddock.open(TWO, seed=8).digest()


def test_reset_keeps_devices_enabled_and_stops_the_wheels() -> None:
    arena = paddock.open(ONE)
    arena["red"].enable("ground")
    arena["red"].wheels.set(0.1, 0.1)
    arena.reset()
    arena.step(10)
    assert list(arena["red"].sense()) == ["ground"]
    assert arena["red"].pose == (0.5, 0.5, 0.0)


def test_handles_stay_valid_after_reset() -> None:
    arena = paddock.open(ONE)
    red = arena["red"]
    arena.step(5)
    arena.reset()
    red.wheels.set(0.1, 0.1)
    arena.step(50)
    assert red is arena["red"]
    assert red.pose.x == pytest.approx(0.6, abs=0.002)


def test_restored_snapshot_repeats_the_same_run() -> None:
    arena = paddock.open(TWO, seed=2)
    driven(arena)
    kept = arena.snapshot()
    moment = arena.digest()
    future = driven(arena)
    arena.restore(kept)
    assert arena.digest() == moment
    assert driven(arena) == future


def test_snapshot_is_independent_of_the_arena() -> None:
    arena = paddock.open(TWO)
    kept = arena.snapshot()
    driven(arena)
    arena.restore(kept)
    assert arena.digest() == paddock.open(TWO).digest()
    driven(arena)
    arena.restore(kept)
    assert arena.tick == 0


def test_snapshot_can_be_restored_in_another_arena_of_the_same_world() -> None:
    one, other = paddock.open(TWO, seed=2), paddock.open(TWO, seed=9)
    driven(one)
    other.restore(one.snapshot())
    assert other.digest() == one.digest()
    assert driven(other) == driven(one)


def test_snapshot_with_other_robots_is_refused() -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        paddock.open(ONE).restore(paddock.open(TWO).snapshot())
    assert str(caught.value) == "restore: this snapshot was taken in another world"


def test_snapshot_with_other_walls_is_refused() -> None:
    far = RobotPlacement(name="red", type="e-puck", at=(1.5, 1.5))
    boxed = paddock.WorldSpec(
        name="boxed", bounds=(0, 0, 2, 2), boxes=(Box(at=(0.5, 0.5), size=(0.5, 0.5)),), robots=(far,)
    )
    with pytest.raises(paddock.PaddockError, match="restore: this snapshot was taken in another world"):
        paddock.open(boxed).restore(paddock.open(ONE).snapshot())


def test_snapshot_with_another_tick_is_refused() -> None:
    with pytest.raises(paddock.PaddockError, match="restore: this snapshot was taken in another world"):
        paddock.open(ONE, dt=0.01).restore(paddock.open(ONE).snapshot())


def test_snapshot_can_be_pickled() -> None:
    arena = paddock.open(TWO)
    kept = pickle.loads(pickle.dumps(arena.snapshot()))
    arena.step(5)
    arena.restore(kept)
    assert arena.tick == 0


def test_invalid_snapshot_is_refused() -> None:
    arena = paddock.open(ONE)
    with pytest.raises(paddock.PaddockError, match="restore: expected a snapshot"):
        arena.restore(arena.digest())  # type: ignore[arg-type]


def test_digest_is_hexadecimal_and_unchanged_by_reading() -> None:
    arena = paddock.open(TWO)
    before = arena.digest()
    assert int(before, 16) >= 0
    arena["red"].enable()
    arena["red"].sense()
    _ = arena["red"].pose, arena.snapshot(), arena.poses
    assert arena.digest() == before


def test_digest_depends_on_commands_time_and_seed() -> None:
    arena = paddock.open(TWO)
    seen = {arena.digest(), paddock.open(TWO, seed=1).digest()}
    arena["red"].wheels.set(0.1, 0.1)
    seen.add(arena.digest())
    arena.step()
    seen.add(arena.digest())
    assert len(seen) == 4


def test_poses_are_a_copy() -> None:
    arena = paddock.open(TWO)
    arena.poses[:] = 99.0
    assert arena["red"].pose == (0.5, 0.5, 0.0)
    assert arena.poses.shape == (2, 3)


# Many robots.


@pytest.mark.heavy
def test_ten_thousand_robots_open_sense_and_drive() -> None:
    kind = load_robot("e-puck")
    robots = tuple(
        RobotPlacement(name=f"r{i}", type=kind, at=(0.1 + 0.1 * (i % 100), 0.1 + 0.1 * (i // 100)))
        for i in range(10_000)
    )
    arena = paddock.open(paddock.WorldSpec(name="crowd", bounds=(0, 0, 10.1, 10.1), robots=robots))
    assert len(arena.robots) == 10_000
    middle = arena["r5050"]
    middle.enable("proximity")
    assert middle.proximity.read().min() < 0.05
    arena.commands[:, :, :2] = 0.1
    arena.step(5)
    assert np.isfinite(arena.poses).all()
    assert arena["r5050"].pose.x > 5.1


def test_a_shipped_world_can_be_given_other_robots() -> None:
    world = load_world("clutter").with_robots(RobotPlacement(name="green", type="e-puck", at=(0.75, 0.9)))
    assert list(paddock.open(world).robots) == ["green"]


def test_concurrent_reads_do_not_change_the_simulation() -> None:
    def crowd() -> paddock.Arena:
        places = [(0.2 * (i % 12) + 0.2, 0.2 * (i // 12) + 0.2) for i in range(144)]
        robots = tuple(
            RobotPlacement(name=f"r{i}", type="e-puck", at=at, heading_deg=31 * i) for i, at in enumerate(places)
        )
        arena = paddock.open(WorldSpec(name="crowd", bounds=(0, 0, 2.8, 2.8), robots=robots), seed=4)
        for robot in arena.robots.values():
            robot.enable("proximity")
            robot.wheels.set(0.1, 0.08)
        return arena

    alone, watched = crowd(), crowd()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            watched["r70"].sense()

    reader = threading.Thread(target=read)
    reader.start()
    watched.step(500)
    done.set()
    reader.join()
    alone.step(500)
    assert watched.digest() == alone.digest()


def test_kernel_can_be_a_controller() -> None:
    @paddock.kernel
    def act(observation):  # type: ignore[no-untyped-def]
        return 0.05, 0.05

    with paddock.open("empty") as arena:
        arena.run(1.0, act)
        assert next(iter(arena.robots.values())).wheels.speeds == pytest.approx((0.05, 0.05), abs=1e-4)


def test_on_tick_is_called_after_each_tick_of_step_advance_and_run() -> None:
    with paddock.open("empty") as arena:
        ticks: list[int] = []
        end = arena.on_tick(lambda: ticks.append(arena.tick))
        arena.step(3)
        arena.advance(2)
        arena.run(2 * arena.dt)
        end()
        arena.step(5)
        assert ticks == [1, 2, 3, 4, 5, 6, 7]


def test_arguments_of_another_type_are_refused_with_what_is_expected() -> None:
    name: Any = []
    ticks: Any = np.array([1, 2])
    world: Any = "clutter"
    with paddock.open("clutter") as arena:
        with pytest.raises(paddock.SimulationError, match=r"spawn: expected the name of a robot, got \[\]"):
            arena.spawn(name, "e-puck")
        with pytest.raises(paddock.SimulationError, match="step: expected a whole number of ticks >= 0"):
            arena.step(ticks)
        with pytest.raises(paddock.SpecError, match=r"expected a WorldSpec, as .*load_world\(name\) returns it"):
            arena.change_world(world)
        arena.step(np.int64(1))  # type: ignore[arg-type]
        assert arena.tick == 1
    with pytest.raises(paddock.SimulationError, match=r"dt: expected seconds .* got True"):
        paddock.open("clutter", dt=True)


def test_an_index_on_a_device_is_answered_with_how_to_read_it() -> None:
    with paddock.open("clutter") as arena:
        device: Any = arena["red"].proximity
        with pytest.raises(
            paddock.PaddockError, match=r"red.proximity is a device, .*: use red.proximity.read\(\)\[0\]"
        ):
            _ = device[0]


def test_a_run_of_no_time_compiles_no_loop_and_has_the_trace_of_any_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr("paddock.arena.compiled_run.loop_for", refuse)
    with paddock.open("clutter") as arena:
        episode = arena.run(0, explorer())
        assert episode.ticks == 0
        assert len(episode.robots["red"].trace) == len(arena.run(0, lambda seen: None).robots["red"].trace)


def test_nearest_surface_is_found_from_a_point_and_from_a_body() -> None:
    boxes, ball = (Box(at=(1.0, 0.0), size=(0.2, 0.2), heading_deg=45),), Cylinder(at=(-1.0, 0.0), radius=0.3)
    arena, robot = alone(boxes=boxes, cylinders=(ball,))
    corner = 1.0 - math.hypot(0.1, 0.1)
    assert arena.find_nearest((0.5, 0.0)) == (pytest.approx(corner - 0.5), "boxes[0]")
    assert arena.find_nearest((-1.0, 0.1)) == (0.0, "cylinders[0] at [-1, 0]")
    assert arena.find_nearest((0.0, 1.5)) == (pytest.approx(0.5), "border")
    assert arena.find_nearest((0.06, 0.0)) == (pytest.approx(0.01), f"robot {robot.name!r}")
    assert arena.find_nearest(robot.name) == (pytest.approx(0.65), "cylinders[0] at [-1, 0]")
    with pytest.raises(paddock.SimulationError, match=r"find_nearest: expected a point \(x, y\) .*, got 3"):
        arena.find_nearest(3)  # type: ignore[arg-type]
    with pytest.raises(paddock.UnknownName, match="no robot called 'ona'"):
        arena.find_nearest("ona")
    empty = paddock.open(WorldSpec(name="empty", bounds=(0, 0, 1, 1), open=True))
    assert empty.find_nearest((0.5, 0.5)) is None
