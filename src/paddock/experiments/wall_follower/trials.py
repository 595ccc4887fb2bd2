"""Trials: which law drives where, how often, and what was published about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from paddock.experiments.wall_follower.course import BROKEN, ROOMS, WAYS, Way
from paddock.experiments.wall_follower.loop import Body, Job

CLOCK = 3.0  # simulated seconds in a second of the study's clock


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """A line of the study's table."""

    time: float  # [s] of its own clock
    distance: float  # [m]
    error: float  # [cm] mean over the control cycles, worked out from the printed sum


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """A law on a course, with many seeds."""

    row: str
    law: str
    seeds: int
    course: str = "wall-loop"
    ways: tuple[Way, ...] = WAYS
    body: Body = "fresh"
    limit: float  # [s] after which a loop is given up
    published: Published | None = None

    def jobs(self, seeds: int | None = None) -> Iterator[Job]:
        """All loops; the very first one keeps its trace, for the pictures."""
        for way in self.ways:
            for seed in range(self.seeds if seeds is None else seeds):
                yield Job(
                    law=self.law,
                    course=self.course,
                    way=way,
                    body=self.body,
                    seed=seed,
                    limit=self.limit,
                    trace=seed == 0 and way == self.ways[0],
                )


def _study(row: str, law: str, time: float, distance: float, error: float) -> Trial:
    published = Published(time=time, distance=distance, error=error)
    return Trial(row=row, law=law, seeds=10, ways=("clockwise",), body="study", limit=1200.0, published=published)


STUDY = (
    _study("min slow", "min", 198.0, 88.54, 1.09),
    _study("multi slow", "multi", 187.93, 88.54, 1.02),
    _study("min fast", "min-fast", 164.25, 91.49, 2.60),
    _study("multi fast", "multi-fast", 155.0, 89.07, 1.31),
)
SLOW = Trial(row="tuned-slow", law="tuned-slow", seeds=20, limit=900.0)
FAST = Trial(row="tuned", law="tuned", seeds=20, limit=200.0)
ELSEWHERE = tuple(
    Trial(row=f"{law}, {course}", law=law, course=course, seeds=seeds, limit=limit)
    for law, seeds, limit in (("tuned", 20, 200.0), ("tuned-slow", 2, 600.0))
    for course in ("curved", *(f"room-{seed}" for seed in ROOMS))
)
ROUGH = Trial(row="tuned-slow, broken", law="tuned-slow", course=f"broken-{BROKEN}", seeds=2, limit=600.0)
ROUGH_FAST = Trial(row="tuned, broken", law="tuned", course=f"broken-{BROKEN}", seeds=10, limit=400.0)  # shown only
OTHERS = tuple(Trial(row=law, law=law, seeds=5, limit=600.0) for law in ("pid", "fuzzy", "geometry"))
TRIALS = (*STUDY, SLOW, FAST, *ELSEWHERE, ROUGH, ROUGH_FAST, *OTHERS)
