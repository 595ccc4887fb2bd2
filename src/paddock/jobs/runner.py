"""JobRunner: shares jobs out to workers. Results depend on the jobs alone, never on how many workers there are."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from typing import Any, Generic, Literal, NamedTuple, Protocol, Self, TypeAlias, TypeVar

from paddock.core.errors import PaddockError
from paddock.core.provenance import available_threads
from paddock.jobs.process_worker import ProcessWorker
from paddock.jobs.worker import JobAnswer, Worker

Job = TypeVar("Job")
Result = TypeVar("Result")
Workers: TypeAlias = int | Literal["ray"] | None
"""Processes of this machine, None: one for every core; or `"ray"`, the cores of a cluster."""

RAY: Literal["ray"] = "ray"


class AnyWorker(Protocol):
    """Who does jobs."""

    def do(self, job: Any) -> JobAnswer:
        """Do a job, and never raise."""

    def close(self) -> None:
        """End, whatever it does at the moment."""


class NumberedAnswer(NamedTuple):
    """The number of a job, and what came of it."""

    number: int
    answer: JobAnswer


class JobRunner(Generic[Job, Result]):
    """Workers that stay until it is closed.

    Args:
        make: called once in every worker, gives the function that does a job. Both are of modules, so that other
            processes find them; what the function returns may depend on its job only.
        workers: see `Workers`. With 1, all is done in this process.
        most: as many workers as there will ever be jobs at a time.
    """

    def __init__(
        self, make: Callable[[], Callable[[Job], Result]], workers: Workers = None, *, most: int | None = None
    ) -> None:
        self.workers = _hire(make, workers, most)

    def stream(self, jobs: Sequence[Job]) -> Generator[NumberedAnswer, None, None]:
        """What came of each job, as soon as it is done. They are begun in their order: long ones should come first.

        Whoever stops listening, be it by Ctrl-C, ends the workers as well.
        """
        if isinstance(self.workers[0], Worker):
            yield from (NumberedAnswer(number, self.workers[0].do(job)) for number, job in enumerate(jobs))
            return
        waiting, lock = iter(list(enumerate(jobs))), threading.Lock()
        done: queue.SimpleQueue[NumberedAnswer] = queue.SimpleQueue()

        def toil(worker: AnyWorker) -> None:
            while True:
                with lock:
                    number, job = next(waiting, (None, None))
                if number is None:
                    return
                done.put(NumberedAnswer(number, worker.do(job)))

        threads = [threading.Thread(target=toil, args=(worker,), daemon=True) for worker in self.workers[: len(jobs)]]
        for thread in threads:
            thread.start()
        try:
            for _ in jobs:
                yield done.get()
        except BaseException:
            with lock:
                waiting = iter(())
            self.close()  # so that no thread waits for an answer
            raise
        finally:
            for thread in threads:
                thread.join()

    def run(self, jobs: Sequence[Job], progress: Callable[[int, int], None] | None = None) -> list[Result]:
        """The results of all jobs in the order of the jobs; the first failure that comes is raised.

        Args:
            jobs: what to do.
            progress: told how many are done, and how many there are.
        """
        results: dict[int, Result] = {}
        with closing(self.stream(jobs)) as answers:
            for number, answer in answers:
                if answer.failure is not None:
                    raise answer.failure.error
                results[number] = answer.value
                if progress is not None:
                    progress(len(results), len(jobs))
        return [results[number] for number in range(len(jobs))]

    def close(self) -> None:
        """End all workers."""
        for worker in self.workers:
            worker.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def run_jobs(
    work: Callable[[Job], Result],
    jobs: Sequence[Job],
    *,
    workers: Workers = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """The results of all jobs, in the order of the jobs; the first failure that comes is raised.

    Args:
        work: a function of a module; what it returns may depend on its job only.
        jobs: started in this order, so long ones should come first.
        workers: see `Workers`. With 1, all is done in this process.
        progress: told how many are done, and how many there are.
    """
    with JobRunner[Job, Result](partial(_give, work), workers, most=len(jobs)) as runner:
        return runner.run(jobs, progress)


def parse_workers(text: str | None) -> Workers:
    """What a user wrote: a number of processes, or `ray`."""
    if text is None or text == RAY:
        return RAY if text else None
    if not text.isascii() or not text.isdigit():
        raise PaddockError(f"workers: expected a number of processes, or {RAY}, got {text!r}")
    _check(int(text))
    return int(text)


def _hire(make: Callable[[], Any], workers: Workers, most: int | None) -> list[AnyWorker]:
    if isinstance(workers, str) and workers == RAY:
        from paddock.jobs.ray_worker import RayWorker, connect_ray, count_cores

        ray = connect_ray()
        return [RayWorker(ray, make) for _ in range(_limit(count_cores(ray), most))]
    _check(workers)
    count = _limit(workers or available_threads(), most)
    return [Worker(make)] if count == 1 else [ProcessWorker(make) for _ in range(count)]


def _limit(count: int, most: int | None) -> int:
    return count if most is None else max(1, min(count, most))


def _check(workers: object) -> None:
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise PaddockError(f"workers: expected at least 1, or {RAY!r}, got {workers!r}")


def _give(work: Callable[[Job], Result]) -> Callable[[Job], Result]:
    return work
