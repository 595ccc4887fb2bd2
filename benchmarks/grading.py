"""Grade a class of 30 twice: good, poor and broken programs, two endless loops, and one that exhausts memory.

python benchmarks/grading.py --workers 2
"""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path

from paddock.teaching.exercises import Marks, check_exercise, load_exercise
from paddock.teaching.grading import Grading, grade, save_grading
from paddock.teaching.sandbox.fork_server import fork_server

EXERCISE = "line-following"
ADOPT_ORPHANS = 36  # for prctl: processes whose parent was killed become children of this one
FOLLOWER = """class Controller:
    def __init__(self):
        self.turn = {sign}

    def act(self, observation):
        left, middle, right = observation.ground
        if left < {dark} and right >= {dark}:
            self.turn = 1
        elif right < {dark} and left >= {dark}:
            self.turn = -1
        if middle < {dark}:
            return {speed}, {speed}
        return {speed} * (1 - {gain} * self.turn), {speed} * (1 + {gain} * self.turn)
"""
BROKEN = {
    "endless-act": "def act(observation):\n    while observation.time > 3:\n        pass\n    return 0.05, 0.05\n",
    "endless-import": "n = 0\nwhile True:\n    n += 1\n",
    "hog": "kept = []\n\ndef act(observation):\n    kept.append(bytearray(10**7))\n    return 0.05, 0.05\n",
    "crash": "def act(observation):\n    left, right = observation.ground\n    return 0.05, 0.05\n",
    "exits": "import sys\n\ndef act(observation):\n    sys.exit()\n",
    "forks": "import os\n\ndef act(observation):\n    while True:\n        os.fork()\n",
    "spies": "text = open('/etc/passwd').read()\n\ndef act(observation):\n    return 0.05, 0.05\n",
    "syntax": "def act(observation)\n    return 0.05, 0.05\n",
    "stands": "def act(observation):\n    return 0.0, 0.0\n",
    "prints": "def act(observation):\n    print(observation, observation.ground)\n    return 0.05, 0.05\n",
}


def write_submissions(folder: Path) -> int:
    """Write programs of 30 students; return their number."""
    texts = {f"student-{k:02d}": _follower(k) for k in range(1, 19)}
    texts["student-19"] = _follower(3).replace("self.turn", "self.side")  # a copy with a renamed attribute
    texts["student-20"] = load_exercise(EXERCISE).path("solution.py").read_text()
    for name, text in {**texts, **BROKEN}.items():
        (folder / f"{name}.py").write_text(text)
    return len(texts) + len(BROKEN)


def _follower(k: int) -> str:
    text = FOLLOWER.format(sign=1 if k % 2 else -1, dark=0.3 + 0.02 * k, speed=0.03 + 0.004 * k, gain=0.4 + 0.05 * k)
    return text if k % 3 else f"import numpy as np\n\n{text}"


def grade_timed(submissions: Path, out: Path, workers: int) -> Grading:
    shutil.rmtree(out, ignore_errors=True)
    wall, cpu = time.perf_counter(), cpu_seconds()
    done = grade(EXERCISE, submissions, out=out, workers=workers)
    runs = time.perf_counter() - wall
    save_grading(done, out / "marks.csv")
    wall = time.perf_counter() - wall
    used = cpu_seconds() - cpu
    seeds = len(done.exercise.all_seeds)
    print(f"{len(done.graded)} submissions × {seeds} seeds: {wall:.1f} s ({wall - runs:.1f} s of it reports)")
    each = f"{used / workers:.1f} s on each of {workers} cores if nobody else used them"
    print(f"    {used:.1f} s of CPU with that of the programs: {each}")
    return done


def cpu_seconds() -> float:
    """End all child processes; return the CPU time of this process and of them, with the students' programs [s]."""
    fork_server().close()
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def compare_with_check(done: Grading) -> int:
    """Return how many submissions get different marks from `check` and from `grade`, with the public seeds."""

    def results(marks: Marks) -> list[object]:
        return [[(mark.points, mark.met, repr(mark.results)) for mark in marks.checks], marks.points]

    return sum(
        results(check_exercise(done.exercise, each.submission.file)) != results(each.public) for each in done.graded
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=None, help="folder for the reports")
    given = parser.parse_args()
    ctypes.CDLL(None).prctl(ADOPT_ORPHANS, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        submissions, out = folder / "submissions", given.out or folder / "first"
        submissions.mkdir()
        write_submissions(submissions)
        done = grade_timed(submissions, out, given.workers)
        grade_timed(submissions, folder / "second", given.workers)
        names = sorted(path.relative_to(out) for path in out.rglob("*") if path.suffix in (".csv", ".html"))
        other = [name for name in names if (out / name).read_bytes() != (folder / "second" / name).read_bytes()]
        print(f"of {len(names)} files {len(other)} differ the second time {[str(name) for name in other]}")
        print(f"with the public seeds {compare_with_check(done)} get other marks by `paddock exercise check`")
        print((out / "marks.csv").read_text())


if __name__ == "__main__":
    main()
