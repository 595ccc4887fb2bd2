"""GuestProcess: this side of a controller's process: questions, answers in time, and the verdict when it ends."""

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

from paddock.sandbox import messages
from paddock.sandbox.failure import FailureKind, SandboxLost, SubmissionFailure
from paddock.sandbox.folders import measure_folder, remove_folder
from paddock.sandbox.fork_server import fork_server
from paddock.sandbox.guest import GuestJob
from paddock.sandbox.serve import DUMP, NUMBER

LOOKS = 0.1  # [s] between two looks at what a process uses up
PROCESS_TIMEOUT = 60.0  # [s] for a process to be there, or to be gone
THIS = "thread-self"
ASLEEP = 2.0  # times the CPU seconds of a run: so long it may sleep in all
LAST_WORDS = 0.5  # [s] for a process to tell where it is
TIMEOUT = struct.pack("@ll", 0, int(LOOKS * 1e6))
FAULT = re.compile(rb'File "([^"\n]+)", line (\d{1,6})')
MOST = 1 << 16  # bytes of a traceback


class GuestProcess:
    """A process for one run. Whatever goes wrong in it is raised here as a SubmissionFailure.

    Args:
        job: what it has to do, in a folder with copies.
        sources: the files that were handed in, by their names in that folder. The copies may be changed by the process.
    """

    def __init__(self, job: GuestJob, sources: Mapping[str, Path]) -> None:
        self._job, self._limits, self._sources = job, job.limits, sources
        self._output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (they live as long as the process)
        self._faults: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._talk, their_talk = socket.socketpair()
        self._life, their_life = socket.socketpair()
        with their_talk, their_life:
            fork_server().fork(their_talk, their_life, self._output.fileno(), self._faults.fileno())
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            self._talk.setsockopt(socket.SOL_SOCKET, option, TIMEOUT)
        self._rest, self._looked = b"", time.monotonic()
        self._waited, self._queued = 0.0, read_queue(THIS)  # [s] for all answers; when it began
        self._most_asleep = ASLEEP * self._limits.run_cpu_seconds
        self._suspect = self._most_asleep  # so much waiting is a reason to look how much of it was sleep
        self._number = self._read_number(PROCESS_TIMEOUT)
        self.cpu_seconds = 0.0  # used when it ended
        self.output = ""  # what it has printed, when it ended
        self._own = f"{job.folder.resolve()}/"  # no report has the name of its folder, which is another each time
        self.ask(messages.frame(messages.JOB, pickle.dumps(job)), self._limits.start_seconds, "to be imported and made")

    def ask(self, message: bytes, seconds: float, task: str = "for an answer") -> tuple[bytes, bytes]:
        """Send a message, and wait for the answer: a letter, and the rest; so many seconds of CPU it may take."""
        self.send(message)
        asked = time.monotonic()
        data, began, before = self._rest, 0.0, 0.0
        while len(data) < 4 or len(data) < 4 + (length := messages.LENGTH.unpack_from(data)[0]):
            if len(data) >= 4 and not 0 < length <= messages.MAX_BYTES:
                self.fail("invalid", "", "what came from the program is no answer")
            try:
                more = self._talk.recv(messages.CHUNK)
            except BlockingIOError:
                if not began:
                    began, before = time.monotonic(), self._measure()
                self._look(time.monotonic() - began, self._measure() - before, seconds, task)
                self._check_sleep(self._waited + time.monotonic() - asked)
                continue
            except ConnectionError:
                more = b""
            if not more:
                self._explain_end()
            data = data + more if data else more
        self._rest = data[4 + length :]
        self._waited += time.monotonic() - asked
        self._check_sleep(self._waited)
        if data[4:5] == messages.FAILED:
            self._fail_as_reported(data[5 : 4 + length])
        return data[4:5], data[5 : 4 + length]

    def send(self, message: bytes) -> None:
        """Send a message."""
        now = time.monotonic()
        if now - self._looked > LOOKS:
            self._looked = now
            self._check_folder()
        try:
            self._talk.sendall(message)
        except BlockingIOError:
            self.fail("answer-timeout", "", "the program does not listen")
        except ConnectionError:
            self._explain_end()

    def close(self) -> None:
        """End the process, and keep what it printed."""
        if self._output.closed:
            return
        self.cpu_seconds = max(self.cpu_seconds, self._measure())
        self._talk.close()
        self._kill()
        self._read_number(PROCESS_TIMEOUT)
        self._life.close()
        self._output.seek(0)
        output = self._output.read(self._limits.output_kb * 1024).decode("utf-8", "replace")
        self.output = output.replace(self._own, "")  # warnings name files
        self._output.close()
        self._faults.close()
        remove_folder(self._job.folder)

    # ---- what goes wrong

    def fail(self, kind: FailureKind, place: str, text: str) -> NoReturn:
        """End the process with a verdict."""
        place = place or self._find_fault(kind)
        self.close()
        raise SubmissionFailure(kind, place, text, self.output)

    def _look(self, wall: float, cpu: float, seconds: float, task: str) -> None:
        """While there is no answer: whether it takes too long, or writes too much."""
        self._check_folder()
        if cpu > seconds:
            self._dump()
            self.fail("answer-timeout", "", f"more than {seconds:g} s {task}: is there an endless loop?")
        if wall > seconds * self._limits.wall_factor:
            self._dump()
            longest = seconds * self._limits.wall_factor
            self.fail("answer-timeout", "", f"more than {longest:g} s {task}, most of it asleep: does it wait?")

    def _check_sleep(self, waited: float) -> None:
        """Whether it slept too long in all. To compute is no sleep, nor that either side waits for a processor."""
        if waited < self._suspect:
            return
        queued = read_queue(str(self._number)) + max(0.0, read_queue(THIS) - self._queued)
        asleep = waited - self._measure() - queued
        if asleep > self._most_asleep:
            text = f"more than {self._most_asleep:g} s asleep in all: a controller must answer, not wait"
            self.fail("answer-timeout", "", text)
        self._suspect = waited + max(self._most_asleep - asleep, LOOKS)

    def _kill(self) -> None:
        with suppress(OSError):
            self._life.shutdown(socket.SHUT_WR)

    def _dump(self) -> None:
        """Have the process tell where it is."""
        with suppress(OSError):
            self._life.send(DUMP)
        self._read_number(LAST_WORDS)

    def _check_folder(self) -> None:
        used, excess = measure_folder(self._job.folder)
        if used > self._limits.folder_mb << 20:
            excess = f"more than {self._limits.folder_mb} MB of files"
        if excess:
            self.fail("forbidden", "", f"{excess} were written")

    def _fail_as_reported(self, data: bytes) -> NoReturn:
        try:
            told = messages.decode_failure(data)
        except msgspec.DecodeError:
            self.fail("invalid", "", "what came from the program is no answer")
        place = told.place.removeprefix(self._own)  # a program that has gone elsewhere tells all of its path
        known = place.partition(" line ")[0] in self._sources  # it may name any file, and reports quote the line
        self.fail(told.kind, place if known else "", told.text.replace(self._own, ""))

    def _explain_end(self) -> NoReturn:
        """The process is gone without a word, or has closed its connection."""
        status = self._read_number(LAST_WORDS)
        if lives := status is None:
            self._kill()
            status = self._read_number(PROCESS_TIMEOUT)
        used = self._read_number(PROCESS_TIMEOUT) or 0
        if status is None:
            self.close()
            raise SandboxLost("the sandbox's own process has ended: was it killed?")
        if status >= 0:
            self.fail("exit", "", f"the process ended itself, with status {status}")
        name = next((known.name for known in signal.Signals if known == -status), f"signal {-status}")
        beyond = used >= 1000 * self._limits.run_cpu_seconds
        if name == "SIGXCPU" or (name == "SIGKILL" and beyond):  # the latter: it ignored the former
            self.fail("cpu", "", f"more than {self._limits.run_cpu_seconds:g} s of CPU time in all")
        if name == "SIGKILL" and lives:
            self.fail("exit", "", "the program closed its connection to the simulation")
        self.fail("died", "", f"the process was ended by {name}")

    def _find_fault(self, kind: FailureKind) -> str:
        """The innermost place in the user's files of the traceback that a signal left.

        Of an endless loop it is where the outermost one begins: where in it the signal came is chance. Who takes too
        long in all does so everywhere.
        """
        self._faults.seek(0)
        folder = f"{self._job.folder}/"
        found = [(file.decode("utf-8", "replace"), int(line)) for file, line in FAULT.findall(self._faults.read(MOST))]
        own = [(name, line) for path, line in found if (name := path.removeprefix(folder)) in self._sources]
        if not own or kind == "cpu":
            return ""
        name, line = own[-1] if kind == "answer-timeout" else own[0]
        if kind == "answer-timeout":
            line = find_loop(self._sources[name], line)
        return f"{name} line {line}"

    def _measure(self) -> float:
        """Seconds of CPU that the process has used; 0 where the system does not tell."""
        if sys.platform != "linux" or self._number is None:
            return 0.0
        try:
            return time.clock_gettime((~self._number << 3) | 2)
        except OSError:
            return 0.0

    def _read_number(self, timeout: float) -> int | None:
        """The next number that the fork server tells of the process; None: there is none."""
        self._life.settimeout(timeout)
        try:
            data = self._life.recv(NUMBER.size)
        except OSError:
            return None
        return int(NUMBER.unpack(data)[0]) if len(data) == NUMBER.size else None


def read_queue(process: str) -> float:
    """Seconds for which a process could have worked, but others had the processor; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def find_loop(file: Path, line: int) -> int:
    """Where the outermost loop around a line begins, within its function; the line itself where there is none."""
    try:
        nodes = list(ast.walk(ast.parse(file.read_bytes())))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # changed meanwhile, or nested too deeply
        return line
    around = [
        node for node in nodes if getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", 0) or 0)
    ]
    functions = [node.lineno for node in around if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    loops = [node.lineno for node in around if isinstance(node, ast.While | ast.For | ast.AsyncFor)]
    return min((begin for begin in loops if begin >= max(functions, default=0)), default=line)
