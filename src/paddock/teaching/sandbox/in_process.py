"""InProcessController: runs a controller in this process without restrictions, for systems that cannot fork."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import IO, NoReturn

from paddock.teaching.sandbox import sandbox_messages as messages
from paddock.teaching.sandbox.controller_runner import ControllerJob, ControllerRunner
from paddock.teaching.sandbox.failure import FailureKind, SubmissionFailure
from paddock.teaching.sandbox.fork_server import remove_folder
from paddock.teaching.sandbox.printing import BoundedOutput


class InProcessController:
    """Replaces ControllerProcess where processes cannot fork, so that students can check their programs on Windows."""

    cpu_seconds = 0.0

    def __init__(self, job: ControllerJob) -> None:
        self._folder, self.output = job.folder, ""
        self._kept: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the controller)
        self._printed = BoundedOutput(self._kept.fileno(), job.limits.output_kb * 1024)
        self._runner = ControllerRunner(job, job.folder / job.file)
        self._read(self._call(self._runner.load))

    def send(self, message: bytes) -> None:
        """Send a message."""
        self._call(self._runner.answer, message[messages.LENGTH.size :])

    def ask(self, message: bytes, seconds: float) -> tuple[bytes, bytes]:
        """Send a message and return the answer as (letter, data); there is no time limit."""
        return self._read(self._call(self._runner.answer, message[messages.LENGTH.size :]))

    def _call(self, action: Callable[..., bytes], *arguments: bytes) -> bytes:
        """Call a function and store its printed output."""
        with redirect_stdout(self._printed), redirect_stderr(self._printed):
            return action(*arguments)

    def _read(self, frame: bytes) -> tuple[bytes, bytes]:
        letter, data = frame[4:5], frame[5:]
        if letter == messages.FAILED:
            report = messages.decode_failure(data)
            self.fail(report.kind, report.location, report.text)
        return letter, data

    def fail(self, kind: FailureKind, location: str, text: str) -> NoReturn:
        """Close the controller and raise a SubmissionFailure."""
        self.close()
        raise SubmissionFailure(kind, location.removeprefix(f"{self._folder.resolve()}/"), text, self.output)

    def close(self) -> None:
        """Store the printed output and remove the folder."""
        if not self._kept.closed:
            self._kept.seek(0)
            self.output = self._kept.read().decode("utf-8", "replace").replace(f"{self._folder.resolve()}/", "")
            self._kept.close()
        remove_folder(self._folder)
