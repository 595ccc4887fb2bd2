"""JobRunner distributes jobs to workers: results depend on the jobs only. FinishedJobs keeps the results in a file."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from paddock.core.argument_checks import check_arguments
from paddock.core.closing import Closing
from paddock.core.errors import PaddockError
from paddock.core.files import append_text, write_text
from paddock.core.jobs.process_worker import ProcessWorker
from paddock.core.jobs.results import encode_result, identify_job, recall_results
from paddock.core.jobs.worker import JobAnswer, Worker
from paddock.core.provenance import available_threads
from paddock.core.reason import explain_os_error

Job = TypeVar("Job")
Result = TypeVar("Result")
Workers: TypeAlias = int | Literal["ray"] | None
"""Number of processes on this machine, None for one per core, or `"ray"` for the cores of a cluster."""

RAY: Literal["ray"] = "ray"
MAX_DIGITS = 6  # of a number of processes


class WorkerProtocol(Protocol):
    """Interface of workers."""

    def do(self, job: Any) -> JobAnswer:
        """Do a job without ever raising an exception."""

    def close(self) -> None:
        """End the worker, even during a job."""


class NumberedAnswer(NamedTuple):
    """The number of a job and its answer."""

    number: int
    answer: JobAnswer


class JobRunner(Closing, Generic[Job, Result]):
    """A pool of workers that exists until it is closed.

    Args:
        make: called once in every worker; returns the function that does a job. Both must be defined in modules, so
            that other processes can import them. The result of the function may depend only on its job.
        workers: see `Workers`. With 1, all jobs are done in this process.
        most: maximum number of concurrent jobs, which limits the number of workers.
    """

    def __init__(
        self, make: Callable[[], Callable[[Job], Result]], workers: Workers = None, *, max_jobs: int | None = None
    ) -> None:
        self.workers = _start_workers(make, workers, max_jobs)

    def stream(self, jobs: Sequence[Job]) -> Generator[NumberedAnswer, None, None]:
        """Yield the answer of each job as soon as it is done. Jobs start in their order, so put long ones first.

        Stopping the iteration early, for example by Ctrl-C, ends the workers.
        """
        if isinstance(self.workers[0], Worker):
            yield from (NumberedAnswer(number, self.workers[0].do(job)) for number, job in enumerate(jobs))
            return
        waiting, lock = iter(list(enumerate(jobs))), threading.Lock()
        done: queue.SimpleQueue[NumberedAnswer] = queue.SimpleQueue()

        def run_worker(worker: WorkerProtocol) -> None:
            while True:
                with lock:
                    number, job = next(waiting, (None, None))
                if number is None:
                    return
                done.put(NumberedAnswer(number, worker.do(job)))

        threads = [
            threading.Thread(target=run_worker, args=(worker,), daemon=True) for worker in self.workers[: len(jobs)]
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in jobs:
                yield done.get()
        except BaseException:
            with lock:
                waiting = iter(())
            self.close()  # so that no thread keeps waiting for an answer
            raise
        finally:
            for thread in threads:
                thread.join()

    def run(
        self,
        jobs: Sequence[Job],
        progress: Callable[[int, int], None] | None = None,
        on_result: Callable[[int, Result], None] = lambda number, result: None,
    ) -> list[Result]:
        """Return the results of all jobs in the order of the jobs; raise the first failure that occurs.

        Args:
            jobs: the jobs.
            progress: called with the number of finished jobs and the total number.
            on_result: called with the number of a job and its result.
        """
        if progress is not None:
            check_arguments(progress, "progress", "done", "total")
        results: dict[int, Result] = {}
        with closing(self.stream(jobs)) as answers:
            for number, answer in answers:
                if answer.failure is not None:
                    raise answer.failure.error_to_raise()
                results[number] = answer.value
                on_result(number, answer.value)
                if progress is not None:
                    progress(len(results), len(jobs))
        return [results[number] for number in range(len(jobs))]

    def close(self) -> None:
        """End all workers."""
        for worker in self.workers:
            worker.close()


def run_jobs(
    work: Callable[[Job], Result],
    jobs: Sequence[Job],
    *,
    workers: Workers = None,
    progress: Callable[[int, int], None] | None = None,
    finished: FinishedJobs | None = None,
) -> list[Result]:
    """Return the results of all jobs, in the order of the jobs; raise the first failure that occurs.

    Args:
        work: a function defined in a module; its result may depend only on its job.
        jobs: the jobs, started in this order, so put long ones first.
        workers: see `Workers`. With 1, all jobs are done in this process.
        progress: called with the number of finished jobs and the total number.
        finished: results of an earlier call, which are not computed again, and to which new results are added. The
            `repr` of a job must contain all its parameters. Its result must consist of data classes, named tuples,
            arrays, lists and mappings, as the function's annotation declares it.
    """
    check_arguments(work, "run_jobs: work", "job")
    if progress is not None:
        check_arguments(progress, "progress", "done", "total")
    keys = [] if finished is None else [identify_job(work, job) for job in jobs]
    results: dict[int, Result] = {} if finished is None else recall_results(finished, keys, work)
    missing = [number for number in range(len(jobs)) if number not in results]
    before = len(results)
    if progress is not None and before:
        progress(before, len(jobs))

    def keep(number: int, result: Result) -> None:
        results[missing[number]] = result
        if finished is not None:
            finished.add({keys[missing[number]]: encode_result(result)})

    if missing or not jobs:  # without jobs, too, wrong workers are an error
        report = None if progress is None else lambda done, total: progress(before + done, len(jobs))
        with JobRunner[Job, Result](partial(give_work, work), workers, max_jobs=len(missing)) as runner:
            runner.run([jobs[number] for number in missing], report, keep)
    return [results[number] for number in range(len(jobs))]


def parse_workers(text: str | None) -> Workers:
    """Parse a user's input: a number of processes, or `ray`."""
    if text is None or text == RAY:
        return RAY if text else None
    if not text.isascii() or not text.isdigit() or len(text) > MAX_DIGITS:
        raise PaddockError(f"workers: expected a number of processes, or {RAY}, got {text!r}")
    _check(int(text))
    return int(text)


