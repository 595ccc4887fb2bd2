"""The bias of the walk without methylation, which is zero if two smaller effects are eliminated.

- Far from the concentration that it is adapted to, a network without methylation is saturated: walkers tumble
  permanently, or never. Therefore the dish has a background here, and its food is a few percent of it.
- The network has a lag, so a walker tumbles according to an earlier position. A nose in front makes it tumble according
  to a later position. The nose is mounted where both cancel: as far ahead as a run leads within the lag.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from paddock.experiments.ecoli.run_and_tumble import RunAndTumble
from paddock.experiments.ecoli.walk.network import find_lag
from paddock.experiments.ecoli.walk.population import HALFWAY, NETWORK, make_walker
from paddock.experiments.ecoli.walk.tumble_rates import (
    Interval,
    TumbleCounts,
    compare_distances,
    compare_rates,
    count_tumbles,
    pool_counts,
)
from paddock.report.sheets import Sheet

BACKGROUND, FOOD = 0.95, 0.05  # the network's input is BACKGROUND + FOOD · reading
LEVELS = (0.963, 0.973, 0.983)  # inputs that walkers without methylation are adapted to: at the dish's rim and nearer
TICK = 0.02  # [s]
MARGIN = 0.05  # ratios within 1 ± this count as unbiased


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


class MethylationFigures(NamedTuple):
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
    def sheet(self) -> Sheet:
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
        return Sheet(heads, tuple(rows), f"while running; the balanced nose is {1000 * self.lead:.0f} mm ahead")


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
