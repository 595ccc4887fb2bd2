"""ControllerProcess: controls a controller's process. It sends requests, enforces time limits and reports failures."""

from __future__ import annotations

import ast
import pickle
import re
import signal
import socket
import struct
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, NoReturn

import msgspec

from paddock.core.user_code import parse_source
from paddock.teaching.sandbox import sandbox_messages as messages
from paddock.teaching.sandbox.controller_runner import ControllerJob
from paddock.teaching.sandbox.failure import FailureKind, SandboxLost, SubmissionFailure
from paddock.teaching.sandbox.fork_loop import DUMP, NUMBER
from paddock.teaching.sandbox.fork_server import fork_server, measure_folder, remove_folder

CHECK_PERIOD = 0.1  # [s] between two checks of a process's resource use
PROCESS_TIMEOUT = 60.0  # [s] timeout for the start and the end of a process
THIS = "thread-self"
MAX_SLEEP_RATIO = 2.0  # maximum total sleep of a process, relative to the CPU seconds of a run
TRACEBACK_TIMEOUT = 0.5  # [s] timeout for a process to write its traceback
TIMEOUT = struct.pack("@ll", 0, int(CHECK_PERIOD * 1e6))
FAULT = re.compile(rb'File "([^"\n]+)", line (\d{1,6})')
MAX_TRACEBACK_BYTES = 1 << 16


class _Deadline:
    """When the limits of an answer are checked, whether it comes slowly or not at all."""

    def __init__(self, seconds: float, task: str) -> None:
        self.seconds, self.task, self.asked = seconds, task, time.monotonic()
        self.next_check = self.asked + CHECK_PERIOD
        self.used: float | None = None  # CPU seconds of the process at the first check


