"""SandboxedController and SandboxedProgram: users' controllers that run in separate processes with limits."""

from __future__ import annotations

import math
import pickle
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from paddock.arena import Robot
from paddock.arena.base_arena import BaseArena
from paddock.arena.controllers import Drivers
from paddock.core.closing import Closing
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.observation import Command, Observation, Slot
from paddock.core.user_code import check_file
from paddock.teaching.sandbox import guards
from paddock.teaching.sandbox import sandbox_messages as messages
from paddock.teaching.sandbox.controller_process import ControllerProcess
from paddock.teaching.sandbox.controller_runner import ControllerJob
from paddock.teaching.sandbox.failure import SubmissionFailure
from paddock.teaching.sandbox.fork_server import fork_server
from paddock.teaching.sandbox.in_process import InProcessController
from paddock.teaching.sandbox.limits import SandboxLimits
from paddock.teaching.sandbox.submissions import Submission, printable_name

PAIR = Struct("<dd")


class SandboxedController(Closing):
    """Use it like any other controller: `arena.run(60, {"red": SandboxedController(file, arena["red"])})`.

    The process starts immediately. A file that cannot be loaded raises a SubmissionFailure here; later errors raise one
    in `act`. The process uses a copy of the file. After closing, `output` contains the printed text.

    Args:
        file: a controller file as for `paddock run --controller`, with `act`, a class `Controller`, or `CONTROLLERS`.
        robot: the robot to drive.
        parameters: keyword arguments of the class.
        devices: the devices that the controller may read; None: all enabled ones.
        folder: the user's folder, all of which the controller may read; None: the file only.
        limits: the resource limits; None: the defaults of SandboxLimits.
    """

    def __init__(
        self,
        file: str | Path,
        robot: Robot,
        *,
        parameters: Mapping[str, Any] = MappingProxyType({}),
        devices: Iterable[str] | None = None,
        folder: Path | None = None,
        limits: SandboxLimits | None = None,
    ) -> None:
        self.file, self._folder, self._robot, self._limits = Path(file), folder, robot, limits or SandboxLimits()
        self._parameters, self._devices = dict(parameters), None if devices is None else tuple(devices)
        check_file(self.file, str(self.file))
        for name in self._devices or ():
            if name not in robot.devices:
                raise UnknownName(f"device of {robot.name}", name, robot.devices)
        self.failure: SubmissionFailure | None = None
        self.output, self.cpu_seconds = "", 0.0
        self._process: ControllerProcess | InProcessController | None = None
        self._start()

    def _start(self) -> None:
        self._slots: Mapping[str, Slot] | None = None  # the slots last sent to the process
        self._chosen: Any = slice(None)  # indices of the readings that the process receives
        try:
            job = self._make_job()
            self._process = ControllerProcess(job, self._sources()) if guards.CAN_FORK else InProcessController(job)
        except SubmissionFailure as failure:
            self.failure = failure
            raise

    def _make_job(self) -> ControllerJob:
        private = Path(tempfile.mkdtemp(dir=fork_server().folder if guards.CAN_FORK else None))
        name = printable_name(self.file)
        if self._folder is None:
            shutil.copyfile(self.file, private / name)
        else:
            name = str(self.file.resolve().relative_to(self._folder.resolve()))
            shutil.copytree(self._folder, private, symlinks=True, dirs_exist_ok=True)
        return ControllerJob(
            file=name,
            folder=private,
            robot=self._robot.name,
            spec=self._robot.spec,
            dt=self._robot.arena.dt,
            parameters=self._parameters,
            devices=self._devices,
            limits=self._limits,
            file_guard=guards.find_file_guard(),
        )

    def _sources(self) -> dict[str, Path]:
        """Return the submitted files by their names in the folder of the process."""
        if self._folder is None:
            return {printable_name(self.file): self.file}
        files = (path for path in self._folder.rglob("*.py") if path.is_file() and not path.is_symlink())
        return {path.relative_to(self._folder).as_posix(): path for path in files}

    def act(self, observation: Observation) -> Command | tuple[float, float] | None:
        """Return the answer of the user's controller. After a failure, raise the same failure again."""
        if self.failure is not None:
            raise self.failure
        if self._process is None:
            self._start()
        assert self._process is not None
        try:
            letter, data = self._process.ask(self._encode(observation), self._limits.answer_seconds)
            return self._decode(self._process, letter, data)
        except SubmissionFailure as failure:
            self.failure = failure
            self.close()
            raise

    def _encode(self, observation: Observation) -> bytes:
        time, row, slots, pictures = observation.parts()
        if slots is not self._slots and slots != self._slots:
            self._choose(slots)
        if pictures:
            shots = {name: shot for name, shot in pictures.items() if self._devices is None or name in self._devices}
            return messages.frame(messages.OBSERVATION, pickle.dumps((time, row[self._chosen], shots)))
        readings: bytes = row[self._chosen].tobytes()
        return messages.HEAD.pack(16 + len(readings), messages.READINGS, time) + readings

    def _choose(self, slots: Mapping[str, Slot]) -> None:
        """Send the layout of the following readings to the process, which receives only those of allowed devices."""
        assert self._process is not None
        self._slots, self._chosen = slots, slice(None)
        known = dict(slots)
        if self._devices is not None:
            known = {name: slot for name, slot in slots.items() if name in self._devices}
            self._chosen = np.concatenate([np.arange(0), *(np.arange(s.first, s.last) for s in known.values())])
            first = 0
            for name, slot in known.items():
                known[name] = Slot(first, first := first + slot.last - slot.first, slot.show)
        self._process.send(messages.frame(messages.SLOTS, pickle.dumps(known)))

    def _decode(
        self, process: ControllerProcess | InProcessController, letter: bytes, data: bytes
    ) -> Command | tuple[float, float] | None:
        """Return the decoded answer; raise a failure of kind `invalid` for anything else."""
        if letter == messages.DRIVE and len(data) == PAIR.size:
            left, right = PAIR.unpack(data)
            if math.isfinite(left) and math.isfinite(right):
                return left, right
        elif letter == messages.SILENT:
            return None
        elif letter == messages.COMMAND:
            try:
                command = messages.decode_command(data)
                self._robot.apply(command)  # fails if it names LEDs or pan joints that the robot does not have
                return command
            except (msgspec.DecodeError, PaddockError) as error:
                process.fail("invalid", "", f"the program sent an invalid command: {error}")
        return process.fail("invalid", "", "the program sent an invalid answer")

    def reset(self) -> None:
        """Restart the controller in a new process."""
        self.close()
        self.failure = None
        self._start()

    def end(self, reason: str) -> None:
        """Close the controller at the end of a run."""
        self.close()

    def close(self) -> None:
        """End the process; the next observation starts another one."""
        if self._process is not None:
            self._process.close()
            self.output, self.cpu_seconds = self._process.output, self._process.cpu_seconds
            self._process = None


@dataclass(frozen=True, kw_only=True)
class SandboxedProgram:
    """A controller file. Each robot's controller runs in its own process and reads only the allowed devices."""

    file: Path
    devices: tuple[str, ...]  # that the program may read
    folder: Path | None = None  # folder whose files all belong to the program; None: the file only
    limits: SandboxLimits = field(default_factory=SandboxLimits)

    def make(self, arena: BaseArena) -> Drivers:
        """Start the program for each robot; the processes end with the run."""
        controllers: dict[str, Any] = {}
        try:
            for name, robot in arena.robots.items():
                controllers[name] = SandboxedController(
                    self.file, robot, devices=self.devices, folder=self.folder, limits=self.limits
                )
        except BaseException:
            for controller in controllers.values():
                controller.close()
            raise
        return Drivers(controllers=controllers, devices=dict.fromkeys(controllers, self.devices))

    def describe(self) -> dict[str, Any]:
        """Return the digest of its files, and what limits it."""
        files = Submission(name="", file=self.file, folder=self.folder).digest()
        return {"program": files, "devices": self.devices, "limits": self.limits.to_table()}

    def report_error_locations(self) -> AbstractContextManager[None]:
        """Failures of a program name their location themselves."""
        return nullcontext()
