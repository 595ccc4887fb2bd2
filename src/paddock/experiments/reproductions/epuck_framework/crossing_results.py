"""Figures of a line crossing, computed from ground truth only: the poses and contacts of the robots.

- **Laps.** There are 16 checkpoints along the line, evenly spaced. A robot passes its next checkpoint, in its initial
  driving direction, when its centre comes within 0.15 m of it. Sixteen checkpoints are a lap. Driving back counts
  nothing.
- **Meeting.** It begins when the centres of the robots come nearer than 0.16 m, where their sensors start to detect
  each other, while each robot is ahead of the other. It ends when each is behind the other and they are 0.16 m apart
  again, however long that takes.
- **Passing manoeuvre.** The body of a robot is nearer than 0.10 m to the other robot or to an obstacle.
- **Contact.** The time during which a robot touches anything. Touches less than 0.2 s apart are one contact.
- **In parallel.** The robots are within 0.16 m, their headings differ by less than 45°, and both move.
- **Pushing.** The robots touch each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from paddock.arena.episodes import Trace
from paddock.experiments.reproductions.epuck_framework.course import Flags, Floats, LineCourse

POSTS, POST_REACH = 16, 0.15  # checkpoints along the line; distance at which one counts as passed [m]
MEETING = 0.16  # [m] between the centres
LOOK = 5  # ticks between two computations of a robot's position along the line
PASSING = 0.10  # [m] between the bodies
SAME_CONTACT = 0.2  # [s] between touches
PARALLEL = np.radians(45.0)
MOVING = 0.01  # [m/s]
SKIN = 0.001  # [m] maximum gap between bodies that touch

LAPS, IN_TIME, TOUCH, ON_LINE = 5, 20.0, 1.0, 0.80  # requirements of a run


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossingResults:
    """The figures of a run."""

    laps: tuple[float, float]  # of each robot, in steps of 1/16
    meetings: tuple[float, ...]  # duration of each meeting [s]
    unfinished: float  # [s] duration so far of a meeting that is not over at the end of the run; else 0
    contact: float  # [s] longest contact
    on_line: tuple[float, float]  # fraction of the time outside of passing manoeuvres
    on_line_always: tuple[float, float]  # fraction of the whole time
    parallel: float  # [s]
    pushing: float  # [s]

    @property
    def slowest(self) -> float:
        """Duration of the longest meeting [s], including an unfinished one."""
        return max((*self.meetings, self.unfinished), default=0.0)

    @property
    def were_in_conflict(self) -> bool:
        """Whether the robots drove in parallel or blocked each other."""
        return self.parallel > TOUCH or self.pushing > TOUCH or self.slowest > IN_TIME

    @property
    def failures(self) -> tuple[str, ...]:
        """Names of the requirements that the run does not meet."""
        wanted = {
            "laps": min(self.laps) >= LAPS,
            "meetings": self.slowest <= IN_TIME,
            "contact": self.contact <= TOUCH,
            "line": min(self.on_line) >= ON_LINE,
        }
        return tuple(name for name, so in wanted.items() if not so)


def evaluate_crossing(traces: Sequence[Trace], course: LineCourse) -> CrossingResults:
    """Compute all figures of a run.

    Args:
        traces: traces of the two robots with a row for each tick; the first robot drives counter-clockwise.
        course: the course of the run.
    """
    dt = traces[0].dt
    red, blue = (trace.pose for trace in traces)
    touches = np.stack([trace.contacts > 0 for trace in traces], axis=1)
    apart = np.hypot(*(red - blue)[:, :2].T)
    meetings, unfinished = _time_meetings(course, red, blue, apart, dt)
    lines, always = [], []
    for poses in (red, blue):
        passing = (apart - 2 * course.radius < PASSING) | (course.clearance(poses[:, :2]) < PASSING)
        on = course.on_line(poses)
        lines.append(float(on[~passing].mean()) if not passing.all() else 0.0)
        always.append(float(on.mean()))
    return CrossingResults(
        laps=(_count_laps(course, red, forward=True), _count_laps(course, blue, forward=False)),
        meetings=meetings,
        unfinished=unfinished,
        contact=max(_find_longest(touches[:, robot], dt) for robot in range(2)),
        on_line=(lines[0], lines[1]),
        on_line_always=(always[0], always[1]),
        parallel=dt * float((_find_parallel(red, blue, dt) & (apart < MEETING)).sum()),
        pushing=dt * float((touches.any(axis=1) & (apart < 2 * course.radius + SKIN)).sum()),
    )


def _count_laps(course: LineCourse, poses: Floats, *, forward: bool) -> float:
    """Count the checkpoints passed in order, in laps; the first one is the next one ahead of the start."""
    spacing = course.length / POSTS
    way = 1 if forward else -1
    start = course.along(poses[:1, :2])[0] / spacing
    post = int(np.floor(start) + 1) if forward else int(np.ceil(start) - 1)
    passed = tick = 0
    while True:
        near = np.hypot(*(poses[tick:, :2] - course.at(spacing * (post % POSTS))[:2]).T) < POST_REACH
        if not near.any():
            return passed / POSTS
        tick += int(near.argmax())
        post, passed = post + way, passed + 1


def _time_meetings(
    course: LineCourse, red: Floats, blue: Floats, apart: Floats, dt: float
) -> tuple[tuple[float, ...], float]:
    """Return the duration of each meeting [s], and the duration so far of an unfinished one."""
    ahead = _unwrap_travel(course, blue) - _unwrap_travel(course, red)  # [m] lead of blue along the line, unwrapped
    done: list[float] = []
    tick = 0
    while True:
        place = course.length * np.round(
            ahead[tick:] / course.length
        )  # lead at which they are level: a multiple of a lap
        begins = (apart[tick:] < MEETING) & (ahead[tick:] > place)
        if not begins.any():
            return tuple(done), 0.0
        level = place[begins.argmax()]
        tick += int(begins.argmax())
        ends = (apart[tick:] >= MEETING) & (ahead[tick:] < level)
        if not ends.any():
            return tuple(done), dt * (len(apart) - tick)
        took = int(ends.argmax())
        done.append(dt * took)
        tick += took


def _unwrap_travel(course: LineCourse, poses: Floats) -> Floats:
    """Return the unwrapped position of a robot along the line [m] in every tick."""
    looks = np.arange(0, len(poses), LOOK)
    along = np.unwrap(course.along(poses[looks, :2]), period=course.length)
    return np.interp(np.arange(len(poses)), looks, along)


def _find_longest(touches: Flags, dt: float) -> float:
    """Return the duration of the longest contact [s]."""
    return max(
        (dt * (last - first + 1) for first, last in _find_spells(touches, round(SAME_CONTACT / dt))), default=0.0
    )


def _find_spells(flags: Flags, bridge: int) -> Iterator[tuple[int, int]]:
    """Iterate over first and last tick of each period with flags; gaps of up to `bridge` ticks are ignored."""
    ticks = np.flatnonzero(flags)
    if len(ticks):
        for spell in np.split(ticks, np.flatnonzero(np.diff(ticks) > bridge) + 1):
            yield int(spell[0]), int(spell[-1])


def _find_parallel(red: Floats, blue: Floats, dt: float) -> Flags:
    """Return whether both robots have similar headings and both move, for each tick."""
    alike: Flags = np.abs((red[:, 2] - blue[:, 2] + np.pi) % (2 * np.pi) - np.pi) < PARALLEL
    for poses in (red, blue):
        alike &= np.hypot(*np.gradient(poses[:, :2], dt, axis=0).T) > MOVING
    return alike