class ControllerProcess:
    """A process for one run. Any failure in it raises a SubmissionFailure here.

    Args:
        job: the job, in a folder with copies of the files.
        sources: the submitted files by their names in that folder. The process may change the copies.
    """

    def __init__(self, job: ControllerJob, sources: Mapping[str, Path]) -> None:
        self._job, self._limits, self._sources = job, job.limits, sources
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (they live as long as the process)
        self._faults: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._channel, their_channel = socket.socketpair()
        self._control, their_control = socket.socketpair()
        with their_channel, their_control:
            fork_server().fork(their_channel, their_control, self._output.fileno(), self._faults.fileno())
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            self._channel.setsockopt(socket.SOL_SOCKET, option, TIMEOUT)
        self._rest, self._checked_at = b"", time.monotonic()
        self._waited, self._queued = 0.0, read_queue(THIS)  # [s] total time of all answers; queue time at the start
        self._max_sleep = MAX_SLEEP_RATIO * self._limits.run_cpu_seconds
        self._next_sleep_check = self._max_sleep  # total waiting time [s] at which the sleep time is checked next
        self._number = self._read_number(PROCESS_TIMEOUT)
        self.cpu_seconds = 0.0  # CPU time used, set at the end
        self.output = ""  # printed text, set at the end
        self._own = f"{job.folder.resolve()}/"  # removed from all texts, because the folder name differs in every run
        self.ask(messages.frame(messages.JOB, pickle.dumps(job)), self._limits.start_seconds, "to load the controller")

    def ask(self, message: bytes, seconds: float, task: str = "for an answer") -> tuple[bytes, bytes]:
        """Send a message and return the answer as (letter, data); `seconds` is the limit of CPU time for it."""
        deadline = _Deadline(seconds, task)
        self.send(message, deadline)
        data = self._rest
        while len(data) < 4 or len(data) < 4 + (length := messages.LENGTH.unpack_from(data)[0]):
            if len(data) >= 4 and not 0 < length <= messages.MAX_BYTES:
                self.fail("invalid", "", "the program sent an invalid answer")
            try:
                more = self._channel.recv(messages.CHUNK)
            except BlockingIOError:
                self._check_deadline(deadline)
                continue
            except ConnectionError:
                more = b""
            if not more:
                self._explain_end()
            if data or len(more) < 4:  # an answer in pieces: each of them may come late
                self._check_deadline(deadline)
            data = data + more if data else more
        self._rest = data[4 + length :]
        self._waited += time.monotonic() - deadline.asked
        self._check_sleep(self._waited)
        if data[4:5] == messages.FAILED:
            self._fail_as_reported(data[5 : 4 + length])
        return data[4:5], data[5 : 4 + length]

    def send(self, message: bytes, deadline: _Deadline | None = None) -> None:
        """Send a message; the program must read it before the limits of its answer are reached."""
        now = time.monotonic()
        if now - self._checked_at > CHECK_PERIOD:
            self._checked_at = now
            self._check_folder()
        rest = memoryview(message)
        deadline = deadline or _Deadline(self._limits.answer_seconds, "to read its input")
        while len(rest):
            try:
                rest = rest[self._channel.send(rest) :]
            except BlockingIOError:
                pass
            except ConnectionError:
                self._explain_end()
            if len(rest):  # a large picture, or a program that does not read
                self._check_deadline(deadline)

    def _check_deadline(self, deadline: _Deadline) -> None:
        """Check all limits of an answer, at most once per period."""
        now = time.monotonic()
        if now < deadline.next_check:
            return
        deadline.next_check = now + CHECK_PERIOD
        used = self._measure()
        if deadline.used is None:
            deadline.used = used
        self._check_limits(now - deadline.asked, used - deadline.used, deadline.seconds, deadline.task)
        self._check_sleep(self._waited + now - deadline.asked)

    def close(self) -> None:
        """End the process and store its printed output."""
        if self._output.closed:
            return
        self.cpu_seconds = max(self.cpu_seconds, self._measure())
        self._channel.close()
        self._kill()
        self._read_number(PROCESS_TIMEOUT)
        self._control.close()
        self._output.seek(0)
        output = self._output.read(self._limits.output_kb * 1024).decode("utf-8", "replace")
        self.output = output.replace(self._own, "").replace(self._own[:-1], ".")  # warnings name files
        self._output.close()
        self._faults.close()
        remove_folder(self._job.folder)

    # ---- failures

    def fail(self, kind: FailureKind, location: str, text: str) -> NoReturn:
        """End the process and raise a SubmissionFailure."""
        location = location or self._find_fault(kind)
        self.close()
        raise SubmissionFailure(kind, location, text, self.output)

    def _check_limits(self, wall: float, cpu: float, seconds: float, task: str) -> None:
        """Check the time and file limits while waiting for an answer."""
        self._check_folder()
        if cpu > seconds:
            self._dump()
            self.fail("answer-timeout", "", f"more than {seconds:g} s {task}: is there an endless loop?")
        if wall > seconds * self._limits.wall_factor:
            self._dump()
            longest = seconds * self._limits.wall_factor
            self.fail("answer-timeout", "", f"more than {longest:g} s {task}, most of it asleep: does it wait?")

    def _check_sleep(self, waited: float) -> None:
        """Check the total sleep time. Computing time, and the time that either side waits for a CPU, do not count."""
        if waited < self._next_sleep_check:
            return
        queued = read_queue(str(self._number)) + max(0.0, read_queue(THIS) - self._queued)
        asleep = waited - self._measure() - queued
        if asleep > self._max_sleep:
            text = f"more than {self._max_sleep:g} s asleep in total: a controller must answer without waiting"
            self.fail("answer-timeout", "", text)
        self._next_sleep_check = waited + max(self._max_sleep - asleep, CHECK_PERIOD)

    def _kill(self) -> None:
        with suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)

    def _dump(self) -> None:
        """Make the process write its traceback."""
        with suppress(OSError):
            self._control.send(DUMP)
        self._read_number(TRACEBACK_TIMEOUT)

    def _check_folder(self) -> None:
        used, excess = measure_folder(self._job.folder)
        if used > self._limits.folder_mb << 20:
            excess = f"more than {self._limits.folder_mb} MB of files"
        if excess:
            self.fail("forbidden", "", f"{excess} were written")

    def _fail_as_reported(self, data: bytes) -> NoReturn:
        try:
            report = messages.decode_failure(data)
        except msgspec.DecodeError:
            self.fail("invalid", "", "the program sent an invalid answer")
        place = report.location.removeprefix(self._own)  # the path is absolute if the program has changed its directory
        known = place.partition(" line ")[0] in self._sources  # reports quote the line, so other files are not allowed
        self.fail(report.kind, place if known else "", report.text.replace(self._own, ""))

    def _explain_end(self) -> NoReturn:
        """Raise the failure of a process that has ended or closed its connection without a message."""
        status = self._read_number(TRACEBACK_TIMEOUT)
        if lives := status is None:
            self._kill()
            status = self._read_number(PROCESS_TIMEOUT)
        used = self._read_number(PROCESS_TIMEOUT) or 0
        if status is None:
            self.close()
            raise SandboxLost("the sandbox's own process has ended: was it killed?")
        if status >= 0:
            self.fail("exit", "", f"the process exited with status {status}")
        name = next((known.name for known in signal.Signals if known == -status), f"signal {-status}")
        beyond = used >= 1000 * self._limits.run_cpu_seconds
        if name == "SIGXCPU" or (name == "SIGKILL" and beyond):  # SIGKILL follows if the process ignores SIGXCPU
            self.fail("cpu", "", f"more than {self._limits.run_cpu_seconds:g} s of CPU time in total")
        if name == "SIGKILL" and lives:
            self.fail("exit", "", "the program closed its connection to the simulation")
        self.fail("died", "", f"the process was killed by {name}")

    def _find_fault(self, kind: FailureKind) -> str:
        """Return the innermost location in the user's files of the traceback that a signal has written.

        For an endless loop, return the start of the outermost loop, because the line that the signal interrupts is
        random. For the CPU limit of a whole run there is no location.
        """
        self._faults.seek(0)
        folder = f"{self._job.folder}/"
        traceback = self._faults.read(MAX_TRACEBACK_BYTES)
        found = [(file.decode("utf-8", "replace"), int(line)) for file, line in FAULT.findall(traceback)]
        own = [(name, line) for path, line in found if (name := path.removeprefix(folder)) in self._sources]
        if not own or kind == "cpu":
            return ""
        name, line = own[-1] if kind == "answer-timeout" else own[0]
        if kind == "answer-timeout":
            line = find_loop(self._sources[name], line)
        return f"{name} line {line}"

    def _measure(self) -> float:
        """Return the CPU time that the process has used [s]; 0 if the system does not report it."""
        if sys.platform != "linux" or self._number is None:
            return 0.0
        try:
            return time.clock_gettime((~self._number << 3) | 2)
        except OSError:
            return 0.0

    def _read_number(self, timeout: float) -> int | None:
        """Return the next number that the fork server sends about the process; None after a timeout."""
        self._control.settimeout(timeout)
        try:
            data = self._control.recv(NUMBER.size)
        except OSError:
            return None
        return int(NUMBER.unpack(data)[0]) if len(data) == NUMBER.size else None


def read_queue(process: str) -> float:
    """Return how long a process was ready to run but waited for a CPU [s]; 0 if the system does not report it."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def find_loop(file: Path, line: int) -> int:
    """Return the first line of the outermost loop around a line, within its function; the line itself if none."""
    nodes = [] if (tree := parse_source(file)) is None else list(ast.walk(tree))
    around = [
        node for node in nodes if getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", 0) or 0)
    ]
    functions = [node.lineno for node in around if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    loops = [node.lineno for node in around if isinstance(node, ast.While | ast.For | ast.AsyncFor)]
    return min((begin for begin in loops if begin >= max(functions, default=0)), default=line)
