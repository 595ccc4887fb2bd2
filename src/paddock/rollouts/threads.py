"""Thread pool for kernels, which release the GIL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

Job = TypeVar("Job")


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
