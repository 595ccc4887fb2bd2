"""Recorder: records a running arena in an MCAP file: exact states, and messages for visualisation tools."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from paddock.arena import Arena
from paddock.arena.compiled_run import CompiledRecording
from paddock.arena.episodes import Event
from paddock.core.closing import Closing
from paddock.core.errors import SimulationError, format_value
from paddock.core.reason import explain_os_error
from paddock.core.user_code import warn_user
from paddock.core.version import VERSION
from paddock.report.recordings.exact import (
    CHANGE,
    INPUTS,
    KEYFRAME,
    MOST_TICKS,
    SCHEMAS,
    WORLD,
    encode_inputs,
    encode_keyframe,
    encode_world,
)
from paddock.report.recordings.mcap_file import Chunk, McapFile
from paddock.report.recordings.streams import StreamRates, Streams
from paddock.simulation.engine.input_layout import InputLayout
from paddock.simulation.engine.model import Floats
from paddock.simulation.engine.state import State
from paddock.simulation.engine.tape import HEAD, LOOK

FLUSH = 0.5  # wall seconds after which recorded data are on the disk
LARGEST_CHUNK = 1 << 20  # bytes, uncompressed; a larger chunk is written immediately
MAX_WAITING = 2048  # samples of robots for visualisation tools
KEYFRAME_WORK = 16_384  # ticks × robots between two keyframes; limits the work to seek to a tick
LEAST_TICKS = 64  # between two keyframes


def record(
    arena: Arena,
    path: str | Path,
    *,
    rates: StreamRates | None = None,
    all_devices: bool = False,
    flush: float | None = FLUSH,
    people: Mapping[str, str] | None = None,
) -> Recorder:
    """Record an arena until the recorder is closed.

    Args:
        arena: a local arena.
        path: the file, usually `….mcap`; an existing file is replaced.
        rates: message rates for visualisation tools; the exact states do not depend on them.
        all_devices: write readings of all devices (except cameras and poll-only ones), not only of enabled ones.
        flush: wall seconds after which recorded data are on the disk. None: data are written in large chunks, so that
            equal runs give equal files, byte for byte.
        people: names of the owners of robots, by robot, for display in a replay.
    """
    if not isinstance(arena, Arena) or arena.is_real:
        raise SimulationError(f"record: expected a local simulation, got {format_value(arena)}")
    arena.check_live("record")
    if arena.recorder is not None:
        raise SimulationError("record: this arena is already being recorded; close its recorder first")
    settings = rates or StreamRates()
    return Recorder(arena, Path(path), settings, all_devices=all_devices, flush=flush, people=people or {})


class Recorder(Closing):
    """A recording in progress. The arena calls it at every tick and every intervention.

    Ticks of a recording start at the arena's tick, and keep increasing when the arena's clock is set back.
    """

    def __init__(
        self,
        arena: Arena,
        path: Path,
        rates: StreamRates,
        *,
        all_devices: bool,
        flush: float | None,
        people: Mapping[str, str],
    ) -> None:
        self.arena, self.path, self._people = arena, path, people
        self.failure = ""  # why recording has stopped early
        self._file = McapFile(path, f"paddock {VERSION}")
        self._channels = {topic: self._file.channel(topic, schema) for topic, schema in SCHEMAS.items()}
        self._exact = Chunk()
        self._layout = -1
        self._closing = threading.Event()
        with arena.mutex:
            self._now = self._first = arena.tick
            self._offset = 0  # recording tick minus arena tick
            self.streams = Streams(arena, self._file, rates, all_devices=all_devices)
            self._begin(KEYFRAME)
            arena.recorder = self
            self._write()  # so that the file has a world, even if this process is killed
        if flush is not None:
            threading.Thread(target=self._keep_flushing, args=(flush,), name="paddock-recorder", daemon=True).start()
        atexit.register(self.close)  # for programs that do not close it

    # ---- callbacks of the arena

    def room(self, run: CompiledRecording | None = None) -> int:
        due = self._due if run is not None else min(self._due, self.streams.due)
        return max(1, due - self._now)

    def after_ticks(self, run: CompiledRecording | None = None) -> None:
        self._now = self.arena.tick + self._offset
        self._tape[LOOK] = 1.0
        if run is not None:
            self.streams.follow(run, self._now)
        elif self._now >= self.streams.due:
            self.streams.sample(self._now)
        if self._now >= self._due:
            self._drain()
            self._add_keyframe(KEYFRAME)
            if self._exact.size > LARGEST_CHUNK or self.streams.waiting > MAX_WAITING:
                self._write()

    def after_change(self) -> None:
        self._drain()
        self._offset = self._now - self.arena.tick
        self._begin(CHANGE)

    def add_event(self, event: Event) -> None:
        self.streams.add_event(self._now, event)

    # ---- exact states

    def _begin(self, topic: str) -> None:
        """Start a new section with the current state and robots."""
        arena = self.arena
        if arena.layout != self._layout:
            self._layout = arena.layout
            self._inputs = InputLayout(arena.commands[0], arena.motion)
            self._period = max(LEAST_TICKS, min(MOST_TICKS, KEYFRAME_WORK // max(1, len(arena.numbers))))
            self._exact.add(self._channels[WORLD], self._time, encode_world(arena, self._people))
            self.streams.note_robots(self._now)
        self._tape = self._inputs.new_tape(arena.commands[0], arena.motion, self._period)
        arena.scratch = arena.scratch._replace(tape=self._tape)
        self._first = self._now
        self._add_keyframe(topic)
        self.streams.sample(self._now)

    def _drain(self) -> None:
        """Add the commands since the last call."""
        keys, values = self._inputs.take_entries(self._tape)
        if self._now > self._first:
            time = self.streams.find_time(self._first)
            self._exact.add(self._channels[INPUTS], time, encode_inputs(self._first, self._now, keys, values))
            self._first = self._now

    def _add_keyframe(self, topic: str) -> None:
        self._encode_keyframe(topic, self.arena.state, self.arena.commands)
        self._due = self._now + self._period

    def _add_last_keyframe(self) -> None:
        """Add a keyframe with the commands of the last tick, because robots may have been stopped after it."""
        arena, inputs = self.arena, self._inputs
        state, commands = arena.state.copy(), arena.commands.copy()
        motion = state.motion[0, arena.tick % state.motion.shape[1]]
        inputs.apply(np.arange(inputs.count), self._tape[HEAD : HEAD + inputs.count, 0], commands[0], motion)
        self._encode_keyframe(KEYFRAME, state, commands)

    def _encode_keyframe(self, topic: str, state: State, commands: Floats) -> None:
        self._exact.add(self._channels[topic], self._time, encode_keyframe(self._now, state, commands))

    @property
    def _time(self) -> int:
        return self.streams.find_time(self._now)

    # ---- the file

    def _write(self, *, last: bool = False) -> None:
        """Write two chunks: exact states, which Paddock reads again, and messages for other tools."""
        exact, self._exact = self._exact, Chunk()
        try:
            self._file.write_chunk(exact)
            self._file.write_chunk(self.streams.take_chunk())
            if last:
                self._file.close()
        except OSError as error:  # a failed recording must not stop the run
            self._detach()
            self.failure = explain_os_error(error)
            warn_user(f"{self.path}: cannot be written, recording has stopped: {self.failure}")

    def _keep_flushing(self, seconds: float) -> None:
        while not self._closing.wait(seconds):
            with self.arena.mutex:
                if self.arena.recorder is self:
                    self._drain()
                    self._write()

    def _detach(self) -> None:
        self._closing.set()
        atexit.unregister(self.close)
        self._file.abandon()
        self.arena.recorder = None
        self.arena.scratch = self.arena.scratch._replace(tape=self._tape[:0])

    def close(self) -> None:
        """End the recording; the arena continues."""
        with self.arena.mutex:
            if self.arena.recorder is not self:
                return
            self._now = self.arena.tick + self._offset  # Ctrl-C may have prevented the last callback
            self.streams.sample(self._now)
            self._drain()
            self._add_last_keyframe()
            self._write(last=True)
            if self.arena.recorder is self:
                self._detach()

    def __repr__(self) -> str:
        return f"<Recorder {self.path}>"
