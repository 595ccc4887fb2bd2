"""Worker: makes its work once, then does job after job; it never raises, but answers with a result or a failure."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.places import error_location, problem_of

CLOSED = "the worker was closed"  # what those answer who get a job nevertheless


@dataclass(frozen=True, slots=True)
class JobFailure:
    """Why a job has no result."""

    problem: str  # in one line, with its place in the user's files
    trace: str  # the whole traceback
    error: BaseException  # what was raised; of another process only if it can travel

    @classmethod
    def of(cls, error: BaseException) -> JobFailure:
        """What is known of an exception that is being handled."""
        where = error_location(error)
        problem = f"{where}: {problem_of(error)}" if where else problem_of(error)
        return cls(problem, "".join(traceback.format_exception(error)), error)

    def __reduce__(self) -> tuple[Any, ...]:
        """How it travels: an error that could not be read at the other end is told in its words."""
        error = self.error
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = PaddockError(self.problem)
        return JobFailure, (self.problem, self.trace, error)


@dataclass(frozen=True, slots=True)
class JobAnswer:
    """What came of a job: its result, or why there is none."""

    value: Any = None
    failure: JobFailure | None = None


class Worker:
    """Does jobs where it is: in this process, in one that it is alone in, or as an actor of Ray.

    Args:
        make: gives the function that does a job. It is called when the first job comes.
    """

    def __init__(self, make: Callable[[], Callable[[Any], Any]]) -> None:
        self._make = make
        self._work: Callable[[Any], Any] | None = None

    def do(self, job: Any) -> JobAnswer:
        """Do a job."""
        try:
            if self._work is None:
                self._work = self._make()
            return JobAnswer(value=self._work(job))
        except (Exception, SystemExit) as error:
            return JobAnswer(failure=JobFailure.of(error))

    def close(self) -> None:
        """Nothing to give back."""


def serve() -> None:
    """The life of a process that does jobs: they come by standard input, and it ends with whoever sends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that shares the jobs out
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what jobs print is no answer
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(messages,), daemon=True).start()
    try:
        make = pickle.loads(messages.get())
    except Exception as error:
        make = partial(_raise, error)
    worker = Worker(make)
    while True:
        try:
            data = pickle.dumps(worker.do(pickle.loads(messages.get())))
        except Exception as error:  # what was sent, or is to be sent, cannot travel
            data = pickle.dumps(JobAnswer(failure=JobFailure.of(error)))
        answers.write(len(data).to_bytes(8, "big") + data)
        answers.flush()


def _listen(messages: queue.SimpleQueue[bytes]) -> None:
    """Take in what comes; when nobody can send any more, nobody wants an answer either."""
    while message := sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(8), "big")):
        messages.put(message)
    os._exit(0)


def _raise(error: Exception) -> Any:
    raise error
