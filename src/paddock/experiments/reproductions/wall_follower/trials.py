"""Trials: wall follower, course and number of loops of each row, and the published values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from paddock.experiments.reproductions.wall_follower.course import BROKEN, ROOMS, WAYS, Way
from paddock.experiments.reproductions.wall_follower.loop import BodyKind, LoopJob

CLOCK = 3.0  # simulated seconds in a second of the study's clock


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """A line of the study's table."""

    time: float  # [s] of its own clock
    distance: float  # [m]
    error: float  # [cm] mean over the control cycles, computed from the published sum


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """A wall follower on a course, with many seeds."""

    row: str
    follower: str
    seeds: int
    course: str = "wall-loop"
    ways: tuple[Way, ...] = WAYS
    body: BodyKind = "fresh"
    limit: float  # [s] after which a loop is aborted
    published: Published | None = None

    def jobs(self, seeds: int | None = None) -> Iterator[LoopJob]:
        """Iterate over all loops; the first one keeps its trace for the pictures."""
        for way in self.ways:
            for seed in range(self.seeds if seeds is None else seeds):
                yield LoopJob(
                    follower=self.follower,
                    course=self.course,
                    way=way,
                    body=self.body,
                    seed=seed,
                    limit=self.limit,
                    trace=seed == 0 and way == self.ways[0],
                )


def _study(row: str, follower: str, time: float, distance: float, error: float) -> Trial:
    published = Published(time=time, distance=distance, error=error)
    ways: tuple[Way, ...] = ("clockwise",)
    return Trial(row=row, follower=follower, seeds=10, ways=ways, body="study", limit=1200.0, published=published)


STUDY = (
    _study("min slow", "min", 198.0, 88.54, 1.09),
    _study("multi slow", "multi", 187.93, 88.54, 1.02),
    _study("min fast", "min-fast", 164.25, 91.49, 2.60),
    _study("multi fast", "multi-fast", 155.0, 89.07, 1.31),
)
CURVED = tuple(  # suggested by the study, but not tested there
    Trial(row=f"{trial.row}, curved", follower=trial.follower, course="curved", seeds=5, body="study", limit=700.0)
    for trial in STUDY
)
SLOW = Trial(row="tuned-slow", follower="tuned-slow", seeds=20, limit=900.0)
FAST = Trial(row="tuned", follower="tuned", seeds=20, limit=200.0)
ELSEWHERE = tuple(
    Trial(row=f"{follower}, {course}", follower=follower, course=course, seeds=seeds, limit=limit)
    for follower, seeds, limit in (("tuned", 20, 200.0), ("tuned-slow", 2, 600.0))
    for course in ("curved", *(f"room-{seed}" for seed in ROOMS))
)
ROUGH = Trial(row="tuned-slow, broken", follower="tuned-slow", course=f"broken-{BROKEN}", seeds=2, limit=600.0)
ROUGH_FAST = Trial(row="tuned, broken", follower="tuned", course=ROUGH.course, seeds=10, limit=400.0)  # shown only
OTHERS = tuple(Trial(row=name, follower=name, seeds=5, limit=600.0) for name in ("pid", "fuzzy", "geometry"))
TRIALS = (*STUDY, *CURVED, SLOW, FAST, *ELSEWHERE, ROUGH, ROUGH_FAST, *OTHERS)
