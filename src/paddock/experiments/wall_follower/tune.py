"""Search for better numbers of the geometry law: every draw drives the wall loop, both ways, with noise.

`for found in tune(): …` yields the best numbers after each round; those of the law `tuned` were found like that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from paddock.control.wall import GeometryLaw
from paddock.control.wall.search import Found, search
from paddock.experiments.wall_follower.course import WAYS
from paddock.experiments.wall_follower.loop import Job, Loop, drive_law

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
    *, course: str = "wall-loop", rounds: int = 10, brood: int = 14, elite: int = 4, seed: int = 1, limit: float = 130.0
) -> Iterator[Found]:
    """The best numbers after every round, from those of the plain geometry law on.

    Args:
        course: where to drive.
        rounds: how often to draw.
        brood: how many draws in a round.
        elite: how many of them decide where the next round draws.
        seed: of the draws.
        limit: when to give a loop up [s].
    """
    law = GeometryLaw()
    jobs = [Job(law="geometry", course=course, way=way, seed=s, limit=limit) for s in SEEDS for way in WAYS]

    def mean_cost(numbers: dict[str, float]) -> float:
        drawn = replace(law, **numbers)
        return sum(cost(drive_law(drawn, job)) for job in jobs) / len(jobs)

    start = {name: float(getattr(law, name)) for name in LIMITS}
    yield from search(mean_cost, LIMITS, start, rounds=rounds, brood=brood, elite=elite, seed=seed)


def cost(loop: Loop) -> float:
    """The mean error [cm], and fines."""
    fines = LATE * max(0.0, loop.time - ENOUGH) + loop.contacts
    return 100 * loop.error + fines + (0.0 if loop.home else LOST) + (STRAY if loop.largest > FAR else 0.0)
