"""Tests of batches: every world is bit-identical to an arena with its seed, and metrics are correct."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paddock
from paddock.arena.batches.threads import run_in_threads
from paddock.arena.metrics import Avoidance, Closeness, ContactTime, Coverage, Distance, Goal, Line, PathProgress
from paddock.control.policies.braitenberg import Braitenberg, explorer
from paddock.control.policies.networks import Network
from paddock.control.policies.policy import Input, nearness
from paddock.simulation.engine.state import FORWARD, TURN
from paddock.simulation.sensors.encoders import EncodersSpec
from paddock.simulation.sensors.inertial import InertialSpec
from paddock.simulation.sensors.laser import LaserSpec
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.worlds.world_spec import Box, Cylinder, RobotPlacement, WorldSpec
from scenes import crate, puck, world

RING = tuple((0.0, 0.0, 0.03, heading) for heading in (-15, -45, -90, -150, 150, 90, 45, 15))
SENSORS = (
    ProximitySpec(name="proximity", mounts=RING, range=0.3, aperture_deg=6, rays=3, noise=0.002, delay=0.04),
    EncodersSpec(name="encoders", scale=1000, resolution=1),
    LaserSpec(name="laser", range=2.0, fov_deg=90, beams=5, noise=0.01, period=0.1),
    InertialSpec(name="inertial"),
)
AVOID = Braitenberg(
    left=(-0.9, -0.6, 0, 0, 0, 0.5, 0.6, -0.9), right=(0.4, 0.6, 0.5, 0, 0, 0, -0.6, 0.4), speed=(0.4, 0.4), range=0.3
)


def crowded(box: float = 0.0) -> WorldSpec:
    """Return a small room with four noisy robots of two kinds."""
    kind = puck(*SENSORS, slip_noise=0.05)
    robots = [RobotPlacement(name=f"r{i}", type=kind, at=(-0.5 + 0.4 * i, -0.4), heading_deg=70 * i) for i in range(3)]
    robots.append(RobotPlacement(name="box", type=crate(*SENSORS, slip_noise=0.05), at=(0.5, 0.5), heading_deg=200))
    return world(
        *robots,
        bounds=(-0.8, -0.8, 0.8, 0.8),
        boxes=(Box(at=(box, 0.1), size=(0.2, 0.1), heading_deg=20),),
        cylinders=(Cylinder(at=(-0.5, 0.5), radius=0.1),),
    )


def recurrent(individuals: int = 1) -> Network:
    net = Network(
        inputs=(nearness("proximity", 8, range=0.3), Input(device="encoders", values=2, gain=50, change=True)),
        hidden=(6, 4),
        recurrent=True,
        speed=0.6,
    )
    return net.with_weights(net.random(individuals, seed=3, spread=2.0))


def drivers(net: Network | None = None) -> dict[str, Any]:
    return {"r0": AVOID, "r1": net or recurrent(), "box": AVOID}  # nobody drives r2


def alone(spec: WorldSpec, seed: int, seconds: float, controllers: dict[str, Any]) -> paddock.Arena:
    arena = paddock.open(spec, seed=seed)
    for robot in arena.robots.values():
        robot.enable("proximity", "encoders")
    arena.run(seconds, controllers)
    return arena


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_every_world_is_bit_identical_to_an_arena_with_its_seed(threads: int) -> None:
    batch = paddock.batch(crowded(), 5, seed=11, threads=threads)
    batch.run(4.0, drivers())
    digests = [alone(crowded(), 11 + i, 4.0, drivers()).digest() for i in range(5)]
    assert [batch.digest(i) for i in range(5)] == digests
    assert len(set(digests)) == 5


def test_consecutive_runs_add_up_and_reset_restarts() -> None:
    batch = paddock.batch(crowded(), 3, seed=2)
    pair = {"r0": AVOID, "r1": recurrent()}
    batch.run(1.0, pair)
    batch.run(1.5, pair)
    halves = [batch.digest(i) for i in range(3)]
    batch.reset()
    batch.run(2.5, pair)
    assert [batch.digest(i) for i in range(3)] == halves
    batch.reset(seed=[7, 7, 8])
    assert batch.seeds.tolist() == [7, 7, 8]
    batch.run(2.5, pair)
    assert batch.digest(0) == batch.digest(1) == alone(crowded(), 7, 2.5, {"r0": AVOID, "r1": recurrent()}).digest()


def test_random_starts_are_deterministic_per_seed() -> None:
    anywhere = paddock.batch(crowded(), 3, seed=[5, 6, 5], starts="anywhere")
    poses = anywhere.poses
    assert np.array_equal(poses[0], poses[2])
    assert not np.array_equal(poses[0], poses[1])
    arenas = [anywhere.arena(i) for i in range(3)]
    anywhere.run(1.0, drivers())
    for i, arena in enumerate(arenas):
        for robot in arena.robots.values():
            robot.enable("proximity", "encoders")
        arena.run(1.0, drivers())
        assert arena.digest() == anywhere.digest(i)
    as_told = paddock.batch(crowded(), 3, seed=[5, 6, 5], starts=poses)
    as_told.run(1.0, drivers())
    assert [as_told.digest(i) for i in range(3)] == [anywhere.digest(i) for i in range(3)]
    anywhere.reset(seed=[6, 6, 6])
    assert np.array_equal(anywhere.poses, poses[[1, 1, 1]])


def test_given_start_equals_teleport_in_an_arena() -> None:
    batch = paddock.batch("clutter", 2, seed=3, starts=[(0.7, 0.75, 1.0), (0.8, 0.75, -1.0 + 2 * math.pi)])
    batch.run(2.0, explorer())
    with paddock.open("clutter", seed=4) as arena:
        arena["red"].set_pose(0.8, 0.75, -1.0 + 2 * math.pi)
        arena["red"].enable("proximity")
        arena.run(2.0, explorer())
        assert arena.digest() == batch.digest(1)


def test_new_policy_starts_with_empty_memory() -> None:
    batch = paddock.batch(crowded(), 1, seed=2)
    batch.run(1.0, {"r1": recurrent()})
    batch.run(1.0, {"r1": recurrent()})  # the same numbers, but new
    arena = alone(crowded(), 2, 1.0, {"r1": recurrent()})
    arena.run(1.0, {"r1": recurrent()})
    assert batch.digest(0) == arena.digest()


def test_scenes_alternate_and_individuals_run_in_all_of_them() -> None:
    scenes = [crowded(0.0), crowded(0.2)]
    net = recurrent(3)
    batch = paddock.batch(scenes, 6, seed=[4] * 6)
    batch.run(2.0, drivers(net))
    for i in range(6):
        one = net.with_weights(net.weights[i // 2])
        assert batch.digest(i) == alone(scenes[i % 2], 4, 2.0, drivers(one)).digest()


def test_sliced_runs_are_bit_identical(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = paddock.batch(crowded(), 3, seed=1)
    whole.run(2.0, drivers())
    monkeypatch.setattr("paddock.arena.batches.batch.SLICE", 28)
    monkeypatch.setattr("paddock.arena.batches.batch.JOB", 1)
    sliced = paddock.batch(crowded(), 3, seed=1)
    sliced.run(2.0, drivers())
    assert [whole.digest(i) for i in range(3)] == [sliced.digest(i) for i in range(3)]


def test_world_of_a_batch_continues_as_an_arena() -> None:
    batch = paddock.batch("clutter", 2, seed=9)
    batch.run(2.0, explorer())
    arena = batch.arena(1)
    assert (arena.digest(), arena.tick, arena.seed) == (batch.digest(1), 100, 10)
    arena["red"].enable("proximity")
    arena.run(2.0, explorer())
    batch.run(2.0, explorer())
    assert arena.digest() == batch.digest(1)


def watched(spec: Any, seed: int, ticks: int, controller: Any) -> tuple[list[Any], ...]:
    """Return poses, contacts, readings and speeds of a single robot in every tick of an arena."""
    arena = paddock.open(spec, seed=seed)
    (robot,) = arena.robots.values()
    robot.enable("proximity", "ground")
    poses, contacts, seen, speeds = [robot.pose], [], [], []
    for _ in range(ticks):
        seen.append((robot.proximity.read(), robot.ground.read(), robot.wheels.speeds))
        arena.run(arena.dt, controller)
        poses.append(robot.pose)
        contacts.append(bool(robot.contacts))
        speeds.append(arena.motion[0, FORWARD : TURN + 1].tolist())
    return poses, contacts, seen, speeds


WAY = np.array([(0.75, 0.9), (0.75, 1.4), (0.2, 1.4)])


def farthest(at: np.ndarray) -> float:
    """Return the largest distance along the path among the nearest path points."""
    fine = np.vstack([WAY[0] + (WAY[1] - WAY[0]) * t for t in np.linspace(0, 1, 5001)])
    fine = np.vstack([fine, *(WAY[1] + (WAY[2] - WAY[1]) * t for t in np.linspace(0, 1, 5501)[1:])])
    nearest = [np.hypot(*(fine - one).T).argmin() for one in at]
    return max(nearest) * 1e-4


BLIND = Braitenberg(left=(0.0,) * 8, right=(0.0,) * 8, speed=(0.12, 0.11))


def test_metrics_match_values_computed_from_an_arena() -> None:
    ticks = 400
    metrics = [
        Distance(), ContactTime(), Goal(at=(0.3, 1.0), radius=0.01), PathProgress(points=WAY),
        Coverage(cell=0.1), Closeness(), Avoidance(speed=0.12), Line(dark=1.1),
    ]  # fmt: skip
    batch = paddock.batch("clutter", 2, seed=3)
    out = batch.run(ticks * batch.dt, BLIND, metrics=metrics, every=0.1)
    assert out.ticks.tolist() == [ticks, ticks]
    for i in range(2):
        poses, contacts, seen, speeds = watched("clutter", 3 + i, ticks, BLIND)
        at = np.array(poses)[:, :2]
        _, turn = np.array(speeds).T
        near = np.array([1 - np.minimum(1, p / 0.07) for p, _, _ in seen])
        v = np.abs([wheels for _, _, wheels in seen]) / 0.12
        away = np.hypot(*(at[1:] - (0.3, 1.0)).T)
        starts = sum(now and not before for before, now in zip([False, *contacts], contacts, strict=False))
        cells = {(int(x / 0.1), int(y / 0.1)) for x, y in at[1:]}
        dark = np.array([np.maximum(0, 1.1 - ground) for _, ground, _ in seen])
        offset = np.abs(dark @ (-1, 0, 1)) / dark.sum(axis=1)
        results = {name: values[i, 0] for name, values in out.metrics.items()}
        assert 0 < sum(contacts) < ticks
        way = np.hypot(*np.diff(at, axis=0).T)
        backwards = np.array([sum(wheels) < 0 for _, _, wheels in seen[1:]] + [False])
        assert results["distance"] == pytest.approx(way.sum())
        assert results["mean_speed"] == pytest.approx(np.where(backwards, -way, way).mean() / batch.dt)
        assert results["turned"] == pytest.approx(np.abs(turn).sum() * batch.dt)
        assert results["along"] == pytest.approx(farthest(at[1:]), abs=2e-4)
        assert results["contact_time"] == pytest.approx(sum(contacts) * batch.dt)
        assert results["contacts"] == starts
        assert results["goal_distance"] == pytest.approx(away[-1])
        assert results["goal_nearest"] == pytest.approx(away.min())
        assert results["goal_progress"] == pytest.approx(math.hypot(0.45, 0.1) - away.min())
        assert math.isnan(results["goal_time"])
        assert results["visited"] == len(cells)
        assert results["nearness"] == pytest.approx(near.max(axis=1).mean())
        assert results["mean_nearness"] == pytest.approx(near.mean())
        swift = v.mean(axis=1) * (1 - np.sqrt(0.5 * abs(v[:, 0] - v[:, 1]))) * (1 - near.max(axis=1))
        assert results["avoidance"] == pytest.approx(swift.mean())
        assert results["on_line"] == 1.0
        assert results["off_centre"] == pytest.approx(offset.mean())
        assert np.array_equal(out.trace[i, :, 0], np.array(poses)[::5])
        assert np.array_equal(out.poses[i, 0], poses[-1])


STRAIGHT = Braitenberg(left=(0.0,) * 8, right=(0.0,) * 8, speed=(0.1, 0.1))


@settings(max_examples=20)
@given(st.lists(st.integers(1, 150), min_size=1, max_size=4), st.integers(0, 2**40))
def test_world_stops_in_the_tick_of_reaching_its_goal(needed: list[int], seed: int) -> None:
    empty = world(RobotPlacement(name="red", type=puck(*SENSORS), at=(0.0, 0.0), noise=False))
    batch = paddock.batch([empty] * len(needed), seed=seed)
    edges = [0.1 * batch.dt * (ticks - 0.5) for ticks in needed]
    goal = Goal(at=[(edge + 0.3, 0.0) for edge in edges], radius=0.3)
    out = batch.run(4.0, STRAIGHT, metrics=[goal, Distance()], every=batch.dt)
    assert out.ticks.tolist() == needed == batch.ticks.tolist()
    assert out["goal_time"][:, 0] == pytest.approx(np.array(needed) * batch.dt)
    assert out["distance"][:, 0] == pytest.approx(np.array(needed) * batch.dt * 0.1)
    assert [int(np.isfinite(row[:, 0, 0]).sum()) for row in out.trace] == [ticks + 1 for ticks in needed]


def test_world_continues_until_all_robots_reach_all_goals() -> None:
    kind = puck(*SENSORS)
    robots = [RobotPlacement(name=f"r{i}", type=kind, at=(-1 + 0.3 * i, 0.5 * i), noise=False) for i in range(2)]
    batch = paddock.batch(world(*robots), 1)
    still = Braitenberg(left=(0.0,) * 8, right=(0.0,) * 8, speed=(0.2, 0.2))
    goals = [Goal(at=(0.0, 0.0), radius=0.05, robot="r0"), Goal(at=(0.0, 0.5), radius=0.05, robot="r1", name="other")]
    out = batch.run(60.0, {"r0": still, "r1": still}, metrics=goals)
    assert out["goal_time"][0, 0] == pytest.approx(0.95 / 0.2, abs=0.03)
    assert out["other_time"][0, 1] == pytest.approx(0.65 / 0.2, abs=0.03)
    assert np.isnan(out["goal_time"][0, 1])
    assert out.ticks[0] * batch.dt == pytest.approx(0.95 / 0.2, abs=0.03)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paddock.batch("clutter", 0), "n: expected a whole number of worlds >= 1"),
        (lambda: paddock.batch(["clutter", "clutter"], 3), "a multiple of 2 scenes"),
        (lambda: paddock.batch([]), "at least one world"),
        (lambda: paddock.batch(7), "batch: expected a world's name"),
        (lambda: paddock.batch("clutter", 2, seed=[1]), "expected a whole number, or 2 of them, got 1"),
        (lambda: paddock.batch("clutter", 2, seed=-1), "seed: expected a whole number from 0"),
        (lambda: paddock.batch("clutter", 2, seed=2**63 - 1), "seed: expected at most"),
        (lambda: paddock.batch("clutter", 2, threads=0), "threads: expected a whole number >= 1"),
        (lambda: paddock.batch(["clutter", crowded()]), "world 1 (test) has other robots than world 0"),
        (lambda: paddock.batch("clutter", 2).digest(2), "world: expected a whole number from 0 to 1, got 2"),
        (lambda: paddock.batch("clutter", 2).run(-1, explorer()), "seconds: expected seconds >= 0, got -1"),
        (lambda: paddock.batch("clutter", 2).run(1, lambda seen: (0, 0)), "is not a policy"),
        (lambda: paddock.batch("clutter", 2).run(1, {"rde": explorer()}), "did you mean 'red'?"),
        (lambda: paddock.batch(crowded(), 2).run(1, AVOID), "there are 4 robots"),
        (lambda: paddock.batch("clutter", 2).run(1, explorer(), metrics=[3]), "metrics[0]: expected a metric"),
        (lambda: paddock.batch("clutter", 2).run(1, explorer(), metrics=[Distance(), Distance()]), "called 'distance'"),
        (lambda: paddock.batch("clutter", 2).run(1, explorer(), metrics=[Line(device="camera")]), "is a camera"),
        (lambda: paddock.batch("clutter", 2).run(1, explorer(), metrics=[Coverage(cell=1e-4)]), "a larger cell"),
        (lambda: paddock.batch("clutter", 4).run(1, recurrent(3)), "3 individuals for 4 worlds"),
        (lambda: Goal(at=(0, 0), radius=0), "Goal: radius: expected metres > 0, got 0"),
        (lambda: Goal(at=(0, math.nan)), "Goal: at: expected [x, y] in metres"),
        (lambda: PathProgress(points=[(0, 0)]), "expected at least 2 points, got 1"),
        (lambda: PathProgress(points=[(0, 0), (1, 0)], width=math.nan), "PathProgress: width: expected metres > 0"),
        (lambda: Line(dark=math.nan), "Line: dark: expected a reading > 0, got nan"),
        (lambda: paddock.batch("clutter", 2, starts="everywhere"), "no start rule called 'everywhere'"),
        (lambda: paddock.batch("clutter", 2, starts=[(0, 0, 0)]), "or poses of shape (2, 1, 3), got (1, 3)"),
        (lambda: paddock.batch("clutter", 1, starts=[("a", "b", "c")]), "starts: expected numbers"),
        (lambda: paddock.batch("clutter", 1, starts=[(9, 9, 0)]), "starts: world 0: robot 'red' sticks"),
        (lambda: paddock.batch("clutter", 1, starts=[(math.nan, 1, 0)]), "those of world 0 are not finite"),
        (lambda: paddock.batch("clutter", 1, starts=[(1, 1, math.inf)]), "those of world 0 are not finite"),
        (lambda: paddock.batch("clutter", 2, starts=[(0, 0), (1, 1, 0)]), "starts: expected numbers"),
        (lambda: paddock.batch("clutter", 2).run(0.1, explorer()).reason(2), "from 0 to 1, got 2"),
        (lambda: paddock.batch("clutter", 2).run(1e300, explorer(), every=0.1), "run, choose a larger every"),
        (lambda: memory_of_several(), "memory: 2 robots are driven: name one of r0, r1"),
        (lambda: Braitenberg(left=0.1, right=0.1), "Braitenberg: left: expected a tuple of numbers, got 0.1"),  # type: ignore[arg-type]
        (lambda: paddock.batch("clutter", 2, threads=True), "threads: expected a whole number >= 1"),
        (lambda: paddock.batch("clutter", 2).run(1, explorer(), every=0), "every: expected seconds > 0"),
        (lambda: paddock.batch("clutter", 2).run(1, explorer(), metrics=[Goal(at=[(0, 0), (1, 0)])]),
         "Goal: made for 2 scenes, but there are 1"),
    ],
)  # fmt: skip
def test_invalid_arguments_are_refused_by_name(call: Any, message: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        call()
    assert message in str(caught.value)


def memory_of_several() -> Any:
    batch = paddock.batch(crowded(), 2)
    batch.run(0.1, {"r0": explorer(), "r1": explorer()})
    return batch.memory()


def test_unknown_metric_is_refused_by_name() -> None:
    out = paddock.batch("clutter", 2).run(0.1, explorer(), metrics=[Distance()])
    assert repr(out) == "<BatchResult of 2 worlds: distance, mean_speed, turned>"
    with pytest.raises(paddock.UnknownName, match="no metric called 'distanze'"):
        out["distanze"]


def test_all_jobs_run_once_and_errors_are_raised() -> None:
    done: list[int] = []
    run_in_threads(range(50), lambda thread, job: done.append(job), 3)
    assert sorted(done) == list(range(50))

    def fail(thread: int, job: int) -> None:
        if job == 3:
            raise ValueError("three")

    with pytest.raises(ValueError, match="three"):
        run_in_threads(range(50), fail, 3)


def test_interrupt_waits_for_running_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, waited_again, done = threading.Event(), threading.Event(), []
    really_join, joins = threading.Thread.join, []

    def join(thread: threading.Thread) -> None:
        joins.append(thread)
        if len(joins) == 1:
            raise KeyboardInterrupt
        waited_again.set()
        really_join(thread)

    def work(thread: int, job: int) -> None:
        if thread == 0:
            begun.wait()
            return
        begun.set()
        waited_again.wait(60)  # a kernel cannot be interrupted
        done.append(job)

    monkeypatch.setattr(threading.Thread, "join", join)
    with pytest.raises(KeyboardInterrupt):
        run_in_threads(range(2), work, 2)
    assert len(done) == 1
