"""Long class test: thirty programs, two simulated hours, crashes, hangs and a restart of the server."""

from __future__ import annotations

import os
import signal
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

import paddock
from network.server.classes_served import make_class
from network.server.parties import program
from network.server.test_class_processes import DRIVE, RunningClass, running_class, says
from paddock.core.errors import Refused
from paddock.testing import wait_for

PART = 2400.0  # simulated seconds of each of three parts
LEAST = PART / 240  # metres that a program drives in a part
DISTANCE = """
import numpy as np
from paddock.arena.referees import Referee

class Distance(Referee):
    label, unit, period = "distance", "m", 0.5

    def start(self, arena):
        self.names, self.last, self.sums = list(arena.numbers), arena.poses[:, :2], np.zeros(len(arena.numbers))

    def tick(self, arena):
        now = arena.poses[:, :2]
        self.sums += np.hypot(*(now - self.last).T)
        self.last = now

    def score(self):
        return dict(zip(self.names, self.sums.tolist()))
"""
CRASH = """
import sys, paddock
with paddock.connect(sys.argv[1]) as arena:
    arena.step(500)
    raise RuntimeError("a mistake")
"""
HANG = """
import sys, time, paddock
arena = paddock.connect(sys.argv[1], timeout=3600)
arena[sys.argv[2]].drive(0.05, 0.0)
print("ready", flush=True)
time.sleep(3600)
"""
FLOOD = """
import sys, paddock
from paddock.network.protocol import messages as m
arena = paddock.connect(sys.argv[1])
while True:
    for _ in range(1000):
        arena.dialogue.wire.send(m.SendCommands(commands={}))
    arena.step(1)
"""


def pass_time(running: RunningClass, seconds: float) -> None:
    """Wait until this much simulated time has passed since the last reset."""
    while running.teacher.ask("sense", robot="student-01")["tick"] * 0.02 < seconds:
        time.sleep(0.2)


def scores(running: RunningClass) -> dict[str, float]:
    time.sleep(1.0)  # the list is told twice a second
    (*_, last) = running.teacher.all_news("class")
    running.teacher.news.append(last)
    return {student["robot"]: student.get("best") or 0.0 for student in last["students"]}


@pytest.mark.long
@pytest.mark.timeout(1500)
def test_scores_and_programs_of_thirty_students_survive_long_lesson(tmp_path: Path) -> None:
    names = [f"Student {i:02d}" for i in range(1, 31)]
    folder = make_class(tmp_path, *names, world="hall.toml", speed=0.0)
    hall = 'name = "hall"\nbounds = [0.0, 0.0, 6.0, 6.0]\n'
    (folder.path / "hall.toml").write_text(hall)
    (folder.path / "yard.toml").write_text(hall.replace("hall", "yard").replace("6.0]", "5.0]"))
    (tmp_path / "distance.py").write_text(DISTANCE)
    referee = ("--referee", f"{tmp_path / 'distance.py'}:Distance")
    with running_class(folder, *referee) as running, ExitStack() as stack:
        honest = names[:24]
        drive = DRIVE.replace("step(5)", "step(50)")  # a decision in a simulated second
        drivers = [stack.enter_context(program(drive, *running.arguments(name))) for name in honest]
        for driver in drivers:
            says(driver, "ready")
        crashed, hung, stopped, flooding, intruder = names[24:29]
        stack.enter_context(program(CRASH, *running.arguments(crashed)))
        stack.enter_context(program(HANG, *running.arguments(hung)))
        breakpoint_ = stack.enter_context(program(DRIVE, *running.arguments(stopped)))
        says(breakpoint_, "ready")
        os.kill(breakpoint_.pid, signal.SIGSTOP)
        stack.callback(os.kill, breakpoint_.pid, signal.SIGCONT)
        stack.enter_context(program(FLOOD, *running.arguments(flooding)))
        with paddock.connect(running.arguments(intruder)[0]) as arena, pytest.raises(Refused):
            arena.claim("student-01")
        with pytest.raises(Refused):
            paddock.connect(running.process.url + "#token=guessed-token")

        pass_time(running, PART)
        running.wait(crashed, state="crashed")
        in_hall = scores(running)
        assert min(in_hall[f"student-{i:02d}"] for i in range(1, 25)) > LEAST
        assert running.teacher.ask("open_world", world="yard.toml", seed=2)["type"] == "done"
        pass_time(running, PART)
        assert min(scores(running)[f"student-{i:02d}"] for i in range(1, 25)) > LEAST
        running.restart(signal.SIGKILL)
        for driver in drivers:
            says(driver, "again")
        in_yard = scores(running)
        assert min(in_yard[f"student-{i:02d}"] for i in range(1, 25)) > LEAST
        pass_time(running, PART)
        after = scores(running)
        assert all(after[robot] >= in_yard[robot] for robot in in_yard)
        for name in honest:
            running.wait(name, state="driving")
        assert [driver.poll() for driver in drivers] == [None] * len(honest)
        assert running.teacher.ask("open_world", world="hall.toml")["type"] == "done"
        wait_for(lambda: all(now >= in_hall[robot] for robot, now in scores(running).items()))
        assert "a mistake" in running.log
        assert "does not name robot 'student-01'" in running.log
