"""ControllerRunner: runs a user's controller. It answers messages, and reports failures as messages."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from paddock.arena.controllers import ANSWERING, load_controllers, report_error_location
from paddock.core.errors import PaddockError
from paddock.core.observation import Observation, acting
from paddock.core.user_code import error_location, explain_error
from paddock.simulation.robots import RobotSpec
from paddock.teaching.sandbox import sandbox_messages as messages
from paddock.teaching.sandbox.audit import Forbidden
from paddock.teaching.sandbox.failure import FailureKind
from paddock.teaching.sandbox.guards import FileGuard, spare_memory
from paddock.teaching.sandbox.limits import SandboxLimits
from paddock.teaching.sandbox.sandbox_body import SandboxArena, SandboxBody, SandboxObservation

MAX_CHARACTERS = 400  # maximum characters of a text in a failure


@dataclass(frozen=True, kw_only=True)
class ControllerJob:
    """All data that a controller's process receives at its start."""

    file: str  # relative to `folder`
    folder: Path
    robot: str
    spec: RobotSpec
    dt: float  # length of a tick [s]
    parameters: Mapping[str, Any]
    devices: tuple[str, ...] | None
    limits: SandboxLimits
    file_guard: FileGuard


class ControllerRunner:
    """A controller from a file, with a restricted robot and arena."""

    def __init__(self, job: ControllerJob, file: Path) -> None:
        self.body = SandboxBody(job.robot, job.spec, job.devices)
        self._job, self._file = job, file
        self._arena: Any = SandboxArena(self.body, job.dt)
        self._robot = self._arena[job.robot]
        self._act: Callable[[Observation], Any] | None = None

    def load(self) -> bytes:
        """Import the file and create the controller. Return a READY message, or a FAILED message."""
        try:
            controllers = load_controllers(self._file, self._arena, self._job.robot, self._job.parameters)
            self._act = acting(controllers[self._job.robot])
        except BaseException as error:
            return self._pack_failure(error)
        return messages.frame(messages.READY)

    def answer(self, message: bytes) -> bytes:
        """Return the controller's answer to an observation; empty for other messages."""
        if not self._read_message(message):
            return b""
        assert self._act is not None
        try:
            self._robot.apply(self._act(self.body.seen), self._act)
        except BaseException as error:
            return self._pack_failure(error)
        return self._pack_command()

    def _read_message(self, message: bytes) -> bool:
        letter = message[:1]
        if letter == messages.READINGS:
            (now,) = messages.TIME.unpack_from(message)
            readings = np.frombuffer(bytearray(message), np.float64, offset=messages.TIME.size)
            self.body.seen = SandboxObservation(now, readings, self.body.slots)
        elif letter == messages.OBSERVATION:
            now, readings, pictures = pickle.loads(message[1:])
            self.body.seen = SandboxObservation(now, readings, self.body.slots, pictures)
        else:
            self.body.slots = pickle.loads(message[1:])
            return False
        return True

    def _pack_command(self) -> bytes:
        """Return a message with the pending command."""
        body = self.body
        if body.extras:
            return messages.frame(messages.COMMAND, messages.encode(body.take_command()))
        if body.wheels is None:
            return messages.frame(messages.SILENT)
        wheels, body.wheels = body.wheels, None
        return messages.WHEELS.pack(17, messages.DRIVE, *wheels)

    def _pack_failure(self, error: BaseException) -> bytes:
        try:
            kind, place, text = classify_error(error, self._file)
        except Exception as unprintable:  # such as an error whose `__str__` fails
            kind, place, text = classify_error(unprintable, self._file)
        failure = messages.FailedMessage(kind, shorten(place), shorten(text))
        return messages.frame(messages.FAILED, messages.encode(failure))


def classify_error(error: BaseException, file: Path) -> tuple[FailureKind, str, str]:
    """Return kind, location and text of the error that ended a controller."""
    cause = find_cause(error)
    if isinstance(cause, MemoryError):
        spare_memory()
        return "memory", error_location(cause, file) or "", "the program used more memory than allowed"
    place, text = error_location(cause, file), explain_error(cause)
    if isinstance(cause, SystemExit):
        return "exit", place or "", f"the program exited with {cause.code!r}"
    if isinstance(cause, PermissionError):
        refusal = "" if isinstance(cause, Forbidden) else "the sandbox does not allow this: "
        return "forbidden", place or "", f"{refusal}{cause}"
    if place is not None:
        return "crash", place, text
    place, colon, text = locate_error(error, file).partition(": ")
    if not colon:  # such as a file in UTF-16
        return "invalid", file.name, f"expected a Python program as UTF-8 text: {place}"
    return "invalid", place, text.removeprefix(f"{place}: ")  # errors about a whole file repeat its name


def locate_error(error: BaseException, file: Path) -> str:
    """Return the text of an error with its place: the answer is invalid, or the file defines no controller."""
    if isinstance(error, PaddockError) and error.__cause__ is not None:  # it has its place
        return str(error)
    try:
        with report_error_location(file, *ANSWERING):
            raise error
    except BaseException as report:
        return str(report)


def shorten(text: str) -> str:
    """Return the beginning and the end of a long text."""
    half = MAX_CHARACTERS // 2
    return text if len(text) <= MAX_CHARACTERS else f"{text[:half]} … {text[-half:]}"


def find_cause(error: BaseException) -> BaseException:
    """Return the exception that was raised first; handling a MemoryError may raise another one."""
    while True:
        deeper = error.__cause__ or (error.__context__ if isinstance(error, MemoryError) else None)
        if deeper is None:
            return error
        error = deeper
