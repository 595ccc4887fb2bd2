"""Tasks: worlds with one robot, a fitness for every world, and the better drive gets more of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import paddock
from paddock.control.braitenberg import Braitenberg, explorer
from paddock.evolve.config import Config
from paddock.evolve.evolution import Evolution
from paddock.evolve.tasks.base import Judgement, Task
from paddock.evolve.tasks.maze import Plan, maze_task
from paddock.evolve.tasks.registry import TASKS, task_of
from paddock.worlds.mazes import make_maze


@pytest.mark.parametrize("name", TASKS)
def test_a_task_judges_every_world_with_finite_numbers(name: str) -> None:
    evolution = Evolution(Config(task=name, population=5, generations=2, seconds=3.0))
    evolution.run()
    judged = evolution.judge(evolution.strategy.ask())
    assert judged.fitness.shape == judged.solved.shape == (5,)
    assert judged.behaviour.shape == (5, 2)
    assert np.isfinite(judged.fitness).all()
    assert ((judged.behaviour >= 0) & (judged.behaviour <= 1)).all()
    assert evolution.history[-1].evaluations == 10


def driven(task: Task, policy: object, seconds: float) -> Judgement:
    batch = paddock.batch(list(task.worlds), len(task.worlds), seed=3)
    return task.judge(batch.run(seconds, policy, measures=task.measures, trace_every=task.trace_every))  # type: ignore[arg-type]


def test_avoiding_is_better_than_running_into_things() -> None:
    task = task_of(Config(task="avoid"))
    blind = Braitenberg(left=(0.0,) * 8, right=(0.0,) * 8, speed=(0.08, 0.08))
    assert driven(task, explorer(), 60.0).fitness[0] > driven(task, blind, 60.0).fitness[0] > 0


def test_the_way_to_the_exit_gets_shorter_along_the_solution() -> None:
    maze = make_maze(6, 6, seed=4)
    task = maze_task(mazes=3, size=6)
    judge = task.judge
    plan = Plan(maze, -0.005, 0.21)
    from paddock.evolve.tasks.maze import MazeJudge
    from paddock.worlds.mazes import solution

    assert isinstance(judge, MazeJudge)
    own = MazeJudge([plan], 60.0)
    centres = np.array([plan.centre(cell) for cell in solution(maze)])
    left = own.way_left(centres[None], np.zeros(1, np.int64))[0]
    assert left == pytest.approx(0.21 * np.arange(len(centres))[::-1])
    assert left[0] == own.whole[0]


def test_generated_mazes_differ_and_repeat() -> None:
    first, again, others = maze_task(mazes=3, size=5), maze_task(mazes=3, size=5), maze_task(mazes=3, size=5, first=50)
    assert first.worlds == again.worlds
    assert len({world.walls for world in (*first.worlds, *others.worlds)}) == 6
    assert first.recurrent
    assert not maze_task().recurrent


OWN = '''
import numpy as np
from paddock.evolve.tasks.maze import maze_task

def far(drive):
    """The farther, the better."""
    return drive["distance"][:, 0]

def wrong(drive):
    return 1.0

def whole():
    return maze_task(mazes=1, size=4, seconds=3.0)
'''


def evolved(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "paddock", "evolve", *options, "--population", "5", "--json"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_your_own_fitness_and_your_own_task(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    done = evolved(tmp_path, "mine:far", "--world", "clutter", "--generations", "3", "--seconds", "5")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["evaluations"], summary["solved"]) == (15, False)
    assert 0 < summary["best_fitness"] < 1
    whole = evolved(tmp_path, "mine:whole", "--generations", "1")
    assert json.loads(whole.stdout)["worlds"] == 1
    wrong = evolved(tmp_path, "mine:wrong", "--world", "clutter", "--seconds", "1")
    assert wrong.returncode == 2
    assert "expected a fitness for each of 5 worlds" in wrong.stderr
    nowhere = evolved(tmp_path, "mine:far")
    assert "Name a world with one robot, --world" in nowhere.stderr


def test_a_champion_can_be_watched(tmp_path: Path) -> None:
    done = evolved(tmp_path, "maze", "--generations", "2", "--seconds", "5", "--out", "found", "--test", "2")
    summary = json.loads(done.stdout)
    assert set(summary) >= {"solved", "best_fitness", "evaluations", "wall_s", "compile_s", "test_solved"}
    run = [sys.executable, "-m", "paddock", "run", "found/world.toml", "--policy", "found/champion.npz"]
    watched = subprocess.run(
        [*run, "--headless", "--seconds", "5"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert watched.returncode == 0, watched.stderr
    assert "scout" in watched.stdout
    other = subprocess.run(
        [*run[:4], "clutter", *run[5:], "--headless"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert other.returncode == 2
    assert "range" in other.stderr
