"""ReplayArena: an arena that replays a recording, forwards and backwards, until it goes live."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.arena import Arena, Device, Snapshot
from paddock.arena.local_body import LocalBody
from paddock.core.argument_checks import check_ticks
from paddock.core.errors import Refused
from paddock.core.geometry import Pose
from paddock.core.observation import WheelSpeeds
from paddock.report.recordings.exact import Inputs
from paddock.simulation.engine.input_layout import InputLayout
from paddock.simulation.engine.model import Floats, Ints
from paddock.simulation.engine.state import COMMAND_LEFT, COMMAND_RIGHT

if TYPE_CHECKING:
    from paddock.report.recordings.recording import KeyframeLocation, Recording


class ReplayBody(LocalBody):
    """A robot in a recording; it refuses commands until the arena is live."""

    arena: ReplayArena

    def set_wheels(self, left: float, right: float, third: float = 0.0) -> None:
        self.arena.check_live(self.name)
        super().set_wheels(left, right, third)

    def set_pan(self, device: Device, angle: float) -> None:
        self.arena.check_live(self.name)
        super().set_pan(device, angle)

    def set_led(self, number: int, brightness: float) -> None:
        self.arena.check_live(self.name)
        super().set_led(number, brightness)

    def set_tone(self, frequency: float, amplitude: float) -> None:
        self.arena.check_live(self.name)
        super().set_tone(frequency, amplitude)

    def set_pose(self, pose: Pose) -> None:
        self.arena.check_live(self.name)
        super().set_pose(pose)


class ReplayArena(Arena):
    """An arena at a tick of a recording, in the state before any interventions at that tick.

    Ticks of a recording equal the arena's ticks, but keep increasing when the arena's clock is set back.
    """

    body_class = ReplayBody

    def __init__(self, recording: Recording, tick: int) -> None:
        self.recording, self.live = recording, False
        found = recording.find_keyframe(tick)
        super().__init__(recording.build_keyframe_world(found))
        self.go_to_keyframe(found)
        self.seek(tick)

    def seek(self, tick: int) -> None:
        """Go to a tick of the recording, or to its nearest end."""
        self.check_replay("seek")
        with self.mutex:
            tick = min(self.recording.last, max(self.recording.first, tick))
            found = self.recording.find_keyframe(tick)
            missed = found.is_change and found.tick == self.position and not self._changed
            if tick < self.position or found.tick > self.position or missed:
                self.go_to_keyframe(found)
            self.play(tick - self.position)

    def go_to_keyframe(self, location: KeyframeLocation) -> None:
        """Set the state of a keyframe."""
        if (world := self.recording.build_keyframe_world(location)) is not self.built:
            self.adopt(world)
        keyframe = self.recording.read_keyframe(location)
        self.take_over(keyframe.state, keyframe.commands)
        self.position = keyframe.tick  # tick of the recording
        self._changed = location.is_change  # whether interventions at this tick are applied
        self._layout = InputLayout(self.commands[0], self.motion)
        self._inputs = Inputs(0, 0, np.zeros(0, np.int64), np.zeros(0))

    def play(self, ticks: int) -> None:
        """Replay ticks without interventions."""
        for _ in range(ticks):
            numbers, values = self._coming_inputs()
            if len(numbers):
                self._layout.apply(numbers, values, self.commands[0], self.motion)
            self._step(self.model, self.state, self.commands, self.scratch, 1)
            self.position += 1
            self._changed = False

    def _coming_inputs(self) -> tuple[Ints, Floats]:
        """Return the input numbers and values of the commands at this tick."""
        if not self._inputs.first <= self.position < self._inputs.end:
            self._inputs = self.recording.find_inputs(self.position)
            ticks, self._numbers = np.divmod(self._inputs.keys, max(1, self._layout.count))
            starts = np.flatnonzero(np.diff(ticks, prepend=-1))
            bounds = [*starts.tolist(), len(ticks)]
            self._slices = dict(zip(ticks[starts].tolist(), pairwise(bounds), strict=True))  # by the arena's tick
        first, end = self._slices.get(self.tick, (0, 0))
        return self._numbers[first:end], self._inputs.values[first:end]

    def coming_command(self, robot: str) -> WheelSpeeds:
        """Return the commanded wheel speeds [m/s] of a robot at this tick."""
        commands, motion = self.commands[0].copy(), self.motion.copy()
        if self.position < self.recording.last and not self.live:
            self._layout.apply(*self._coming_inputs(), commands, motion)
        return WheelSpeeds(*commands[self.numbers[robot], COMMAND_LEFT : COMMAND_RIGHT + 1].tolist())

    def advance(self, n: int) -> None:
        if self.live:
            super().advance(n)
        else:
            self.seek(self.position + check_ticks(n))

    def reset(self, seed: int | None = None) -> None:
        if self.live:
            super().reset(seed)
        elif seed is not None:
            self.check_live("reset with another seed")
        else:
            self.seek(self.recording.first)

    def go_live(self) -> None:
        """End the replay: from here on robots execute commands instead of the recording."""
        self.check_replay("go live")
        self.live = True

    def check_replay(self, what: str) -> None:
        """Refuse an action that only a replay supports."""
        if self.live:
            raise Refused(f"{what}: this arena went live at {self.position * self.dt:g} s of its recording")

    def check_live(self, what: str) -> None:
        if not self.live:
            raise Refused(f"{what}: a replay cannot be changed: go live first with `arena.go_live()`")

    def _spawn(self, *robot: Any) -> None:
        self.check_live("spawn")
        super()._spawn(*robot)

    def restore(self, snapshot: Snapshot) -> None:
        self.check_live("restore")
        super().restore(snapshot)

    def remove(self, name: str) -> None:
        self.check_live("remove")
        super().remove(name)
