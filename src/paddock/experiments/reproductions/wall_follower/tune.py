"""Search for better parameters of the geometry follower: every draw drives the wall loop in both directions with noise.

`for found in tune(): …` yields the best parameters after each round. Those of `tuned` were found in this way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from paddock.control.behaviours.wall import GeometryFollower
from paddock.experiments.reproductions.wall_follower.course import WAYS
from paddock.experiments.reproductions.wall_follower.followers import CLEARANCE
from paddock.experiments.reproductions.wall_follower.loop import Loop, LoopJob, drive_follower

SEEDS = (101, 102)  # of noise; not used by the claims
LIMITS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "speed": (1.0, 1.18),
        "inside_speed": (0.15, 0.5),
        "outside_speed": (0.3, 0.7),
        "turn_radius": (0.05, 0.25),
        "turn_lead": (0.0, 0.12),
        "edge_lead": (0.04, 0.14),
        "edge_slant": (0.0, 0.15),
        "approach": (1.5, 6.0),
        "steer": (3.0, 9.0),
        "turn_most": (1.8, 4.0),
        "brake": (0.4, 0.8),
        "noise": (0.002, 0.008),
    }
)
ENOUGH = 100.0  # [s] time of a loop without a penalty
LATE = 0.05  # cost of each additional second
LOST = 20.0  # cost of a loop that is not closed
FAR, STRAY = 0.1, 10.0  # error [m] above which a loop has an extra cost, and that cost


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best parameters up to a round, by name, and their cost."""

    round: int
    cost: float
    numbers: dict[str, float]


def tune(
    *, course: str = "wall-loop", rounds: int = 10, draws: int = 14, elite: int = 4, seed: int = 1, limit: float = 130.0
) -> Iterator[SearchResult]:
    """Yield the best parameters after every round, starting with those of the default geometry follower.

    Args:
        course: name of the course.
        rounds: number of rounds.
        draws: number of draws per round.
        elite: number of the best draws that determine the distribution of the next round.
        seed: of the draws.
        limit: time after which a loop is aborted [s].
    """
    follower = GeometryFollower(clearance=CLEARANCE)
    jobs = [LoopJob(follower="geometry", course=course, way=way, seed=s, limit=limit) for s in SEEDS for way in WAYS]

    def mean_cost(numbers: dict[str, float]) -> float:
        candidate = replace(follower, **numbers)
        return sum(cost(drive_follower(candidate, job)) for job in jobs) / len(jobs)

    start = {name: float(getattr(follower, name)) for name in LIMITS}
    yield from search(mean_cost, LIMITS, start, rounds=rounds, draws=draws, elite=elite, seed=seed)


def cost(loop: Loop) -> float:
    """Return the mean error [cm] plus penalties."""
    penalties = LATE * max(0.0, loop.time - ENOUGH) + loop.contacts
    return 100 * loop.error + penalties + (0.0 if loop.home else LOST) + (STRAY if loop.largest > FAR else 0.0)


def search(
    cost: Callable[[dict[str, float]], float],
    limits: Mapping[str, tuple[float, float]],
    start: Mapping[str, float],
    *,
    rounds: int = 10,
    draws: int = 12,
    elite: int = 3,
    seed: int = 0,
) -> Iterator[SearchResult]:
    """Minimise a cost with the cross-entropy method; yield the best numbers after every round.

    Args:
        cost: function to minimise; called once for every draw.
        limits: lowest and highest value of each number.
        start: initial numbers.
        rounds: number of rounds.
        draws: number of draws per round.
        elite: number of the best draws that determine the distribution of the next round.
        seed: of the draws; the same seed gives the same numbers.
    """
    rng = np.random.default_rng(seed)
    names = list(limits)
    low, high = np.array([limits[name] for name in names]).T
    mean = np.array([start[name] for name in names])
    width = (high - low) / 6
    best, best_cost = mean, cost(dict(zip(names, mean.tolist(), strict=True)))
    for number in range(rounds):
        drawn = np.clip(mean + width * rng.standard_normal((draws, len(names))), low, high)
        costs = np.array([cost(dict(zip(names, draw.tolist(), strict=True))) for draw in drawn])
        order = np.argsort(costs, kind="stable")
        if costs[order[0]] < best_cost:
            best, best_cost = drawn[order[0]], float(costs[order[0]])
        chosen = np.vstack([best, drawn[order[:elite]]])
        mean = chosen.mean(axis=0)
        width = 0.5 * width + 0.5 * chosen.std(axis=0)
        yield SearchResult(number, best_cost, dict(zip(names, best.tolist(), strict=True)))
