"""Recording: what an arena did, from a file: to look at, to measure, to go on from."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from paddock.core.display import display_html
from paddock.core.errors import PaddockError, UnknownName, format_value
from paddock.core.numeric import all_finite
from paddock.engine.state import digest
from paddock.episodes import Event, Trace
from paddock.episodes.events import MOTIONS, Kind
from paddock.episodes.recorder import TraceRecorder
from paddock.recordings.exact import (
    CHANGE,
    INPUTS,
    KEYFRAME,
    WORLD,
    Inputs,
    Keyframe,
    decode_inputs,
    decode_keyframe,
    decode_people,
    decode_world,
)
from paddock.recordings.protobuf import decode
from paddock.recordings.reading import MessagePlace, RecordingFile
from paddock.recordings.replay import ReplayArena
from paddock.robots import RobotSpec
from paddock.worlds.build import BuiltWorld

if TYPE_CHECKING:
    import pandas
    from PIL.Image import Image

ROW_PERIOD = 0.1  # [s] between two rows of a trace, unless told otherwise
TRAIL_POINTS = 2000  # of a picture


class KeyframePlace(NamedTuple):
    """Where a keyframe lies."""

    tick: int  # of the recording
    is_change: bool  # somebody had intervened: it holds for later ticks only
    place: MessagePlace


class Recording:
    """A recording in a file. One that was cut off is read up to where it ends.

    Times [s] are those of the recording: they go on where the arena's clock was set back, else they are the arena's.
    """

    def __init__(self, path: str | Path) -> None:
        self.file = RecordingFile(path)
        self.path = self.file.path
        places = self.file.places
        if not places(WORLD) or not places(KEYFRAME):
            raise PaddockError(f"{path}: expected a recording of Paddock's: there are no exact states in it")
        self.dt = self.world_of(KeyframePlace(0, False, places(KEYFRAME)[0])).model.dt
        found = [(place, topic == CHANGE) for topic in (KEYFRAME, CHANGE) for place in places(topic)]
        found.sort(key=lambda entry: entry[0][1:])  # as they were written
        self._keyframes = [KeyframePlace(self._tick(place), change, place) for place, change in found]
        self._keyframe_ticks = [keyframe.tick for keyframe in self._keyframes]
        self._input_ticks = [self._tick(place) for place in places(INPUTS)]
        self.first, self.last = self._keyframe_ticks[0], self._keyframe_ticks[-1]  # ticks
        if self._input_ticks:
            self.last = max(self.last, self.find_inputs(self._input_ticks[-1]).end)

    def _tick(self, place: MessagePlace) -> int:
        return round(place.time / (self.dt * 1e9))

    def __repr__(self) -> str:
        cut = "" if self.is_whole else ", cut off"
        return f"<Recording {self.path.name}: {self.start:g} s to {self.end:g} s{cut}>"

    def _repr_html_(self) -> str | None:
        return display_html("recording", self)

    @property
    def is_whole(self) -> bool:
        """Whether it was closed; else its program was killed, or the file was cut off later."""
        return self.file.is_whole

    @property
    def start(self) -> float:
        """When it begins [s]."""
        return self.first * self.dt

    @property
    def end(self) -> float:
        """When it ends [s]."""
        return self.last * self.dt

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """What happened, in order of time."""
        return tuple(self._event(place) for place in self.file.places("/log"))

    def _event(self, place: MessagePlace) -> Event:
        source, text = self.file.decode(place, decode_log)
        kind, _, robot = source.partition("/")
        return Event(time=self._tick(place) * self.dt, kind=cast(Kind, kind), robot=robot or None, text=text)

    # ---- arenas

    def replay(self, at: float | None = None) -> ReplayArena:
        """An arena that does what was recorded, from a time [s] on; None: from the start."""
        return ReplayArena(self, self.first if at is None else self.tick_of(at))

    def arena(self, at: float | None = None) -> ReplayArena:
        """A live arena, as it was at a time [s], to the last bit; None: at the end."""
        arena = ReplayArena(self, self.last if at is None else self.tick_of(at))
        arena.go_live()
        return arena

    def tick_of(self, time: float) -> int:
        """The tick of a time [s]."""
        if not all_finite(time) or not self.start - self.dt / 2 <= time <= self.end + self.dt / 2:
            raise PaddockError(
                f"{self.path}: expected a time from {self.start:g} to {self.end:g} s, got {format_value(time)}"
            )
        return round(time / self.dt)

    # ---- what a ReplayArena needs

    def find_keyframe(self, tick: int) -> KeyframePlace:
        """The last one that leads to a tick: interventions at that tick come later."""
        number = bisect_right(self._keyframe_ticks, tick) - 1
        while number > 0 and self._keyframes[number].tick == tick and self._keyframes[number].is_change:
            number -= 1
        return self._keyframes[max(0, number)]

    def read_keyframe(self, found: KeyframePlace) -> Keyframe:
        """An exact state."""
        world = self.world_of(found)
        return self.file.decode(found.place, lambda data: decode_keyframe(data, world))

    def world_of(self, found: KeyframePlace) -> BuiltWorld:
        """The world of a keyframe, with the robots that there were."""
        before = [place for place in self.file.places(WORLD) if place[1:] < found.place[1:]]
        if not before:
            raise PaddockError(f"{self.path}: damaged: there is no world before its state at tick {found.tick}")
        world: BuiltWorld = self._build(before[-1])
        return world

    @cached_property
    def _build(self) -> Any:
        return lru_cache(None)(lambda place: self.file.decode(place, decode_world))

    def find_inputs(self, tick: int) -> Inputs:
        """What robots were told around a tick."""
        if number := bisect_right(self._input_ticks, tick):
            inputs = self.file.decode(self.file.places(INPUTS)[number - 1], decode_inputs)
            if inputs.first <= tick < inputs.end:
                return inputs
        raise PaddockError(f"{self.path}: damaged: what robots were told at {tick * self.dt:g} s is missing")

    # ---- what was recorded

    def trace(self, robot: str, *, every: float = ROW_PERIOD, devices: str | Sequence[str] = ()) -> Trace:
        """What one robot did, with readings of any of its devices, whether they were enabled then or not.

        Args:
            robot: its name.
            every: seconds between two rows, rounded to whole ticks.
            devices: what to read: a name, or several.
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
        """When somebody put a robot elsewhere: the first tick at which that can be seen."""
        return [e.time + self.dt for e in self.events if e.kind in MOTIONS and e.robot in (None, robot)]

    @property
    def robots(self) -> tuple[str, ...]:
        """The names of all robots that were there at some time."""
        return tuple(self.robot_specs())

    @cached_property
    def people(self) -> dict[str, str]:
        """Whose robots they were, by robot: those of a class have names as people write them."""
        worlds = [self.file.decode(place, decode_people) for place in self.file.places(WORLD)]
        return {robot: name for people in worlds for robot, name in people.items()}

    def robot_specs(self) -> dict[str, RobotSpec]:
        """The kinds of all robots that were there at some time, by name."""
        worlds = [self._build(place) for place in self.file.places(WORLD)]
        pairs = [zip(world.spec.robots, world.robots, strict=True) for world in worlds]
        return {placed.name: spec for world in pairs for placed, spec in world}

    def to_pandas(
        self, robot: str, *, every: float = ROW_PERIOD, devices: str | Sequence[str] = ()
    ) -> pandas.DataFrame:
        """What one robot did, as a pandas DataFrame; the arguments are those of `trace`."""
        return self.trace(robot, every=every, devices=devices).to_pandas()

    def picture(self, at: float | None = None, *, trails: bool = True) -> Image:
        """The world from above at a time [s], with the robots' paths up to then; None: at the end."""
        from paddock.draw.world import draw_world

        end = self.last if at is None else self.tick_of(at)
        arena, step = self.replay(), max(1, round(ROW_PERIOD / self.dt), (end - self.first) // TRAIL_POINTS)
        paths: dict[str, list[tuple[float, float]]] = {}
        jumps = {name: self._jumps(name) for name in self.robots}
        before = arena.position
        for tick in dict.fromkeys([*(range(self.first, end, step) if trails else ()), end]):
            arena.seek(tick)
            for name, (x, y, _) in zip(arena.numbers, arena.poses.tolist(), strict=True):
                jumped = any(before * self.dt < time <= tick * self.dt for time in jumps[name])
                paths.setdefault(name, []).extend([(math.nan, math.nan)] * jumped + [(x, y)])
            before = tick
        there = {name: path for name, path in paths.items() if name in arena} if trails else {}
        return draw_world(arena.world, poses=arena.poses, trails=there)

    def check(self) -> float:
        """Run all of it again; a PaddockError where that comes to another state than was recorded.

        Returns the time [s] of the last state to compare with; what was cut off has none at its end.
        """
        arena = self.replay()
        for before, found in pairwise(self._keyframes):
            arena.go_to_keyframe(before)
            arena.play(found.tick - before.tick)
            keyframe = self.read_keyframe(found)
            if not found.is_change and arena.digest() != digest(keyframe.state, keyframe.commands):
                raise PaddockError(
                    f"{self.path}: run again, it comes to another state at {found.tick * self.dt:g} s than was "
                    "recorded; it was made by another version of Paddock, or is damaged"
                )
        return max(found.tick for found in self._keyframes if not found.is_change) * self.dt


def decode_log(data: bytes) -> tuple[str, str]:
    """The source and the text of a line of the log."""
    fields = decode(data)
    return bytes(fields[4][0]).decode(), bytes(fields[3][0]).decode()
