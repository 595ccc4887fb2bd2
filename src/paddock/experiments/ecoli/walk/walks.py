"""All populations of the reproduction: worlds, kinds of walkers, nose positions, networks and seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from paddock.core.jobs import run_jobs
from paddock.experiments.ecoli.walk.population import (
    NETWORK,
    Comparison,
    Population,
    compare_populations,
    make_walker,
    run_population,
)
from paddock.experiments.ecoli.walk.tumble_rates import (
    TRIALS,
    MethylationResults,
    MethylationTrial,
    TumbleCounts,
    count_tumbles,
    find_balanced_lead,
    try_methylation,
)

TEAMS_OF_THREE = "ecoli-chemotaxis"
SEEDS = (1, 1001, 2001)  # of the first of 100 worlds
WORLDS = ("petri-dish", "petri-dish-gauss")
NOSES = {"front": "in front", "centre": "between the wheels"}


class Dish(NamedTuple):
    """A kind of population: its world, its walkers, the position of their nose, and their network."""

    world: str
    walker: str
    nose: str = "front"
    network: str = NETWORK


DISHES = (
    *(Dish(world, walker, nose) for nose in NOSES for world in WORLDS for walker in ("normal", "none")),
    *(Dish(world, "normal", nose, TEAMS_OF_THREE) for nose in NOSES for world in WORLDS),
    *(Dish("petri-dish", walker, "centre") for walker in ("inverted", "no-methylation")),
    Dish("petri-dish", "no-methylation"),
)
FOLLOWED = tuple(
    dish for dish in DISHES if (dish.walker, dish.network) == ("normal", NETWORK)
)  # also counted tick by tick
BATCHES = len(DISHES) + len(FOLLOWED) + len(TRIALS)  # per seed


@dataclass(frozen=True, kw_only=True)
class WalkStatistics:
    """The results of all walkers."""

    populations: Mapping[Dish, Sequence[Population]]  # for every seed
    runs: Mapping[Dish, Sequence[TumbleCounts]]
    methylation: MethylationResults

    def compare(self, dish: Dish) -> list[Comparison]:
        """Compare the populations of a dish with unbiased populations of the same seed."""
        unbiased = self.populations[Dish(dish.world, "none", dish.nose)]
        return [compare_populations(*pair) for pair in zip(self.populations[dish], unbiased, strict=True)]


class WalkJob(NamedTuple):
    """A population with its seed."""

    kind: Dish | MethylationTrial
    seed: int
    walkers: int
    seconds: float


def run_dish(job: WalkJob) -> Population:
    """Run the population of a dish."""
    dish, seed, walkers, seconds = job
    assert isinstance(dish, Dish)
    walker = make_walker(dish.walker, network=dish.network)
    return run_population(
        walker, dish.world, walkers=walkers, seconds=seconds, seed=seed, nose=dish.nose, every=seconds / 60
    )


def follow_dish(job: WalkJob) -> TumbleCounts:
    """Count the tumbles of the population of a dish tick by tick."""
    dish, seed, walkers, seconds = job
    assert isinstance(dish, Dish)
    return count_tumbles(
        make_walker(dish.walker), dish.world, walkers=walkers, seconds=seconds / 2, seed=seed, nose=dish.nose
    )


def follow_trial(job: WalkJob) -> TumbleCounts:
    """Count the tumbles of a population with or without methylation."""
    trial, seed, walkers, seconds = job
    assert isinstance(trial, MethylationTrial)
    return try_methylation(trial, find_balanced_lead(), walkers=walkers, seconds=seconds / 2, seed=seed)


run_here: Callable[..., list[Any]] = partial(run_jobs, workers=1)


def run_walks(
    seeds: Sequence[int] = SEEDS,
    *,
    walkers: int = 100,
    seconds: float = 600.0,
    run_all: Callable[..., list[Any]] = run_here,
) -> WalkStatistics:
    """Run all populations, one batch after the other; each uses all cores. `run_all` runs all jobs of a function."""

    def repeat(work: Callable[[WalkJob], Any], kinds: Sequence[Any]) -> dict[Any, list[Any]]:
        jobs = [WalkJob(kind, seed, walkers, seconds) for kind in kinds for seed in seeds]
        found = iter(run_all(work, jobs))
        return {kind: [next(found) for _ in seeds] for kind in kinds}

    return WalkStatistics(
        populations=repeat(run_dish, DISHES),
        runs=repeat(follow_dish, FOLLOWED),
        methylation=MethylationResults(repeat(follow_trial, TRIALS), find_balanced_lead()),
    )
