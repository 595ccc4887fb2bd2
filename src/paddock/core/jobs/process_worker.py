"""ProcessWorker: a worker in a separate process. If the process dies, only its current job fails."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.jobs.worker import CLOSED, JobAnswer, JobFailure

# Neither a fork nor `multiprocessing`, so that no threads and locks are copied and the user's script is not run again.
PROGRAM = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from paddock.core.jobs.worker import serve; serve()"


class ProcessWorker:
    """Starts its process with the first job, and again after it died. The process exits when this process ends."""

    def __init__(self, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._make, self._closed = make, False
        self._process: subprocess.Popen[bytes] | None = None

    def do(self, job: Any) -> JobAnswer:
        """Send a job and wait for the answer."""
        try:
            data = pickle.dumps(job)
            process = self._process or self._start()
            answer: JobAnswer = pickle.loads(_exchange(process, data))
            return answer
        except EOFError:
            problem = f"the worker process died: {_describe_end(self._end())}"
            return JobAnswer(failure=JobFailure.of(PaddockError(problem)))
        except Exception as error:  # the job or the answer cannot be pickled
            return JobAnswer(failure=JobFailure.of(error))

    def _start(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise PaddockError(CLOSED)
        try:
            data = pickle.dumps(self._make)
        except (AttributeError, TypeError, pickle.PicklingError) as error:
            problem = f"this function cannot be sent to other processes: define it in a module: {error}"
            raise PaddockError(problem) from None
        path = json.dumps([entry or os.getcwd() for entry in sys.path])  # noqa: PTH109 (a string is needed)
        self._process = self.launch(["-c", PROGRAM, path])
        _send(self._process, data)
        return self._process

    @staticmethod
    def launch(arguments: list[str]) -> subprocess.Popen[bytes]:
        """Start `python …` with pipes for jobs and answers."""
        return subprocess.Popen([sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def close(self) -> None:
        """End the process, even during a job."""
        self._closed = True
        self._end()

    def _end(self) -> int | None:
        """End the process and return its exit status; None if there is no process."""
        process, self._process = self._process, None
        if process is None:
            return None
        process.kill()
        with suppress(OSError), process:  # closes both pipes
            pass
        return process.returncode


def _send(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(len(data).to_bytes(8, "big") + data)
        process.stdin.flush()
    except OSError as error:
        process.wait()
        raise EOFError from error


def _exchange(process: subprocess.Popen[bytes], data: bytes) -> bytes:
    """Send a message and return the answer; raise EOFError if the process dies."""
    assert process.stdout is not None
    _send(process, data)
    length = int.from_bytes(process.stdout.read(8), "big")
    answer = process.stdout.read(length)
    if not answer or len(answer) < length:
        process.wait()
        raise EOFError
    return answer


def _describe_end(status: int | None) -> str:
    if status is None or status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
