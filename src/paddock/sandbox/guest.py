"""The process of a user's controller: gives itself up to its limits, loads the file, and answers observations."""

from __future__ import annotations

import faulthandler
import os
import pickle
import random
import signal
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from paddock.arena.controllers import ANSWERING, load_controllers, telling_place
from paddock.core.observation import Observation, acting
from paddock.core.places import error_location, problem_of
from paddock.robots import RobotSpec
from paddock.sandbox import messages
from paddock.sandbox.failure import FailureKind
from paddock.sandbox.guards import confine, spare_memory
from paddock.sandbox.guest_body import GuestArena, GuestBody
from paddock.sandbox.limits import SandboxLimits
from paddock.sandbox.printing import BoundedOutput

MOST_LETTERS = 400  # of a text in a failure


@dataclass(frozen=True, kw_only=True)
class GuestJob:
    """What a controller's process needs to know; no more reaches it."""

    file: str  # within its folder
    folder: Path
    robot: str
    spec: RobotSpec
    dt: float  # length of a tick [s]
    parameters: Mapping[str, Any]
    devices: tuple[str, ...] | None
    limits: SandboxLimits


def be_guest(talk: int, faults: int) -> None:
    """Answer until the other side hangs up, or something goes wrong."""
    exchange = Exchange(talk)
    job: GuestJob = pickle.loads(exchange.read()[1:])
    os.chdir(job.folder)
    file = Path(job.file)
    sys.stdout = sys.stderr = BoundedOutput(1, job.limits.output_kb * 1024)
    faulthandler.enable(faults)
    if hasattr(signal, "SIGXCPU"):
        faulthandler.register(signal.SIGXCPU, faults, all_threads=False, chain=True)
    body = GuestBody(job.robot, job.spec, job.devices)
    arena: Any = GuestArena(body, job.dt)
    robot = arena[job.robot]
    fix_chances(body)
    confine(job.folder, job.limits)
    try:
        act = acting(load_controllers(file, arena, job.robot, job.parameters)[job.robot])
        exchange.write(messages.frame(messages.READY))
        while True:
            read_observation(exchange, body)
            robot.apply(act(body.seen))
            send_command(exchange, body)
    except EOFError:
        pass
    except BaseException as error:
        kind, place, text = describe(error, file)
        failure = messages.FailedMessage(kind, shorten(place), shorten(text))
        exchange.write(messages.frame(messages.FAILED, messages.encode(failure)))


class Exchange:
    """Messages through a file number."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._rest = b""

    def read(self) -> bytes:
        """The next message; EOFError if there will be none."""
        data = self._rest
        while len(data) < 4 or len(data) < 4 + (length := messages.LENGTH.unpack_from(data)[0]):
            more = os.read(self._number, messages.CHUNK if len(data) < messages.CHUNK else 1 << 20)
            if not more:
                raise EOFError
            data = data + more if data else more
        self._rest = data[4 + length :]
        return data[4 : 4 + length]

    def write(self, message: bytes) -> None:
        """Send a message."""
        while message:
            message = message[os.write(self._number, message) :]


def read_observation(exchange: Exchange, body: GuestBody) -> None:
    """Wait until there is something to look at."""
    while True:
        message = exchange.read()
        letter = message[:1]
        if letter == messages.READINGS:
            (now,) = messages.TIME.unpack_from(message)
            body.seen = Observation(now, np.frombuffer(bytearray(message), np.float64, offset=16), body.slots)
            return
        if letter == messages.OBSERVATION:
            now, readings, pictures = pickle.loads(message[1:])
            body.seen = Observation(now, readings, body.slots, pictures)
            return
        body.slots = pickle.loads(message[1:])


def send_command(exchange: Exchange, body: GuestBody) -> None:
    """Send what the controller wants of its robot."""
    if body.extras:
        exchange.write(messages.frame(messages.COMMAND, messages.encode(body.take_command())))
    elif body.wheels is not None:
        exchange.write(messages.WHEELS.pack(17, messages.DRIVE, *body.wheels))
        body.wheels = None
    else:
        exchange.write(messages.frame(messages.SILENT))


def fix_chances(body: GuestBody) -> None:
    """What a program takes for chance or the time of day is the same whenever it runs; clocks show simulated time."""
    random.seed(0)
    np.random.seed(0)
    generator = np.random.default_rng
    np.random.default_rng = lambda seed=None: generator(0 if seed is None else seed)  # type: ignore[misc]
    time.time = time.monotonic = time.perf_counter = lambda: body.seen.time


def describe(error: BaseException, file: Path) -> tuple[FailureKind, str, str]:
    """Kind, place and text of what ended a controller."""
    cause = find_cause(error)
    if isinstance(cause, MemoryError):
        spare_memory()
        return "memory", error_location(cause, file) or "", "more memory than is allowed"
    place, text = error_location(cause, file), problem_of(cause)
    if isinstance(cause, SystemExit):
        return "exit", place or "", f"the program ended itself, with {cause.code!r}"
    if isinstance(cause, PermissionError):
        return "forbidden", place or "", str(cause)
    if place is not None:
        return "crash", place, text
    try:  # the answer is wrong, or there is none who could give it
        with telling_place(file, *ANSWERING):
            raise error
    except BaseException as told:
        place, _, text = str(told).partition(": ")
        return "invalid", place, text


def shorten(text: str) -> str:
    """Its beginning and its end."""
    half = MOST_LETTERS // 2
    return text if len(text) <= MOST_LETTERS else f"{text[:half]} … {text[-half:]}"


def find_cause(error: BaseException) -> BaseException:
    """What was raised first; a lack of memory may be raised again while it is told."""
    while True:
        deeper = error.__cause__ or (error.__context__ if isinstance(error, MemoryError) else None)
        if deeper is None:
            return error
        error = deeper
