"""The figures of a line crossing, by ground truth alone: where the robots were, and what they touched.

- **Laps.** There are 16 posts along the line, evenly spaced. A robot passes its next post, in the direction in which
  it set out, when its centre comes within 0.15 m of it. Sixteen posts are a lap; driving back gains nothing.
- **Meeting.** It begins when the centres of the robots come nearer than 0.16 m (then their sensors begin to see each
  other) while each is ahead of the other, and it is over when each is behind the other and they are 0.16 m apart again,
  however long that takes.
- **Passing manoeuvre.** A robot is in one while its body is nearer than 0.10 m to the other one's or to an obstacle.
- **Contact.** It lasts as long as a robot touches anything; touches less than 0.2 s apart are one contact.
- **In parallel.** The robots are within 0.16 m, look in the same direction (within 45°) and both move.
- **Pushing.** The robots touch each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from paddock.episodes import Trace
from paddock.experiments.epuck_framework.course import Flags, Floats, LineCourse

POSTS, POST_REACH = 16, 0.15  # posts along the line; how near to come [m]
MEETING = 0.16  # [m] between the centres
LOOK = 5  # ticks between two looks at how far along the line a robot is
PASSING = 0.10  # [m] between the bodies
SAME_CONTACT = 0.2  # [s] between touches
PARALLEL = np.radians(45.0)
MOVING = 0.01  # [m/s]
SKIN = 0.001  # [m] between bodies that touch, at most

LAPS, IN_TIME, TOUCH, ON_LINE = 5, 20.0, 1.0, 0.80  # what is wanted of a run


@dataclass(frozen=True, kw_only=True, slots=True)
class CrossingFigures:
    """A run in numbers."""

    laps: tuple[float, float]  # of each robot, in sixteenths
    meetings: tuple[float, ...]  # how long each took [s]
    unfinished: float  # [s] that the last meeting has lasted at the end, if it is not over; else 0
    contact: float  # [s] the longest
    touching: float  # [s] in contact, of both robots together
    on_line: tuple[float, float]  # share of the time outside of passing manoeuvres
    on_line_always: tuple[float, float]  # share of all the time
    parallel: float  # [s]
    pushing: float  # [s]

    @property
    def slowest(self) -> float:
        """The longest meeting [s], also one that was not over yet."""
        return max((*self.meetings, self.unfinished), default=0.0)

    @property
    def in_each_others_way(self) -> bool:
        """Whether they drove on in parallel, or blocked each other."""
        return self.parallel > TOUCH or self.pushing > TOUCH or self.slowest > IN_TIME

    @property
    def failures(self) -> tuple[str, ...]:
        """What was wanted and is not so."""
        wanted = {
            "laps": min(self.laps) >= LAPS,
            "meetings": self.slowest <= IN_TIME,
            "contact": self.contact <= TOUCH,
            "line": min(self.on_line) >= ON_LINE,
        }
        return tuple(name for name, so in wanted.items() if not so)


def evaluate_crossing(traces: Sequence[Trace], course: LineCourse) -> CrossingFigures:
    """All figures of a run.

    Args:
        traces: of two robots, the first of which goes counter-clockwise, with a row for each tick.
        course: where it happened.
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
    return CrossingFigures(
        laps=(_count_laps(course, red, forward=True), _count_laps(course, blue, forward=False)),
        meetings=meetings,
        unfinished=unfinished,
        contact=max(_find_longest(touches[:, robot], dt) for robot in range(2)),
        touching=dt * float(touches.sum()),
        on_line=(lines[0], lines[1]),
        on_line_always=(always[0], always[1]),
        parallel=dt * float((_find_parallel(red, blue, dt) & (apart < MEETING)).sum()),
        pushing=dt * float((touches.any(axis=1) & (apart < 2 * course.radius + SKIN)).sum()),
    )


def _count_laps(course: LineCourse, poses: Floats, *, forward: bool) -> float:
    """Posts passed in order, in sixteenths of a lap; the first is the next one ahead of the start."""
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
    """How long each meeting took [s], and how long one has lasted that is not over."""
    ahead = _unwrap_travel(course, blue) - _unwrap_travel(course, red)  # [m] of blue, all around the line
    done: list[float] = []
    tick = 0
    while True:
        place = course.length * np.round(ahead[tick:] / course.length)  # where they are level: once around, twice …
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
    """How far a robot has come along the line [m], in every tick; a lap later it is a lap farther."""
    looks = np.arange(0, len(poses), LOOK)
    along = np.unwrap(course.along(poses[looks, :2]), period=course.length)
    return np.interp(np.arange(len(poses)), looks, along)


def _find_longest(touches: Flags, dt: float) -> float:
    """The longest contact [s]."""
    return max(
        (dt * (last - first + 1) for first, last in _find_spells(touches, round(SAME_CONTACT / dt))), default=0.0
    )


def _find_spells(flags: Flags, bridge: int) -> Iterator[tuple[int, int]]:
    """First and last tick of all spells; gaps of fewer than `bridge` ticks do not end one."""
    ticks = np.flatnonzero(flags)
    if len(ticks):
        for spell in np.split(ticks, np.flatnonzero(np.diff(ticks) > bridge) + 1):
            yield int(spell[0]), int(spell[-1])


def _find_parallel(red: Floats, blue: Floats, dt: float) -> Flags:
    """Whether both look the same way, and both move."""
    alike: Flags = np.abs((red[:, 2] - blue[:, 2] + np.pi) % (2 * np.pi) - np.pi) < PARALLEL
    for poses in (red, blue):
        alike &= np.hypot(*np.gradient(poses[:, :2], dt, axis=0).T) > MOVING
    return alike
