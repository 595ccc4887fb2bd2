"""Streams: messages for visualisation tools (Foxglove, PlotJuggler) at reduced rates; Paddock does not read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Arena, Robot
from paddock.arena.arena import FOLLOWED
from paddock.arena.batches.batch_tables import (
    ROW_COLUMNS,
    ROW_COMMAND_LEFT,
    ROW_COMMAND_RIGHT,
    ROW_CONTACTS,
    ROW_LEFT,
    ROW_RIGHT,
)
from paddock.arena.compiled_run import CompiledRecording
from paddock.arena.episodes import Event
from paddock.arena.robot import SensedDevices
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError
from paddock.report.recordings.mcap_file import Chunk, Ints, McapFile
from paddock.report.recordings.robot_messages import (
    ReadingsMessages,
    ScanMessages,
    Transforms,
    encode_event,
    encode_picture,
    encode_robot_removal,
    encode_robot_scene,
    encode_states,
    encode_world_scene,
    is_scan,
    plain_sensors,
)
from paddock.report.recordings.schemas import describe_readings
from paddock.simulation.engine.model import Floats
from paddock.simulation.engine.state import (
    COMMAND_LEFT,
    COMMAND_RIGHT,
    CONTACTS,
    HEADING,
    LEFT_SPEED,
    RIGHT_SPEED,
    X,
    Y,
)

MOTION = [X, Y, HEADING, LEFT_SPEED, RIGHT_SPEED, CONTACTS]
MOTION_IN_ROW = [*range(3), ROW_LEFT, ROW_RIGHT, ROW_CONTACTS]


@dataclass(frozen=True, kw_only=True)
class StreamRates:
    """Messages per second of simulated time.

    A long compiled run has fewer messages, one for every second row of its traces, and no pictures.
    """

    poses: float = 10.0
    readings: float = 5.0
    scans: float = 2.0
    pictures: float = 1.0

    def __post_init__(self) -> None:
        for name, rate in vars(self).items():
            if not (all_finite(rate) and rate > 0):
                raise PaddockError(f"rates.{name}: expected messages per second > 0, got {rate!r}")

    def ticks(self, dt: float) -> dict[str, int]:
        """Return the ticks between two messages, by kind."""
        return {name: max(1, round(1 / (rate * dt))) for name, rate in vars(self).items()}


def handle_with_all(arena: Arena, name: str) -> Robot:
    """Return a new handle of a robot with all devices enabled, except cameras and poll-only devices."""
    robot = arena.robots.new_handle(name)
    devices = [device.name for device in robot.devices.values() if device.spec.kind != "camera" and not device.polled]
    if devices:
        robot.enable(*devices)
    return robot


class ReadingRow(NamedTuple):
    """Readings of the devices of one robot at a tick."""

    tick: int
    chosen: SensedDevices
    values: Floats
    scans: bool  # whether to include lasers


class Streams:
    """Collects samples of the first robots of an arena, and encodes many at once."""

    def __init__(self, arena: Arena, file: McapFile, rates: StreamRates, *, all_devices: bool) -> None:
        self.arena, self._file, self._all_devices = arena, file, all_devices
        self._chunk = Chunk()
        self._every = rates.ticks(arena.dt)
        self._next = dict.fromkeys(self._every, arena.tick)  # ticks of the recording
        self.due = arena.tick
        self._handles: dict[str, Robot] = {}
        self._state_channels: dict[str, int] = {}
        self._readings_of: dict[int, tuple[SensedDevices, ReadingsMessages]] = {}  # by the selection of devices
        self._scans: dict[str, ScanMessages] = {}  # by topic
        self._states: list[tuple[int, Floats]] = []
        self._readings: dict[str, list[ReadingRow]] = {}
        self._run: CompiledRecording | None = None  # the last compiled run
        self._taken = 0  # rows of it that are encoded
        self._now = arena.tick
        self._tf = file.channel("/tf", "foxglove.FrameTransforms")
        self._scene = file.channel("/scene", "foxglove.SceneUpdate")
        self._log = file.channel("/log", "foxglove.Log")
        time = self.find_time(arena.tick)
        self._chunk.add(self._scene, time, encode_world_scene(time, arena.world))

    def find_time(self, tick: int) -> int:
        """Return the time of a tick [ns]."""
        return round(tick * self.arena.dt * 1e9)

    @property
    def waiting(self) -> int:
        """Number of samples of robots that wait to be written."""
        rows = 0 if self._run is None else len(self._fresh_rows(self._run))
        return (len(self._states) + rows) * max(1, len(self._handles))

    def take_chunk(self) -> Chunk:
        """Return all messages up to now."""
        self.encode()
        chunk, self._chunk = self._chunk, Chunk()
        return chunk

    def add_event(self, tick: int, event: Event) -> None:
        """Add an event to the log."""
        self._chunk.add(self._log, self.find_time(tick), encode_event(self.find_time(tick), event))

    def note_robots(self, tick: int) -> None:
        """Update the scene after robots were added or removed."""
        self.encode()
        self._scans.clear()  # a new robot may have the name of a removed one, and another laser
        arena, time = self.arena, self.find_time(tick)
        names = list(arena.numbers)[:FOLLOWED]
        for name in [name for name in self._handles if name not in names]:
            del self._handles[name]
            self._chunk.add(self._scene, time, encode_robot_removal(time, name))
        for name in [name for name in names if name not in self._handles]:
            robot = self._handles[name] = handle_with_all(arena, name) if self._all_devices else arena[name]
            self._state_channels[name] = self._file.channel(f"/{name}/state", "paddock.RobotState")
            placed = arena.world.robots[arena.numbers[name]]
            color = placed.color or robot.spec.body.color
            self._chunk.add(self._scene, time, encode_robot_scene(time, arena.world, name, robot.spec, color))
        self._transforms = Transforms(list(self._handles))

    # ---- samples

    def sample(self, tick: int) -> None:
        """Sample the robots: states, and those readings and pictures that are due."""
        arena = self.arena
        rows = np.empty((len(self._handles), ROW_COLUMNS))
        rows[:, MOTION_IN_ROW] = arena.motion[: len(rows), MOTION]
        rows[:, ROW_COMMAND_LEFT : ROW_COMMAND_RIGHT + 1] = arena.commands[
            0, : len(rows), COMMAND_LEFT : COMMAND_RIGHT + 1
        ]
        self._states.append((tick, rows))
        if self._is_due("readings", tick):
            self._read_devices(tick, scans=self._is_due("scans", tick))
        if self._is_due("pictures", tick):
            self._take_pictures(tick)
        self._is_due("poses", tick)
        self.due = min(self._next[what] for what in ("poses", "readings", "pictures"))  # scans are readings

    def _is_due(self, what: str, tick: int) -> bool:
        due = tick >= self._next[what]
        if due:
            self._next[what] = (tick // self._every[what] + 1) * self._every[what]
        return due

    def _read_devices(self, tick: int, *, scans: bool) -> None:
        for name, robot in self._handles.items():
            chosen = robot.chosen
            if chosen.slots:
                values = np.empty(chosen.length)
                self.arena.read(self.arena.numbers[name], chosen.mask, values)
                self._readings.setdefault(name, []).append(ReadingRow(tick, chosen, values, scans))

    def _take_pictures(self, tick: int) -> None:
        time = self.find_time(tick)
        for name, robot in self._handles.items():
            for camera in robot.chosen.cameras:
                channel = self._file.channel(f"/{name}/{camera.name}", "foxglove.CompressedImage")
                self._chunk.add(channel, time, encode_picture(time, camera))

    def follow(self, run: CompiledRecording, now: int) -> None:
        """Use the rows of a compiled run, which include readings, instead of samples."""
        if run is not self._run:
            self.encode()
            self._run, self._taken = run, 0
        self._now = now

    def _fresh_rows(self, run: CompiledRecording) -> range:
        """Return the indices of the rows of a compiled run that are to be encoded now."""
        step = max(-(-self._every["poses"] // run.every), 2 if run.every > self._every["poses"] else 1)
        return range(-(-self._taken // step) * step, -(-run.loop.passed // run.every), step)

    # ---- messages

    def encode(self) -> None:
        """Encode all samples."""
        if self._run is not None:
            self._encode_rows(self._run)
        if self._states:
            ticks = np.array([tick for tick, _ in self._states])
            self._add_states(ticks, np.stack([rows for _, rows in self._states]))
            self._states = []
        for name, rows in self._readings.items():
            while rows:
                chosen = rows[0].chosen
                alike = next((i for i, row in enumerate(rows) if row.chosen is not chosen), len(rows))
                ticks = np.array([row.tick for row in rows[:alike]])
                scans = np.array([row.scans for row in rows[:alike]])
                self._add_readings(
                    self._handles[name], ticks, chosen, np.stack([row.values for row in rows[:alike]]), scans
                )
                del rows[:alike]

    def _encode_rows(self, run: CompiledRecording) -> None:
        rows = self._fresh_rows(run)
        self._taken = rows.stop
        if rows:
            ticks = self._now - run.loop.passed + run.every * np.array(rows)
            table = run.sums.trace[0, rows.start : rows.stop : rows.step]
            self._add_states(ticks, table)
            for number, robot in enumerate(self._handles.values()):
                if robot.chosen.slots and table.shape[2] > ROW_COLUMNS:
                    self._add_readings(robot, ticks, robot.chosen, table[:, number, ROW_COLUMNS:])

    def _add_states(self, ticks: Ints, table: Floats) -> None:
        """Add poses and motion of robots; the table has shape (tick, robot, ·)."""
        times = np.rint(ticks * (self.arena.dt * 1e9)).astype(np.int64)
        self._chunk.add_rows(self._tf, times, self._transforms.encode(times, table))
        for number, name in enumerate(self._handles):
            self._chunk.add_rows(self._state_channels[name], times, encode_states(table[:, number]))

    def _add_readings(
        self, robot: Robot, ticks: Ints, chosen: SensedDevices, values: Floats, scans: NDArray[np.bool_] | None = None
    ) -> None:
        """Add readings of a robot; `scans` selects the rows for which laser scans are written."""
        times = np.rint(ticks * (self.arena.dt * 1e9)).astype(np.int64)
        if id(chosen) not in self._readings_of:
            self._readings_of[id(chosen)] = chosen, ReadingsMessages(robot, chosen.slots)
        messages = self._readings_of[id(chosen)][1]
        rows = messages.encode(values)
        if rows is not None:
            schema = describe_readings(robot.spec, plain_sensors(robot.spec))
            channel = self._file.channel(f"/{robot.name}/readings", *schema)
            self._chunk.add_rows(channel, times, rows)
        wanted = slice(None) if scans is None else scans
        for device, slot in chosen.slots.items():
            if is_scan(robot.devices[device].spec) and len(times[wanted]):
                topic = f"/{robot.name}/{device}"
                if topic not in self._scans:
                    self._scans[topic] = ScanMessages(robot, device)
                rows = self._scans[topic].encode(times[wanted], values[wanted, slot.first : slot.last])
                self._chunk.add_rows(self._file.channel(topic, "foxglove.LaserScan"), times[wanted], rows)
