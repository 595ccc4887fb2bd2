"""Count the files of the package in which a task calls a function: how many a reader has to follow.

python tools/count_called_files.py [--list NAME]
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from shutil import copy
from types import FrameType
from typing import Any

import paddock

PACKAGE = str(Path(paddock.__file__).parent) + "/"
Run = Callable[[], Any]


class CallRecorder:
    """Notes the files whose functions are called in all threads, while `recording` is set."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.recording = False
        threading.setprofile(self._note_call)
        sys.setprofile(self._note_call)

    def _note_call(self, frame: FrameType, event: str, _: object) -> None:
        if not self.recording or event != "call" or not frame.f_code.co_filename.startswith(PACKAGE):
            return
        file = frame.f_code.co_filename.removeprefix(PACKAGE)
        if file not in self.files and not is_importing(frame):
            self.files.add(file)


def is_importing(frame: FrameType | None) -> bool:
    """Whether a frame belongs to the import of a module: its code, or a function that this calls."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(PACKAGE):
            return True
        frame = frame.f_back
    return False


@contextmanager
def open_world() -> Iterator[Run]:
    """Open a world in this process."""
    yield partial(paddock.open, "clutter")


@contextmanager
def lock_step() -> Iterator[Run]:
    """Take a step in lock-step with a server in another thread, after the first ones: step, sense, act."""
    from paddock.testing import serve

    with serve("clutter") as server, paddock.connect(server.url()) as arena:
        robot = next(iter(arena.robots.values()))
        robot.enable("proximity")

        def run_cycle() -> None:
            robot.drive(0.05, 0.05)
            arena.step(10)
            robot.proximity.read()

        run_cycle()
        yield run_cycle


@contextmanager
def explore() -> Iterator[Run]:
    """Map unknown rooms for some seconds, as `paddock map explore` does."""
    from paddock.cli.map_runs import MapRun, run_explorer

    run = MapRun(
        world="yellow-rooms",
        robot=None,
        follower="pure-pursuit",
        mapping=None,
        seconds=20.0,
        speed=None,
        seed=0,
        out=None,
        headless=True,
        port=None,
    )
    yield partial(run_explorer, run, "tour")


@contextmanager
def grade() -> Iterator[Run]:
    """Grade one submission to an exercise; its program runs in a sandbox, a process of its own."""
    from paddock.teaching.exercises import load_exercise
    from paddock.teaching.grading import grade as grade_submissions

    with tempfile.TemporaryDirectory() as folder:
        submissions = Path(folder, "submissions")
        submissions.mkdir()
        copy(load_exercise("first-drive").path("solution.py"), submissions / "ada.py")
        yield partial(grade_submissions, "first-drive", submissions, out=Path(folder, "marks"), workers=1)


@contextmanager
def population() -> Iterator[Run]:
    """Run a population of E. coli walkers."""
    from paddock.experiments.ecoli.walk.population import run_population

    yield partial(run_population, walkers=4, seconds=10.0)


TASKS = {"open": open_world, "lock-step": lock_step, "population": population, "grade": grade, "explore": explore}


def find_called_files(task: str) -> set[str]:
    """Return the files of the package whose functions a task calls, without those that imports call."""
    recorder = CallRecorder()
    with TASKS[task]() as run, redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        recorder.recording = True
        run()
        recorder.recording = False
    return recorder.files


def main() -> None:
    """Print the number of files of each task, or the files of one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--list", metavar="NAME", choices=TASKS, help="print the files of this task")
    options = parser.parse_args()
    if options.list:
        sys.stdout.write("".join(f"{file}\n" for file in sorted(find_called_files(options.list))))
        return
    for name in TASKS:  # each in a process of its own, because values are kept from the first call to the next
        done = subprocess.run([sys.executable, __file__, "--list", name], capture_output=True, text=True, check=True)
        sys.stdout.write(f"{name:12}{len(done.stdout.splitlines()):5}\n")


if __name__ == "__main__":
    main()
