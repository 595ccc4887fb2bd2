"""Many independent runs, spread over processes; the results do not depend on how many there are."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

from paddock.core.errors import PaddockError
from paddock.rollouts.threads import available_threads

Job = TypeVar("Job")
Result = TypeVar("Result")


def run_jobs(
    work: Callable[[Job], Result],
    jobs: Sequence[Job],
    *,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """The results of all jobs, in the order of the jobs.

    Args:
        work: a function of a module; what it returns may depend on its job only.
        jobs: started in this order, so long ones should come first.
        workers: processes; None: one for every core. With 1, all is done in this process.
        progress: told how many are done, and how many there are.
    """
    if workers is not None and workers < 1:
        raise PaddockError(f"workers: expected at least 1, got {workers}")
    tell = progress or (lambda done, of: None)
    count = min(workers or available_threads(), len(jobs))
    if count <= 1:
        results = []
        for job in jobs:
            results.append(work(job))
            tell(len(results), len(jobs))
        return results
    # Fresh processes on every system, not only where it is the only way: no forked threads and locks.
    pool = ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))
    try:
        futures = [pool.submit(work, job) for job in jobs]
        for done, _ in enumerate(as_completed(futures), 1):
            tell(done, len(jobs))
        return [future.result() for future in futures]
    finally:
        pool.shutdown(cancel_futures=True)
