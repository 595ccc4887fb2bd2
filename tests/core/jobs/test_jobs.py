"""Jobs: ordered results from any number of workers; failures, worker deaths and Ctrl-C affect only their job."""

from __future__ import annotations

import base64
import math
import pickle
import signal
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import paddock
from core.jobs import work
from paddock.core.geometry import Pose
from paddock.core.jobs import FinishedJobs, JobRunner, parse_workers, run_jobs
from paddock.core.jobs.results import decode_result, encode_result, identify_job
from paddock.simulation.robots import RobotSpec
from paddock.simulation.worlds import Wall
from paddock.testing import wait_for

BOTH = pytest.mark.parametrize("workers", [1, 2])


def give(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return function


@BOTH
def test_results_have_the_order_of_the_jobs(workers: int) -> None:
    told: list[tuple[int, int]] = []
    assert run_jobs(abs, [-3, 4, -5, 6], workers=workers, progress=lambda *done: told.append(done)) == [3, 4, 5, 6]
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


@BOTH
def test_job_exception_propagates_to_the_caller(workers: int) -> None:
    with pytest.raises(ValueError, match=r"math domain error|nonnegative"):
        run_jobs(math.sqrt, [1.0, -1.0], workers=workers)


def test_empty_job_list_and_zero_workers() -> None:
    assert run_jobs(abs, []) == []
    with pytest.raises(paddock.PaddockError, match="workers: expected at least 1, or 'ray', got 0"):
        run_jobs(abs, [1], workers=0)


def test_workers_option_is_parsed() -> None:
    assert [parse_workers(text) for text in (None, "3", "ray")] == [None, 3, "ray"]
    with pytest.raises(paddock.PaddockError, match="workers: expected a number of processes, or ray, got 'rays'"):
        parse_workers("rays")


def test_worker_initialises_its_work_once() -> None:
    with JobRunner(work.make_counter, 2) as runner:
        first, second = runner.run([1, 2]), runner.run([3, 4, 5])
    assert [job for job, _ in (*first, *second)] == [1, 2, 3, 4, 5]
    assert sum(done == 1 for _, done in (*first, *second)) <= 2


def test_dead_worker_loses_only_its_job() -> None:
    jobs = ["a", "killed", "b", "exit", "print"]
    with JobRunner(partial(give, work.die), 2) as runner:
        answers = dict(runner.stream(jobs))
    assert [answers[number].value for number in (0, 2, 4)] == ["a", "b", "print"]
    killed, left = answers[1].failure, answers[3].failure
    assert killed is not None
    assert killed.problem == "the worker process died: killed by SIGKILL"
    assert left is not None
    assert "SystemExit: 3" in left.problem


def test_unpicklable_errors_and_results_are_reported_as_text() -> None:
    with pytest.raises(paddock.PaddockError, match=r"work\.py line \d+: no job called '[xy]'"):
        run_jobs(work.refuse, ["x", "y"], workers=2)
    with pytest.raises(Exception, match=r"[Cc]an't (get|pickle) local object"):
        run_jobs(work.give_function, [1, 2], workers=2)


def test_script_without_a_main_guard_is_not_run_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "print('once')\nfrom paddock.core.jobs import run_jobs\nprint(run_jobs(abs, [-1, -2], workers=2))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout == "once\n[1, 2]\n"


def has_ended(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes as Linux shows them")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_workers_exit_with_their_parent_process(end: signal.Signals, tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r}); from core.jobs import work\n"
        f"from paddock.core.jobs import run_jobs; run_jobs(work.wait, {[str(file) for file in files]}, workers=2)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True) as process:
        wait_for(lambda: all(file.exists() and file.read_text() for file in files))
        workers = [file.read_text() for file in files]
        process.send_signal(end)
        _, told = process.communicate()
    assert ("KeyboardInterrupt" in told) == (end == signal.SIGINT)
    wait_for(lambda: all(map(has_ended, workers)))


def test_closing_the_stream_ends_the_workers() -> None:
    before = threading.active_count()
    with JobRunner(partial(give, abs), 2) as runner:
        answers = runner.stream([-1] * 1000)
        next(answers)
        answers.close()
    wait_for(lambda: threading.active_count() == before)


def test_finished_jobs_survive_a_truncated_file(tmp_path: Path) -> None:
    path = tmp_path / "finished.jsonl"
    finished = FinishedJobs(path, "a")
    finished.add({"x": [0.1, math.inf], "y": None})
    finished.add({"z": "ü"})
    whole = path.read_bytes()
    for cut in range(0, len(whole) + 1, 5):
        path.write_bytes(whole[:cut])
        found = dict(FinishedJobs(path, "a"))
        assert found.items() <= dict(finished).items()
        FinishedJobs(path, "a").add({"w": 1})
        assert dict(FinishedJobs(path, "a")) == {**found, "w": 1}
    with pytest.raises(
        paddock.PaddockError, match="this file contains results of 'a', not of 'b': choose another folder"
    ):
        FinishedJobs(path, "b")


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupted_jobs_continue_where_they_stopped(tmp_path: Path, workers: int) -> None:
    path, done = tmp_path / "finished.jsonl", list[tuple[int, int]]()
    with pytest.raises(ZeroDivisionError):
        run_jobs(work.invert, [1, 2, 0, 4], workers=1, finished=FinishedJobs(path, "test"))
    path.write_bytes(path.read_bytes()[:-9])  # the process was killed while it wrote
    found = run_jobs(
        work.invert,
        [1, 2, 4],
        workers=workers,
        progress=lambda *now: done.append(now),
        finished=FinishedJobs(path, "test"),
    )
    assert found == [Pose(1.0, 0.0, 1), Pose(0.5, 0.0, 1), Pose(0.25, 0.0, 1)]
    assert done == [(1, 3), (2, 3), (3, 3)]
    done.clear()
    run_jobs(
        work.invert,
        [1, 2, 4],
        workers=workers,
        progress=lambda *now: done.append(now),
        finished=FinishedJobs(path, "test"),
    )
    assert done == [(3, 3)]


@dataclass(frozen=True)
class Measured:
    """A result with everything that results may consist of."""

    pose: Pose
    values: NDArray[np.float64]
    wall: Wall
    by_name: Mapping[str, tuple[int, ...]]
    kind: Literal["good", "bad"]
    spread: float | None = None
    best: Sequence[tuple[float, float]] = ()


def test_stored_results_come_back_as_declared() -> None:
    wall = Wall(points=((0, 0), (1, 0)), height=0.3)
    given = Measured(
        Pose(1.0, 2.0, 0.5), np.array([[1.0, np.nan]]), wall, {"a": (1, 2)}, "good", best=[(0.1, math.inf)]
    )
    found: list[Measured] = decode_result(encode_result([given]), list[Measured])
    np.testing.assert_array_equal(found[0].values, given.values)
    assert replace(found[0], values=given.values) == given


@pytest.mark.parametrize("given", [{"pose": 1}, [1, 2], "text", None, 3.5])
def test_stored_results_of_another_type_are_refused(given: object) -> None:
    with pytest.raises((TypeError, ValueError, KeyError, AttributeError)):
        decode_result(encode_result(given), Measured)


def test_file_of_finished_jobs_cannot_run_code(tmp_path: Path) -> None:
    """A pickle could; even one that only names classes of Paddock imports a file when it creates a robot of it."""
    path, text = tmp_path / "finished.jsonl", encode_result([1.0, 2.0, 0.5])
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'harm')!r}, 'w')\nclass X: pass\n")
    robot = RobotSpec.from_table, ({"base": "e-puck", "sensors": [{"name": "s", "kind": f"{tmp_path}/evil.py:X"}]},)

    class Harmful:
        def __reduce__(self) -> tuple[object, ...]:
            return robot

    pickled = base64.b64encode(zlib.compress(pickle.dumps(Harmful()))).decode()
    FinishedJobs(path, "test").add({identify_job(work.invert, 2): text, identify_job(work.invert, 4): pickled})
    assert run_jobs(work.invert, [2, 4], workers=1, finished=FinishedJobs(path, "test")) == [
        Pose(1.0, 2.0, 0.5),
        Pose(0.25, 0.0, 1),
    ]
    assert not (tmp_path / "harm").exists()


