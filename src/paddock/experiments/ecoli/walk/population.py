"""Populations of walkers, each alone in its own dish: attraction, repulsion, and run lengths."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

import paddock
from paddock.arena.metrics import MeanDistance, MeanReading
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose
from paddock.experiments.ecoli.reaction_networks.reaction_spec import Floats
from paddock.experiments.ecoli.run_and_tumble import RunAndTumble, RunTally
from paddock.experiments.ecoli.walk.network import AnyNetwork, hold_methylation
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import WorldSpec, load_world
from paddock.simulation.worlds.placement import Room, robot_types
from paddock.simulation.worlds.world_spec import Field

NOSE = "nose"
NETWORK = "ecoli-chemotaxis-n6"  # default network of walkers, as in RunAndTumble
HALFWAY = 0.5  # the concentration that walkers without methylation are adapted to
WALKERS = ("normal", "none", "inverted", "no-methylation")


def find_mann_whitney_p(first: ArrayLike, second: ArrayLike) -> float:
    """Return the two-sided p-value of the Mann-Whitney U test of two samples.

    It uses the normal approximation with correction for ties and continuity, for more than about 10 values each.
    """
    a, b = np.asarray(first, float).ravel(), np.asarray(second, float).ravel()
    values = np.concatenate([a, b])
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[places]
    n, m = len(a), len(b)
    u = float(ranks[:n].sum() - n * (n + 1) / 2.0)
    ties = float((counts**3 - counts).sum()) / ((n + m) * (n + m - 1))
    spread = math.sqrt(n * m / 12.0 * (n + m + 1 - ties))
    if spread == 0:
        return 1.0
    return math.erfc(max(0.0, abs(u - n * m / 2.0) - 0.5) / spread / math.sqrt(2.0))


def make_walker(
    kind: str = "normal",
    *,
    network: AnyNetwork = NETWORK,
    level: float = HALFWAY,
    scale: float = 1.0,
    floor: float = 0.02,
) -> RunAndTumble:
    """Create a walker with a normal sensor, without a sensor, with an inverted sensor, or without adaptation.

    `level` is the input that a walker without methylation is adapted to. The input is scale · reading + floor.
    """
    if kind not in WALKERS:
        raise UnknownName("kind of walker", kind, WALKERS)
    if kind != "no-methylation":
        return RunAndTumble(network=network, sensing=kind, scale=scale, floor=floor)
    return RunAndTumble(network=hold_methylation(network, level), scale=scale, floor=floor)


def scatter_walkers(dish: WorldSpec, walkers: int, seed: int) -> Floats:
    """Return a random free pose for each walker, in a dish of its own; shape (walkers, 1, 3)."""
    room, (kind,) = Room(dish), robot_types(dish)
    x0, y0, x1, y1 = dish.bounds
    poses = np.empty((walkers, 1, 3))
    for number in range(walkers):
        rng, free = np.random.default_rng(seed + number), False
        while not free:
            poses[number, 0] = rng.uniform(x0, x1), rng.uniform(y0, y1), rng.uniform(-math.pi, math.pi)
            free = not room.problem(kind, Pose(*poses[number, 0].tolist()))
    return poses


def isolate_walker(world: str | WorldSpec = "petri-dish", *, nose: str | float = "front") -> WorldSpec:
    """Return a dish with one robot. `nose`: "front" (as shipped), "centre" (between the wheels), or metres ahead.

    A nose in front of the wheels has a higher reading if the robot points up the gradient. This alone makes runs up
    longer, without any adaptation. A cell, whose runs are many times its length, does not have this effect.
    """
    spec = load_world(world) if isinstance(world, str) else world
    if not spec.fields:
        raise PaddockError(f"{spec.name}: a walker needs a field to sense: add one, [[fields]]")
    robot = spec.robots[0]
    if nose == "front":
        return replace(spec, robots=(robot,))
    if isinstance(nose, str) and nose != "centre":
        raise UnknownName("position of a nose", nose, ("centre", "front"))
    ahead = 0.0 if isinstance(nose, str) else float(nose)
    kind = load_robot(robot.type) if isinstance(robot.type, str) else robot.type
    sensors = tuple(
        replace(sensor, mounts=((ahead, 0.0, 0.03, 0.0),)) if sensor.name == NOSE else sensor for sensor in kind.sensors
    )
    return replace(spec, robots=(replace(robot, type=replace(kind, sensors=sensors)),))


@dataclass(frozen=True, eq=False)
class Population:
    """The result of a population, in the second half of its time; shape (walkers) unless noted otherwise."""

    concentration: Floats  # mean concentration of each walker
    distance: Floats  # mean distance from the field's centre [m]
    runs: RunTally  # of the whole time
    times: Floats  # of the rows below [s], shape (rows)
    positions: Floats  # x, y [m], shape (walkers, rows, 2)

    @property
    def run_up(self) -> float:
        """Mean duration of runs up the gradient [s]."""
        return mean_run(self.runs.seconds_up, self.runs.runs_up)

    @property
    def run_down(self) -> float:
        """Mean duration of runs down the gradient [s]."""
        return mean_run(self.runs.seconds_down, self.runs.runs_down)

    @property
    def begun_run_ratio(self) -> float:
        """Mean duration of runs that started upwards over that of runs that started downwards."""
        runs = self.runs
        return mean_run(runs.begun_seconds_up, runs.begun_up) / mean_run(runs.begun_seconds_down, runs.begun_down)


def mean_run(seconds: Floats, runs: Floats) -> float:
    """Return the mean duration of the runs of all walkers [s]; NaN without runs."""
    return float(seconds.sum() / runs.sum()) if runs.any() else math.nan


def run_population(
    walker: RunAndTumble | str = "normal",
    world: str | WorldSpec = "petri-dish",
    *,
    walkers: int = 100,
    seconds: float = 600.0,
    seed: int = 1,
    every: float | None = None,
    nose: str | float = "front",
    device: str = "cpu",
    precision: str = "float64",
) -> Population:
    """Run walkers, each alone in a world, from random positions.

    Args:
        walker: the policy, or a kind of `make_walker`.
        world: a world with a field.
        walkers: number of walkers.
        seconds: duration; the figures are those of the second half.
        seed: seed of the first world.
        every: seconds between two rows of `places`; None: none.
        nose: see `isolate_walker`.
        device: "cpu" or "cuda".
        precision: "float64", or on "cuda" also "float32".
    """
    scene = isolate_walker(world, nose=nose)
    batch = paddock.batch(
        scene, walkers, seed=seed, starts=scatter_walkers(scene, walkers, seed), device=device, precision=precision
    )
    policy = make_walker(walker) if isinstance(walker, str) else walker.copy()
    metrics = [MeanReading(device=policy.sensor), MeanDistance(at=find_centre(scene.fields[0]))]
    first = batch.run(seconds / 2, policy, every=every, readings=False)
    second = batch.run(seconds / 2, policy, metrics=metrics, every=every, readings=False)
    rows = [first.trace[:, :, 0, :2], second.trace[:, 1:, 0, :2]] if every is not None else []
    places = np.concatenate(rows, axis=1) if rows else np.empty((walkers, 0, 2))
    return Population(
        concentration=second.metrics["mean_reading"][:, 0],
        distance=second.metrics["mean_distance"][:, 0],
        runs=policy.tally(batch.memory()),
        times=np.arange(places.shape[1], dtype=np.float64) * (every or 0.0),
        positions=places,
    )


def find_centre(field: Field) -> tuple[float, float]:
    """Return the centre of a field, where it is strongest."""
    if field.at is None:
        raise PaddockError(f"field {field.name!r}: expected one with a centre, radial or gaussian")
    return field.at


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Comparison of a population with an unbiased one, which has no sensor."""

    concentration: float  # mean
    unbiased_concentration: float
    distance: float  # mean [m]
    unbiased_distance: float
    p: float  # p-value of equal concentrations (Mann and Whitney)
    run_up: float  # mean duration of runs up the gradient [s]
    run_down: float
    begun_run_ratio: float  # runs that started upwards relative to runs that started downwards

    @property
    def gain(self) -> float:
        """Concentration relative to that of the unbiased population."""
        return self.concentration / self.unbiased_concentration

    @property
    def approach(self) -> float:
        """Distance from the centre relative to that of the unbiased population."""
        return self.distance / self.unbiased_distance

    @property
    def run_ratio(self) -> float:
        """Duration of runs up relative to runs down the gradient."""
        return self.run_up / self.run_down


def compare_populations(biased: Population, unbiased: Population) -> Comparison:
    """Compare two populations."""
    return Comparison(
        concentration=float(biased.concentration.mean()),
        unbiased_concentration=float(unbiased.concentration.mean()),
        distance=float(biased.distance.mean()),
        unbiased_distance=float(unbiased.distance.mean()),
        p=find_mann_whitney_p(biased.concentration, unbiased.concentration),
        run_up=biased.run_up,
        run_down=biased.run_down,
        begun_run_ratio=biased.begun_run_ratio,
    )
