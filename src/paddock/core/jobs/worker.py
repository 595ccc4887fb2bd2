"""Worker: does one job after another. It never raises an exception; it returns a result or a failure."""

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
from paddock.core.user_code import error_location, explain_error

CLOSED = "the worker was closed"  # failure of jobs that arrive after closing


@dataclass(frozen=True, slots=True)
class JobFailure:
    """Failure of a job."""

    problem: str  # one line, with the location in the user's files
    trace: str  # the complete traceback
    error: BaseException  # the exception; from another process only if it can be pickled

    @classmethod
    def of(cls, error: BaseException) -> JobFailure:
        """Describe an exception that is being handled."""
        where = error_location(error)
        problem = f"{where}: {explain_error(error)}" if where else explain_error(error)
        return cls(problem, "".join(traceback.format_exception(error)), error)

    def error_to_raise(self) -> BaseException:
        """Return the exception; a PaddockError instead of a SystemExit, which would end the program without a word."""
        if isinstance(self.error, SystemExit):
            return PaddockError(f"{self.problem}: a job called sys.exit(), which ends only the job: raise an error")
        return self.error

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the failure; an exception that cannot be pickled is replaced by a PaddockError with its text."""
        error = self.error
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = PaddockError(self.problem)
        return JobFailure, (self.problem, self.trace, error)


@dataclass(frozen=True, slots=True)
class JobAnswer:
    """Answer of a worker: the result of a job, or its failure."""

    value: Any = None
    failure: JobFailure | None = None


class Worker:
    """Does jobs in its own process: this process, a worker process, or an actor of Ray.

    Args:
        make: returns the function that does a job. It is called before the first job.
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
        """Do nothing; there are no resources to release."""


def serve() -> None:
    """Run the main loop of a worker process: read jobs from standard input until the sender exits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the process that distributes the jobs
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output printed by jobs must not be mixed with answers
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
        except Exception as error:  # the job or the answer cannot be pickled
            data = pickle.dumps(JobAnswer(failure=JobFailure.of(error)))
        answers.write(len(data).to_bytes(8, "big") + data)
        answers.flush()


def _listen(messages: queue.SimpleQueue[bytes]) -> None:
    """Read messages; exit when the sender has closed the pipe, because then no process needs an answer."""
    while message := sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(8), "big")):
        messages.put(message)
    os._exit(0)


def _raise(error: Exception) -> Any:
    raise error
