"""Threads for kernels, which run without Python's own lock: a list of jobs, done by several hands."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

from paddock.core.provenance import available_threads

__all__ = ["available_threads", "share_out"]

Job = TypeVar("Job")


def share_out(jobs: Iterable[Job], work: Callable[[int, Job], None], threads: int) -> None:
    """Do all jobs, `work(hand, job)`, with so many hands; the calling thread is hand 0.

    Jobs are taken one by one, so that slow ones do not hold up the rest. An error, or Ctrl-C, ends the work
    after the jobs in hand, and is raised here.
    """
    queue, lock = iter(jobs), threading.Lock()
    failures: list[BaseException] = []

    def toil(hand: int) -> None:
        try:
            while not failures:
                with lock:
                    job = next(queue, queue)
                if job is queue:
                    return
                work(hand, job)  # type: ignore[arg-type]
        except BaseException as error:
            failures.append(error)

    helpers = [threading.Thread(target=toil, args=(hand,), daemon=True) for hand in range(1, threads)]
    for helper in helpers:
        helper.start()
    toil(0)
    while any(helper.is_alive() for helper in helpers):
        try:
            for helper in helpers:
                helper.join()
        except KeyboardInterrupt as error:
            failures.append(error)
    if failures:
        raise failures[0]
