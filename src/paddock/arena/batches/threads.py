"""Thread pool for kernels, which release the GIL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

from paddock.core.errors import SimulationError
from paddock.core.provenance import available_threads

Job = TypeVar("Job")


def count_threads(threads: int | None, what: str) -> int:
    """Return a number of threads, by default one for every core; errors begin with `what`."""
    if threads is None:
        return available_threads()
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise SimulationError(f"{what}: expected a whole number >= 1, or None for all, got {threads!r}")
    return threads


def run_in_threads(jobs: Iterable[Job], work: Callable[[int, Job], None], threads: int) -> None:
    """Execute all jobs, `work(thread number, job)`, in several threads. The calling thread has number 0.

    Threads take jobs one by one, so that slow jobs do not delay the rest. After an error or Ctrl-C, the current jobs
    are completed, and the exception is raised here.
    """
    queue, lock = iter(jobs), threading.Lock()
    failures: list[BaseException] = []

    def run_worker(thread: int) -> None:
        try:
            while not failures:
                with lock:
                    job = next(queue, queue)
                if job is queue:
                    return
                work(thread, job)  # type: ignore[arg-type]
        except BaseException as error:
            failures.append(error)

    helpers = [threading.Thread(target=run_worker, args=(thread,), daemon=True) for thread in range(1, threads)]
    for helper in helpers:
        helper.start()
    run_worker(0)
    while any(helper.is_alive() for helper in helpers):
        try:
            for helper in helpers:
                helper.join()
        except KeyboardInterrupt as error:
            failures.append(error)
    if failures:
        raise failures[0]
