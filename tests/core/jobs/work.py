"""Functions that worker processes import from this file."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import paddock
from paddock.core.geometry import Pose


def die(job: str) -> str:
    """Kill the process or exit, if the job requests it."""
    if job == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if job == "exit":
        sys.exit(3)
    if job == "print":
        print("this is no answer")  # noqa: T201
    return job


def refuse(job: str) -> str:
    """Raise an exception that other processes cannot unpickle."""
    raise paddock.UnknownName("job", job, ["work"])


def wait(job: str) -> None:
    """Report the start, then block forever."""
    Path(job).write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(3600)


def make_counter() -> Callable[[int], tuple[int, int]]:
    """Count the jobs done by this worker."""
    done = 0

    def count(job: int) -> tuple[int, int]:
        nonlocal done
        done += 1
        return job, done

    return count


def give_function(job: object) -> object:
    """Return a result that cannot be pickled."""
    return lambda: job


def invert(job: int) -> Pose:
    """Return the inverse of a number as part of a pose."""
    return Pose(1 / job, 0.0, 1)


def give_nothing(job: int):  # type: ignore[no-untyped-def]
    """Declare no result."""
    raise AssertionError(job)
