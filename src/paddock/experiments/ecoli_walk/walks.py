"""All populations of the reproduction: worlds, kinds of walkers, nose positions, networks and seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from paddock.experiments.ecoli_walk.methylation import (
    TRIALS,
    MethylationFigures,
    MethylationTrial,
    find_balanced_lead,
    try_methylation,
)
from paddock.experiments.ecoli_walk.population import (
    NETWORK,
    Comparison,
    Population,
    compare_populations,
    make_walker,
    run_population,
)
from paddock.experiments.ecoli_walk.tumble_rates import TumbleCounts, count_tumbles

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
class WalkFigures:
    """The results of all walkers."""

    populations: Mapping[Dish, Sequence[Population]]  # for every seed
    runs: Mapping[Dish, Sequence[TumbleCounts]]
    methylation: MethylationFigures

    def compare(self, dish: Dish) -> list[Comparison]:
        """Compare the populations of a dish with unbiased populations of the same seed."""
        unbiased = self.populations[Dish(dish.world, "none", dish.nose)]
        return [compare_populations(*pair) for pair in zip(self.populations[dish], unbiased, strict=True)]


def run_walks(
    seeds: Sequence[int] = SEEDS,
    *,
    walkers: int = 100,
    seconds: float = 600.0,
    on_batch: Callable[[], None] = lambda: None,
) -> WalkFigures:
    """Run all populations, one batch after the other; each uses all cores. `on_batch` is called after each batch."""
    populations: dict[Dish, list[Population]] = {dish: [] for dish in DISHES}
    for dish, found in populations.items():
        walker = make_walker(dish.walker, network=dish.network)
        for seed in seeds:
            found.append(
                run_population(
                    walker, dish.world, walkers=walkers, seconds=seconds, seed=seed, nose=dish.nose, every=seconds / 60
                )
            )
            on_batch()
    runs: dict[Dish, list[TumbleCounts]] = {dish: [] for dish in FOLLOWED}
    for dish, counted in runs.items():
        for seed in seeds:
            walker = make_walker(dish.walker)
            counted.append(
                count_tumbles(walker, dish.world, walkers=walkers, seconds=seconds / 2, seed=seed, nose=dish.nose)
            )
            on_batch()
    lead = find_balanced_lead()
    counts: dict[MethylationTrial, list[TumbleCounts]] = {trial: [] for trial in TRIALS}
    for trial, counted in counts.items():
        for seed in seeds:
            counted.append(try_methylation(trial, lead, walkers=walkers, seconds=seconds / 2, seed=seed))
            on_batch()
    return WalkFigures(populations=populations, runs=runs, methylation=MethylationFigures(counts, lead))