def _start_workers(make: Callable[[], Any], workers: Workers, max_jobs: int | None) -> list[WorkerProtocol]:
    if isinstance(workers, str) and workers == RAY:
        from paddock.core.jobs.ray_worker import RayWorker, connect_ray, count_cores

        ray = connect_ray()
        return [RayWorker(ray, make) for _ in range(_limit(count_cores(ray), max_jobs))]
    _check(workers)
    count = _limit(workers or available_threads(), max_jobs)
    return [Worker(make)] if count == 1 else [ProcessWorker(make) for _ in range(count)]


def _limit(count: int, maximum: int | None) -> int:
    return count if maximum is None else max(1, min(count, maximum))


def _check(workers: object) -> None:
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise PaddockError(f"workers: expected at least 1, or {RAY!r}, got {workers!r}")


def give_work(work: Callable[[Job], Result]) -> Callable[[Job], Result]:
    """Return the function itself: workers that need no preparation are created by `partial(give_work, function)`."""
    return work


HEAD = '{"jobs of": '  # beginning of every file


class FinishedJobs(Mapping[str, Any]):
    """Results of jobs by key, as JSON values. The key must contain everything that determines the result.

    An incomplete line of a killed process is dropped. A power failure may lose the results of about the last second.

    Args:
        path: the file, created with the first result; None: nothing is written.
        owner: name of the owner of the jobs; a file of another owner is refused.
        private: whether only this user may read the file.
    """

    def __init__(self, path: Path | None, owner: str, *, private: bool = False) -> None:
        self._path, self._owner, self._private = path, owner, private
        self._results: dict[str, Any] = {}
        if path is not None and path.exists():
            self._load(path)

    def _load(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise PaddockError(f"{path}: cannot be read: {explain_os_error(error)}") from None
        rows = text.removesuffix("\n").split("\n")  # strings may contain other line separators
        lines = [line for line in map(_read_line, rows) if line is not None]
        if not lines and not text.startswith(HEAD[: len(text)]):
            raise PaddockError(f"{path}: this file contains no results of jobs: choose another folder")
        owner = lines[0].get("jobs of") if lines else self._owner
        if owner != self._owner:
            raise PaddockError(
                f"{path}: this file contains results of {owner!r}, not of {self._owner!r}: choose another folder"
            )
        self._results = {
            line["key"]: line["result"] for line in lines if isinstance(line.get("key"), str) and "result" in line
        }
        if len(lines) < len(rows) or not text.endswith("\n"):
            write_text(path, "".join(map(_format_line, lines or [{"jobs of": self._owner}])), private=self._private)

    def add(self, results: Mapping[str, Any]) -> None:
        """Store some results, either all of them or none."""
        if self._path is not None:
            head = [] if self._path.exists() else [{"jobs of": self._owner}]
            lines = [*head, *({"key": key, "result": result} for key, result in results.items())]
            append_text(self._path, "".join(map(_format_line, lines)), private=self._private)
        self._results |= results

    def __getitem__(self, key: str) -> Any:
        return self._results[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)


def _format_line(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False) + "\n"


def _read_line(text: str) -> dict[str, Any] | None:
    try:
        line = json.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None
