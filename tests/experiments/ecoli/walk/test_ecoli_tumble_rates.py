"""Tests of tumble rates by position and direction, on synthetic walks with known ratios."""

from __future__ import annotations

import numpy as np
import pytest

from paddock.experiments.ecoli.reaction_networks.reaction_spec import Floats
from paddock.experiments.ecoli.walk.claims import check_methylation
from paddock.experiments.ecoli.walk.tumble_rates import (
    HELD,
    INTACT,
    MARGIN,
    RING,
    UNBIASED,
    Interval,
    MethylationResults,
    TumbleCounts,
    compare_distances,
    compare_rates,
    count_in_rings,
    pool_counts,
)

CENTRE, BOUNDS = (1.0, 0.5), (0.0, 0.0, 2.0, 1.0)


def counted(up: float, down: float, *, walkers: int = 200, seed: int = 1, inwards: float = 0.0) -> TumbleCounts:
    """Count synthetic walkers with given tumble rates [1/s] up and down the gradient, times their ring number."""
    rng = np.random.default_rng(seed)
    seconds = rng.uniform(2.0, 6.0, (2, walkers, 20)) * np.linspace(1.0 + inwards, 1.0, 20)
    steepness = np.geomspace(0.2, 5.0, 20)
    tumbles = rng.poisson(np.array([up, down])[:, None, None] * steepness * seconds)
    return TumbleCounts(*seconds, *tumbles.astype(float))


def test_rate_that_depends_only_on_position_has_ratio_1() -> None:
    found = compare_rates(counted(1.0, 1.0))
    assert found.is_within(0.05)
    assert found.low < 1.0 < found.high


def test_rate_that_depends_on_direction_has_its_ratio() -> None:
    found = compare_rates(counted(1.0, 1.5))
    assert found.low < 1.5 < found.high
    assert counted(1.0, 1.5).run_ratio == pytest.approx(1.5, rel=0.05)
    assert not found.is_within(0.4)


def test_distance_comparison_detects_walkers_closer_to_food() -> None:
    even, near = counted(1.0, 1.0), counted(1.0, 1.0, seed=2, inwards=1.0)
    assert compare_distances(near, even).high < 0.95
    assert compare_distances(counted(1.0, 1.0, seed=3), even).is_within(0.05)


def walk(*legs: tuple[float, int]) -> Floats:
    """Make positions of a walker on a line through the food from step lengths [m] and step counts."""
    x = 0.5 + np.cumsum([0.0, *(step for step, count in legs for _ in range(count))])
    return np.stack([x, np.full_like(x, 0.5)], axis=1)[None]


def test_ticks_and_tumbles_are_counted_by_ring_and_direction() -> None:
    places = walk((0.0023, 20), (0.0, 10), (-0.0023, 10), (0.0, 3))
    up, down, tumbles_up, tumbles_down = count_in_rings(places, CENTRE, BOUNDS, 60)
    assert (up.sum(), down.sum()) == (20.0, 10.0)
    assert (tumbles_up.sum(), tumbles_down.sum()) == (1.0, 1.0)
    assert np.argmax(tumbles_up[0]) == int(0.454 / RING)
    assert np.argmax(tumbles_down[0]) == int(0.477 / RING)


def test_turns_near_walls_are_not_counted_as_tumbles() -> None:
    places = walk((-0.01, 44), (0.0, 5))
    assert count_in_rings(places, CENTRE, BOUNDS, 60)[2:].sum() == 0.0


def test_counts_of_all_seeds_are_pooled() -> None:
    parts = [counted(1.0, 1.2, walkers=60, seed=seed) for seed in range(3)]
    figures = MethylationResults(dict.fromkeys((UNBIASED, INTACT, *HELD), parts), lead=0.012)
    assert len(pool_counts(parts).seconds_up) == 180
    assert figures.compare_rates(INTACT).low > 1.0 + MARGIN
    assert figures.compare_distances(HELD[0]).ratio == pytest.approx(1.0)
    assert len(figures.table.rows) == 2 + len(HELD)


@pytest.mark.parametrize(
    ("down", "walkers", "seeds", "told"),
    [(1.0, 20, 1, "needs 3 seeds"), (1.06, 20, 3, "NO"), (1.0, 400, 1, "yes"), (1.6, 20, 1, "NO")],
)
def test_wide_interval_of_few_populations_decides_nothing(down: float, walkers: int, seeds: int, told: str) -> None:
    parts = [counted(1.0, down, walkers=walkers, seed=seed) for seed in range(seeds)]
    figures = MethylationResults(dict.fromkeys((UNBIASED, INTACT, *HELD), parts), lead=0.012)
    rates = [row for row in check_methylation(figures) if "held" in row.row and "tumble rate" in row.metric]
    assert [row.cells()[0] for row in rates] == [told] * len(HELD)


def test_interval_is_printed_with_its_bounds() -> None:
    assert str(Interval(1.0, 0.98, 1.02)) == "1.000 (0.980 … 1.020)"
