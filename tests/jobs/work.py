"""Work that other processes find in this file."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import paddock


def die(job: str) -> str:
    """Be killed, or exit, if that is the job."""
    if job == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if job == "exit":
        sys.exit(3)
    if job == "print":
        print("this is no answer")  # noqa: T201
    return job


def refuse(job: str) -> str:
    """An error that no other process can read."""
    raise paddock.UnknownName("job", job, ["work"])


def wait(job: str) -> None:
    """Tell that it began, and never end."""
    Path(job).write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(3600)


def make_counter() -> Callable[[int], tuple[int, int]]:
    """Counts the jobs that its worker has done."""
    done = 0

    def count(job: int) -> tuple[int, int]:
        nonlocal done
        done += 1
        return job, done

    return count


def give_function(job: object) -> object:
    """A result that cannot travel."""
    return lambda: job
