"""Recording: reads the recording of an arena, for display, for measurements, and to continue from any tick."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from paddock.arena.episodes import Event, Trace
from paddock.arena.episodes.events import MOTIONS, Kind
from paddock.arena.episodes.recorder import TraceRecorder
from paddock.core.argument_checks import all_finite
from paddock.core.display import display_html
from paddock.core.errors import PaddockError, UnknownName, format_value
from paddock.report.recordings.exact import (
    CHANGE,
    INPUTS,
    KEYFRAME,
    MOST_TICKS,
    WORLD,
    Inputs,
    Keyframe,
    decode_inputs,
    decode_keyframe,
    decode_people,
    decode_world,
)
from paddock.report.recordings.protobuf import decode
from paddock.report.recordings.reading import MessagePlace, RecordingFile
from paddock.report.recordings.replay import ReplayArena
from paddock.simulation.engine.state import digest
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds.build import BuiltWorld

if TYPE_CHECKING:
    import pandas
    from PIL.Image import Image

    from paddock.report.drawing.animation import ShownMoment

ROW_PERIOD = 0.1  # [s] between two rows of a trace, by default
TRAIL_POINTS = 2000  # of a picture


class KeyframeLocation(NamedTuple):
    """Location of a keyframe in a file."""

    tick: int  # of the recording
    is_change: bool  # follows an intervention; valid for later ticks only
    place: MessagePlace


class Recording:
    """A recording in a file. A truncated file is read up to its end.

    Times [s] are recording times. They equal the arena's times, but keep increasing when the arena's clock is set back.
    """

    def __init__(self, path: str | Path) -> None:
        self.file = RecordingFile(path)
        self.path = self.file.path
        places = self.file.places
        if not places(WORLD) or not places(KEYFRAME):
            raise PaddockError(f"{path}: expected a recording made by Paddock: the file has no exact states")
        self.dt = self.build_keyframe_world(KeyframeLocation(0, False, places(KEYFRAME)[0])).model.dt
        found = [(place, topic == CHANGE) for topic in (KEYFRAME, CHANGE) for place in places(topic)]
        found.sort(key=lambda entry: entry[0][1:])  # in the order of writing
        self._keyframes = [KeyframeLocation(self._tick(place), change, place) for place, change in found]
        self._keyframe_ticks = [keyframe.tick for keyframe in self._keyframes]
        for before, after in pairwise(self._keyframe_ticks):
            if not before <= after <= before + MOST_TICKS:
                raise PaddockError(f"{path}: damaged: no state is recorded between the ticks {before} and {after}")
        self._input_ticks = [self._tick(place) for place in places(INPUTS)]
        self.first, self.last = self._keyframe_ticks[0], self._keyframe_ticks[-1]  # ticks
        if self._input_ticks:
            self.last = max(self.last, self.find_inputs(self._input_ticks[-1]).end)

    def _tick(self, place: MessagePlace) -> int:
        return round(place.time / (self.dt * 1e9))

    def __repr__(self) -> str:
        cut = "" if self.is_whole else ", truncated"
        return f"<Recording {self.path.name}: {self.start:g} s to {self.end:g} s{cut}>"

    def _repr_html_(self) -> str | None:
        return display_html("recording", self)

    @property
    def is_whole(self) -> bool:
        """Whether the file was closed; if not, its program was killed, or the file was truncated later."""
        return self.file.is_whole

    @property
    def start(self) -> float:
        """Start time [s]."""
        return self.first * self.dt

    @property
    def end(self) -> float:
        """End time [s]."""
        return self.last * self.dt

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """Events in order of time."""
        return tuple(self._event(place) for place in self.file.places("/log"))

    def _event(self, place: MessagePlace) -> Event:
        source, text = self.file.decode(place, decode_log)
        kind, _, robot = source.partition("/")
        return Event(time=self._tick(place) * self.dt, kind=cast(Kind, kind), robot=robot or None, text=text)

    # ---- arenas

    def replay(self, at: float | None = None) -> ReplayArena:
        """Return an arena that replays the recording from a time [s] on; None: from the start."""
        return ReplayArena(self, self.first if at is None else self.find_tick(at))

    def arena(self, at: float | None = None) -> ReplayArena:
        """Return a live arena in the exact state of a time [s]; None: at the end."""
        arena = ReplayArena(self, self.last if at is None else self.find_tick(at))
        arena.go_live()
        return arena

    def find_tick(self, time: float) -> int:
        """Return the tick of a time [s]."""
        if not all_finite(time) or not self.start - self.dt / 2 <= time <= self.end + self.dt / 2:
            raise PaddockError(
                f"{self.path}: expected a time from {self.start:g} to {self.end:g} s, got {format_value(time)}"
            )
        return round(time / self.dt)

    # ---- access for ReplayArena

    def find_keyframe(self, tick: int) -> KeyframeLocation:
        """Return the last keyframe before a tick, or at it before interventions at that tick."""
        number = bisect_right(self._keyframe_ticks, tick) - 1
        while number > 0 and self._keyframes[number].tick == tick and self._keyframes[number].is_change:
            number -= 1
        return self._keyframes[max(0, number)]

    def read_keyframe(self, location: KeyframeLocation) -> Keyframe:
        """Read the exact state of a keyframe."""
        world = self.build_keyframe_world(location)
        return self.file.decode(location.place, lambda data: decode_keyframe(data, world))

    def build_keyframe_world(self, location: KeyframeLocation) -> BuiltWorld:
        """Return the world of a keyframe, with its robots."""
        before = [place for place in self.file.places(WORLD) if place[1:] < location.place[1:]]
        if not before:
            raise PaddockError(f"{self.path}: damaged: there is no world before its state at tick {location.tick}")
        world: BuiltWorld = self._build(before[-1])
        return world

    @cached_property
    def _build(self) -> Any:
        return lru_cache(None)(lambda place: self.file.decode(place, decode_world))

    def find_inputs(self, tick: int) -> Inputs:
        """Return the recorded commands around a tick."""
        if number := bisect_right(self._input_ticks, tick):
            inputs = self.file.decode(self.file.places(INPUTS)[number - 1], decode_inputs)
            if inputs.first <= tick < inputs.end:
                return inputs
        raise PaddockError(f"{self.path}: damaged: the commands at {tick * self.dt:g} s are missing")

    # ---- recorded data

    def trace(self, robot: str, *, every: float = ROW_PERIOD, devices: str | Sequence[str] = ()) -> Trace:
        """Return the trace of one robot, with readings of any of its devices, also of those that were not enabled.

        Args:
            robot: name of the robot.
            every: seconds between two rows, rounded to whole ticks.
            devices: a device to read, or several.
        """
        devices = (devices,) if isinstance(devices, str) else devices
        if not (all_finite(every) and every > 0):
            raise PaddockError(f"trace: every: expected seconds > 0 between two rows, got {every!r}")
        arena, step = self.replay(), max(1, math.floor(every / self.dt + 0.5))
        recorder, jumps = TraceRecorder(robot, self.dt), self._jumps(robot)
        handle, layout = None, -1
        for tick in dict.fromkeys([*range(self.first, self.last, step), self.last]):
            arena.seek(tick)
            if robot not in arena:
                continue
            if handle is None or layout != arena.layout:
                handle, layout = arena.robots.new_handle(robot), arena.layout
                if devices:
                    handle.enable(*devices)
            seen, motion = handle.sense(), handle.body.motion()
            jumped = any(recorder.latest < time <= tick * self.dt for time in jumps)
            recorder.add(
                tick * self.dt,
                motion.pose,
                command=arena.coming_command(robot),
                wheels=motion.wheels,
                readings={name: getattr(seen, name) for name in seen.sensors},
                contacts=motion.contacts,
                jumped=jumped,
            )
        if not len(recorder):
            raise UnknownName("recorded robot", robot, self.robots)
        return recorder.trace([event for event in self.events if event.robot in (None, robot)])

    def _jumps(self, robot: str) -> list[float]:
        """Return the times of the first ticks after a robot was moved by hand."""
        return [e.time + self.dt for e in self.events if e.kind in MOTIONS and e.robot in (None, robot)]

    @property
    def robots(self) -> tuple[str, ...]:
        """Names of all robots in the recording."""
        return tuple(self.robot_specs())

    @cached_property
    def people(self) -> dict[str, str]:
        """Full names of the students of a class, by robot."""
        worlds = [self.file.decode(place, decode_people) for place in self.file.places(WORLD)]
        return {robot: name for people in worlds for robot, name in people.items()}

    def robot_specs(self) -> dict[str, RobotSpec]:
        """Return the specs of all robots in the recording, by name; of a name that was used again, the last one."""
        return {name: spec for _, specs in self.robot_history() for name, spec in specs.items()}

    def robot_history(self) -> list[tuple[int, dict[str, RobotSpec]]]:
        """Return the specs of the robots by name, each time with the tick from which on these robots existed."""
        worlds = [(self._tick(place), self._build(place)) for place in self.file.places(WORLD)]
        return [
            (tick, {placed.name: spec for placed, spec in zip(world.spec.robots, world.robots, strict=True)})
            for tick, world in worlds
        ]

    def to_pandas(
        self, robot: str, *, every: float = ROW_PERIOD, devices: str | Sequence[str] = ()
    ) -> pandas.DataFrame:
        """Return the trace of one robot as a pandas DataFrame; the arguments are those of `trace`."""
        return self.trace(robot, every=every, devices=devices).to_pandas()

    def picture(self, at: float | None = None, *, trails: bool = True) -> Image:
        """Draw the world from above at a time [s], with the robots' paths up to then; None: at the end."""
        from paddock.report.drawing.draw_world import draw_world

        end = self.last if at is None else self.find_tick(at)
        step = max(1, round(ROW_PERIOD / self.dt), (end - self.first) // TRAIL_POINTS)
        for arena, paths in self._follow([*(range(self.first, end, step) if trails else ()), end]):
            last, there = arena, paths
        return draw_world(last.world, poses=last.poses, things=last.thing_poses, trails=there if trails else {})

    def moments(self, times: Sequence[float]) -> Iterator[ShownMoment]:
        """Iterate over what a picture at each time [s] shows; the times must not decrease."""
        from paddock.report.drawing.animation import ShownMoment

        shown = [self.find_tick(time) for time in times]
        step = max(1, round(ROW_PERIOD / self.dt))
        between = range(self.first, shown[-1], step)  # so that trails are smooth
        for arena, paths in self._follow(sorted({*between, *shown})):
            for time, tick in zip(times, shown, strict=True):
                if tick == arena.position:
                    yield ShownMoment(time, arena.world, arena.poses, arena.thing_poses, dict(paths))

    def _follow(self, ticks: Iterable[int]) -> Iterator[tuple[ReplayArena, dict[str, list[tuple[float, float]]]]]:
        """Iterate over the replay at some ticks, with the paths up to there of the robots that are there."""
        arena, paths = self.replay(), dict[str, list[tuple[float, float]]]()
        jumps, before = {name: self._jumps(name) for name in self.robots}, arena.position
        for tick in dict.fromkeys(ticks):
            arena.seek(tick)
            for name, (x, y, _) in zip(arena.numbers, arena.poses.tolist(), strict=True):
                jumped = any(before * self.dt < time <= tick * self.dt for time in jumps[name])
                paths.setdefault(name, []).extend([(math.nan, math.nan)] * jumped + [(x, y)])
            before = tick
            yield arena, {name: path for name, path in paths.items() if name in arena}

    def check(self) -> float:
        """Simulate the whole recording again; raise PaddockError if a state differs from the recorded one.

        Returns the time [s] of the last compared state; a truncated file has no state at its end.
        """
        arena = self.replay()
        for before, found in pairwise(self._keyframes):
            arena.go_to_keyframe(before)
            arena.play(found.tick - before.tick)
            keyframe = self.read_keyframe(found)
            if not found.is_change and arena.digest() != digest(keyframe.state, keyframe.commands):
                raise PaddockError(
                    f"{self.path}: the simulated state at {found.tick * self.dt:g} s differs from the recorded one; "
                    "the file was recorded by another version of Paddock, or is damaged"
                )
        return max(found.tick for found in self._keyframes if not found.is_change) * self.dt


def decode_log(data: bytes) -> tuple[str, str]:
    """Return the source and the text of a log message."""
    fields = decode(data)
    return bytes(fields[4][0]).decode(), bytes(fields[3][0]).decode()
