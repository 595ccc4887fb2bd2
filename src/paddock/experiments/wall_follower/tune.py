"""Search for better numbers of the geometry follower: every draw drives the wall loop, both ways, with noise.

`for found in tune(): …` yields the best numbers after each round; those of `tuned` were found like that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from paddock.control.wall import GeometryFollower
from paddock.experiments.wall_follower.course import WAYS
from paddock.experiments.wall_follower.followers import CLEARANCE
from paddock.experiments.wall_follower.loop import Loop, LoopJob, drive_follower
from paddock.experiments.wall_follower.search import SearchResult, search

SEEDS = (101, 102)  # of noise; none of those that claims are made with
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
ENOUGH = 100.0  # [s] a loop need not be faster
LATE = 0.05  # cost of each second more
LOST = 20.0  # cost of a loop that is not closed
FAR, STRAY = 0.1, 10.0  # cost of ever being so far [m] off


def tune(
    *, course: str = "wall-loop", rounds: int = 10, draws: int = 14, elite: int = 4, seed: int = 1, limit: float = 130.0
) -> Iterator[SearchResult]:
    """The best numbers after every round, from those of the plain geometry follower on.

    Args:
        course: where to drive.
        rounds: how often to draw.
        draws: how many in a round.
        elite: how many of them decide where the next round draws.
        seed: of the draws.
        limit: when to give a loop up [s].
    """
    follower = GeometryFollower(clearance=CLEARANCE)
    jobs = [LoopJob(follower="geometry", course=course, way=way, seed=s, limit=limit) for s in SEEDS for way in WAYS]

    def mean_cost(numbers: dict[str, float]) -> float:
        candidate = replace(follower, **numbers)
        return sum(cost(drive_follower(candidate, job)) for job in jobs) / len(jobs)

    start = {name: float(getattr(follower, name)) for name in LIMITS}
    yield from search(mean_cost, LIMITS, start, rounds=rounds, draws=draws, elite=elite, seed=seed)


def cost(loop: Loop) -> float:
    """The mean error [cm], and penalties."""
    penalties = LATE * max(0.0, loop.time - ENOUGH) + loop.contacts
    return 100 * loop.error + penalties + (0.0 if loop.home else LOST) + (STRAY if loop.largest > FAR else 0.0)
