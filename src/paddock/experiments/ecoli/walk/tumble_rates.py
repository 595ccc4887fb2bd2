"""Tumble rates of walkers by direction and position.

A walker without memory tumbles at a rate that depends on its position only. Such a dependence does not bias a walk: at
constant speed such walkers spread evenly (Schnitzer 1993). However, turns take time, which is spent where tumbles are
frequent. Both figures here therefore exclude turns: tumbles per second of running, and the positions while running.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import paddock
from paddock.experiments.ecoli.reaction_networks.reaction_spec import Floats
from paddock.experiments.ecoli.run_and_tumble import RunAndTumble
from paddock.experiments.ecoli.walk.network import find_lag
from paddock.experiments.ecoli.walk.population import (
    HALFWAY,
    NETWORK,
    find_centre,
    isolate_walker,
    make_walker,
    scatter_walkers,
)
from paddock.report.tables import Table
from paddock.simulation.worlds import WorldSpec

RING = 0.02  # [m] width of rings around the food; positions in a ring have about the same concentration
WALL_MARGIN = 0.08  # [m] minimum distance from walls at which turns count as tumbles
SLICE = 20.0  # [s] that are recorded tick by tick in one run
RESAMPLES = 2000
BACKGROUND, FOOD = 0.95, 0.05  # the network's input is BACKGROUND + FOOD · reading
LEVELS = (0.963, 0.973, 0.983)  # inputs that walkers without methylation are adapted to: at the dish's rim and nearer
TICK = 0.02  # [s]
MARGIN = 0.05  # ratios within 1 ± this count as unbiased


@dataclass(frozen=True, eq=False)
class TumbleCounts:
    """Running and tumbling of each walker in rings around the food; shape (walkers, rings)."""

    seconds_up: Floats  # of running towards the food
    seconds_down: Floats
    tumbles_up: Floats  # tumbles after runs towards the food
    tumbles_down: Floats

    @property
    def run_ratio(self) -> float:
        """Mean run up over mean run down, in seconds of running per tumble.

        Counting is tick by tick: runs across the peak count in both directions, and runs that end at a wall count with
        their duration.
        """
        up, down = self.seconds_up.sum() / self.tumbles_up.sum(), self.seconds_down.sum() / self.tumbles_down.sum()
        return float(up / down)

    @property
    def distances(self) -> Floats:
        """Mean distance of each walker from the food while running [m]."""
        seconds = self.seconds_up + self.seconds_down
        return np.asarray(seconds @ ((np.arange(seconds.shape[1]) + 0.5) * RING) / seconds.sum(axis=1))


@dataclass(frozen=True)
class Interval:
    """A ratio with its confidence interval of 95 %."""

    ratio: float
    low: float
    high: float

    def is_within(self, margin: float) -> bool:
        """Return whether the whole interval is within 1 ± margin."""
        return 1.0 - margin <= self.low and self.high <= 1.0 + margin

    def is_outside(self, margin: float) -> bool:
        """Return whether the whole interval is outside of 1 ± margin."""
        return self.high < 1.0 - margin or 1.0 + margin < self.low

    def __str__(self) -> str:
        return f"{self.ratio:.3f} ({self.low:.3f} … {self.high:.3f})"


def count_tumbles(
    walker: RunAndTumble,
    world: str | WorldSpec = "petri-dish",
    *,
    walkers: int = 100,
    seconds: float = 300.0,
    settle: float = 100.0,
    seed: int = 1,
    nose: str | float = "centre",
) -> TumbleCounts:
    """Run walkers, each alone in a world, and count tick by tick after a settling time."""
    scene = isolate_walker(world, nose=nose)
    batch = paddock.batch(scene, walkers, seed=seed, starts=scatter_walkers(scene, walkers, seed))
    policy = walker.copy()
    batch.run(settle, policy)
    x0, y0, x1, y1 = scene.bounds
    rings = int(np.hypot(x1 - x0, y1 - y0) / RING) + 1
    total = np.zeros((4, walkers, rings))
    for _ in range(round(seconds / SLICE)):
        places = batch.run(SLICE, policy, every=batch.dt, readings=False).trace[:, :, 0, :2]
        total += count_in_rings(places, find_centre(scene.fields[0]), scene.bounds, rings)
    return TumbleCounts(total[0] * batch.dt, total[1] * batch.dt, total[2], total[3])


def count_in_rings(
    positions: Floats, centre: tuple[float, float], bounds: tuple[float, float, float, float], rings: int
) -> Floats:
    """Count ticks of running up and down, and tumbles after them, from positions of shape (walkers, ticks, 2)."""
    steps = np.diff(positions, axis=1)
    runs = np.hypot(steps[..., 0], steps[..., 1]) > 1e-6
    away = np.hypot(positions[..., 0] - centre[0], positions[..., 1] - centre[1])
    up = np.diff(away, axis=1)[:, :-1] < 0.0
    low, high = np.array(bounds[:2]) + WALL_MARGIN, np.array(bounds[2:]) - WALL_MARGIN
    inside = np.all((positions > low) & (positions < high), axis=2)[:, 1:-1]
    run = runs[:, :-1] & inside
    tumble = run & ~runs[:, 1:]
    walkers = np.arange(len(positions))[:, None]
    cells = walkers * rings + (away[:, 1:-1] / RING).astype(int)
    return np.stack(
        [
            np.bincount(cells[chosen], minlength=len(positions) * rings).reshape(len(positions), rings)
            for chosen in (run & up, run & ~up, tumble & up, tumble & ~up)
        ]
    ).astype(float)


def pool_counts(counts: Sequence[TumbleCounts]) -> TumbleCounts:
    """Combine several populations."""
    parts = ("seconds_up", "seconds_down", "tumbles_up", "tumbles_down")
    return TumbleCounts(*(np.concatenate([getattr(count, part) for count in counts]) for part in parts))


def compare_rates(counts: TumbleCounts, *, seed: int = 0) -> Interval:
    """Return the ratio of tumble rates down and up the gradient at equal concentrations (Mantel and Haenszel)."""

    def ratio(weights: Floats) -> Floats:
        up, down, tumbles_up, tumbles_down = (
            weights @ part for part in (counts.seconds_up, counts.seconds_down, counts.tumbles_up, counts.tumbles_down)
        )
        both = np.maximum(up + down, 1e-9)
        with np.errstate(divide="ignore", invalid="ignore"):  # few walkers may have no tumble while running up
            return np.asarray((tumbles_down * up / both).sum(axis=-1) / (tumbles_up * down / both).sum(axis=-1))

    walkers = len(counts.seconds_up)
    return _interval(ratio(np.ones(walkers)), ratio(resample(walkers, seed)))


def compare_distances(counts: TumbleCounts, unbiased: TumbleCounts, *, seed: int = 0) -> Interval:
    """Return the mean distance from the food while running, over that of walkers without a sensor."""
    ours, theirs = counts.distances, unbiased.distances
    drawn = resample(len(ours), seed) @ ours / (resample(len(theirs), seed + 1) @ theirs) * len(theirs) / len(ours)
    return _interval(ours.mean() / theirs.mean(), drawn)


def resample(walkers: int, seed: int) -> Floats:
    """Draw how often each walker is in each bootstrap sample, shape (samples, walkers)."""
    return np.random.default_rng(seed).multinomial(walkers, np.full(walkers, 1.0 / walkers), RESAMPLES).astype(float)


def _interval(ratio: Floats | float, samples: Floats) -> Interval:
    return Interval(float(ratio), *map(float, np.quantile(samples, (0.025, 0.975))))


class MethylationTrial(NamedTuple):
    """A kind of walker in the dish with a background."""

    walker: str
    level: float | None = None  # input at whose adapted value the methylation is held
    nose: str | float = "balanced"  # "balanced": where lag and lead cancel; otherwise see `isolate_walker`

    def __str__(self) -> str:
        held = "" if self.level is None else f" at {self.level:g}"
        return f"{self.walker}{held}, nose {self.nose}"


UNBIASED, INTACT = MethylationTrial("none"), MethylationTrial("normal")
HELD = tuple(MethylationTrial("no-methylation", level) for level in LEVELS)
TRIALS = (
    UNBIASED,
    INTACT,
    *HELD,
    *(MethylationTrial("no-methylation", LEVELS[1], nose) for nose in ("centre", "front")),
)


class MethylationResults(NamedTuple):
    """The counts of each trial and seed."""

    counts: Mapping[MethylationTrial, Sequence[TumbleCounts]]
    lead: float  # [m] of the balanced nose

    def compare_rates(self, trial: MethylationTrial) -> Interval:
        """Return the ratio of tumble rates down and up, at equal concentrations, for all seeds together."""
        return compare_rates(pool_counts(self.counts[trial]))

    def compare_distances(self, trial: MethylationTrial) -> Interval:
        """Return the distance from the food while running over that of unbiased walkers, for all seeds together."""
        return compare_distances(pool_counts(self.counts[trial]), pool_counts(self.counts[UNBIASED]))

    @property
    def table(self) -> Table:
        """Table of all trials."""
        heads = ("walker", "tumble rate down over up (95 %)", "of each seed", "distance over unbiased (95 %)")
        rows = [
            (
                str(trial),
                str(self.compare_rates(trial)),
                ", ".join(f"{compare_rates(count).ratio:.3f}" for count in counts),
                str(self.compare_distances(trial)),
            )
            for trial, counts in self.counts.items()
        ]
        return Table(heads, tuple(rows), f"while running; the balanced nose is {1000 * self.lead:.0f} mm ahead")


@functools.cache
def find_balanced_lead() -> float:
    """Return the lead of the nose that compensates the lag of the network [m]; decisions are half a tick early."""
    return RunAndTumble.speed * (find_lag(NETWORK) - TICK / 2.0)


def try_methylation(
    trial: MethylationTrial, lead: float, *, walkers: int = 100, seconds: float = 300.0, seed: int = 1
) -> TumbleCounts:
    """Count the tumbles of walkers of a trial."""
    walker = make_walker(trial.walker, level=trial.level or HALFWAY, scale=FOOD, floor=BACKGROUND)
    nose = lead if trial.nose == "balanced" else trial.nose
    return count_tumbles(walker, walkers=walkers, seconds=seconds, seed=seed, nose=nose)