def test_function_without_a_declared_result_is_refused_before_it_runs(tmp_path: Path) -> None:
    with pytest.raises(paddock.PaddockError, match="give_nothing: annotate what it returns"):
        run_jobs(work.give_nothing, [1], workers=1, finished=FinishedJobs(tmp_path / "finished.jsonl", "test"))


def test_finished_jobs_keep_unicode_line_separators(tmp_path: Path) -> None:
    FinishedJobs(tmp_path / "finished.jsonl", "mine").add({"a": "x\u2028y\x85z", "b": 1})
    assert dict(FinishedJobs(tmp_path / "finished.jsonl", "mine")) == {"a": "x\u2028y\x85z", "b": 1}


def test_unrelated_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n", encoding="utf-8")
    with pytest.raises(
        paddock.PaddockError, match=r"notes\.txt: this file contains no results of jobs: choose another folder"
    ):
        FinishedJobs(path, "a")
    assert path.read_text(encoding="utf-8") == "my notes\n"
    with pytest.raises(paddock.PaddockError, match="cannot be read: Is a directory"):
        FinishedJobs(tmp_path, "a")


def test_unpicklable_function_is_refused() -> None:
    with pytest.raises(
        paddock.PaddockError, match="this function cannot be sent to other processes: define it in a module"
    ):
        run_jobs(lambda job: job, [1, 2], workers=2)


def test_overlong_number_of_workers_is_refused() -> None:
    with pytest.raises(paddock.PaddockError, match="workers: expected a number of processes, or ray, got '9999"):
        parse_workers("9" * 5000)


@BOTH
def test_a_job_that_exits_does_not_end_the_program(workers: int) -> None:
    with pytest.raises(paddock.PaddockError, match=r"work.py line \d+: SystemExit: 3: a job called sys.exit"):
        run_jobs(work.die, ["exit", "a"], workers=workers)
