"""Tests of the tasks: worlds, fitness and solved criteria."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import paddock
from command_line import Printed
from command_line import paddock as command
from paddock.arena.batches.batch_result import BatchResult
from paddock.arena.batches.batch_tables import ROW_COLUMNS, ROW_X
from paddock.control.policies.braitenberg import Braitenberg, explorer
from paddock.learning.evolve.evolution import Evolution, FitnessWarning
from paddock.learning.evolve.evolution_study import evolve, resume
from paddock.learning.evolve.options import EvolutionConfig
from paddock.learning.evolve.tasks.evolution_task import Evaluation, EvolutionTask
from paddock.learning.evolve.tasks.evolution_task_registry import TASKS, make_task
from paddock.learning.evolve.tasks.maze_task import MazeFitness, MazePlan, make_maze_task
from paddock.learning.evolve.tasks.user_fitness import make_fitness_task
from paddock.learning.evolve.tasks.wall_follow import WallFitness
from paddock.simulation.worlds import WorldSpec, load_world
from paddock.simulation.worlds.mazes import make_maze
from paddock.simulation.worlds.world_spec import Box, Cylinder, Wall


@pytest.mark.parametrize("name", TASKS)
def test_task_evaluates_every_world_with_finite_values(name: str) -> None:
    evolution = Evolution(EvolutionConfig(task=name, population=5, generations=2, seconds=3.0))
    evolution.run()
    judged = evolution.evaluator(evolution.strategy.ask())
    assert judged.fitness.shape == judged.solved.shape == (5,)
    assert judged.behaviour.shape == (5, 2)
    assert np.isfinite(judged.fitness).all()
    assert ((judged.behaviour >= 0) & (judged.behaviour <= 1)).all()
    assert evolution.history[-1].evaluations == 10


@pytest.mark.usefixtures("without_pictures")
@pytest.mark.parametrize("name", [*TASKS, "mazes"])
def test_evolution_resumes_with_the_worlds_it_wrote(name: str, tmp_path: Path) -> None:
    mazes = 2 if name == "mazes" else None
    task = "maze" if mazes else name
    evolve(EvolutionConfig(task=task, mazes=mazes, population=2, generations=1, seconds=1.0), out=tmp_path)
    assert len(resume(tmp_path, generations=2).evolution.history) == 2


def driven(task: EvolutionTask, policy: object, seconds: float) -> Evaluation:
    batch = paddock.batch(list(task.worlds), len(task.worlds), seed=3)
    return task.evaluate(batch.run(seconds, policy, metrics=task.metrics, every=task.trace_every))  # type: ignore[arg-type]


def test_avoiding_scores_higher_than_colliding() -> None:
    task = make_task(EvolutionConfig(task="avoid"))
    blind = Braitenberg(left=(0.0,) * 8, right=(0.0,) * 8, speed=(0.08, 0.08))
    assert driven(task, explorer(), 60.0).fitness[0] > driven(task, blind, 60.0).fitness[0] > 0


def made_up(trace: object = None, **results: list[float]) -> BatchResult:
    """Make a drive in several worlds with one robot and the given metrics."""
    worlds = len(next(iter(results.values())))
    rows = np.zeros((worlds, 1 if trace is None else len(trace[0]), 1, ROW_COLUMNS))  # type: ignore[index]
    if trace is not None:
        rows[:, :, 0, ROW_X : ROW_X + 2] = trace
    return BatchResult(
        metrics={name: np.array(values, float)[:, None] for name, values in results.items()},
        ticks=np.full(worlds, 100),
        poses=rows[:, -1, :, ROW_X : ROW_X + 3],
        rows=rows,
        last=rows[:, -1:],
        devices=[[]],
        every=1,
        reached=np.zeros(worlds, bool),
        start=np.zeros(worlds, np.int64),
        batch=paddock.batch("empty", 1),
    )


def test_avoid_fitness_rewards_speed_and_penalises_contacts() -> None:
    judge = make_task(EvolutionConfig(task="avoid", seconds=60.0)).evaluate
    good, slow, one, long = 0.129, 0.02, 1, 30
    drive = made_up(
        avoidance=[0.5, 0.2, 0.5, 0.5], contacts=[0, 0, one, one], contact_time=[0, 0, 0.1, long],
        mean_speed=[good, slow, good, good], visited=[40, 2, 40, 40],
    )  # fmt: skip
    judged = judge(drive)
    assert judged.fitness[0] > judged.fitness[2] > judged.fitness[3]
    assert judged.fitness[0] > judged.fitness[1]
    assert judged.solved.tolist() == [1, 0, 0, 0]
    in_circles = judge(replace(drive, metrics={**drive.metrics, "visited": drive["visited"] / 4}))
    assert (in_circles.fitness < judged.fitness).all()
    assert not in_circles.solved.any()


def test_line_fitness_rewards_speed_on_the_centre_of_the_line() -> None:
    task = make_task(EvolutionConfig(task="line-follow"))
    top = task.speed
    judged = task.evaluate(
        made_up(mean_speed=[top, top, top, 0.8 * top], on_line=[1, 0.3, 1, 1], off_centre=[0, 0, 0.8, 0])
    )
    assert (judged.fitness[0] > judged.fitness[1:]).all()
    assert judged.fitness[3] > judged.fitness[1]  # fast beside the line is worth less than slow on it
    assert judged.solved.tolist() == [1, 0, 1, 0]


def test_wall_fitness_rewards_progress_at_the_wall_without_contact() -> None:
    task = make_task(EvolutionConfig(task="wall-follow"))
    judge = task.evaluate
    assert isinstance(judge, WallFitness)
    left, bottom, _, _ = task.worlds[0].bounds
    along = np.stack([left + 1.0 + np.arange(16) * 0.25, np.full(16, bottom + judge.wanted)], axis=1)
    far, still = along + np.array([0, 1.0]), np.repeat(along[:1], 16, axis=0)
    judged = judge(made_up([along, far, still, along], contacts=[0, 0, 0, 2]))
    assert (judged.fitness[0] > judged.fitness[1:]).all()
    assert judged.fitness[3] == pytest.approx(judged.fitness[0] / 3)
    assert judged.behaviour[0, 1] > 0.8


def test_wall_fitness_includes_all_obstacles_but_no_open_border() -> None:
    robot = load_world("wall-loop").robots
    world = WorldSpec(
        name="all", bounds=(0, 0, 10, 10), open=True, robots=robot,
        walls=(Wall(points=((1, 1), (3, 1), (3, 3)), closed=True, thickness=0.2),),
        boxes=(Box(at=(7, 2), size=(1, 1)),), cylinders=(Cylinder(at=(7, 7), radius=0.5),),
    )  # fmt: skip
    judge = WallFitness(world, 0.5, 10)
    places = {(3.6, 2.0): 0.5, (1.5, 2.5): math.sqrt(0.5) - 0.1, (7.0, 3.0): 0.5, (7.0, 8.0): 0.5, (0.1, 9.9): 6.98}
    found = judge.distance(np.array(list(places)))
    assert found == pytest.approx(list(places.values()), abs=0.02)
    with pytest.raises(paddock.PaddockError, match="there is no wall to follow"):
        WallFitness(replace(world, walls=(), boxes=(), cylinders=()), 0.5, 10)


def test_maze_fitness_rewards_reaching_the_exit_early() -> None:
    task = make_task(EvolutionConfig(task="maze", seconds=60.0))
    judge = task.evaluate
    assert isinstance(judge, MazeFitness)
    exit_, start = judge.exits[0], next(one.at for one in task.worlds[0].starts if one.name == "start")
    near = np.array([[start, start], [start, exit_], [start, exit_], [start, exit_]])
    judged = judge(made_up(near, goal_time=[math.nan, math.nan, 59.0, 20.0]))
    assert judged.solved.tolist() == [0, 0, 1, 1]
    assert (np.diff(judged.fitness) > 0).all()
    assert judged.fitness[0] == pytest.approx(0.0, abs=0.05)


def test_user_fitness_of_nan_does_not_win(tmp_path: Path) -> None:
    def judge(drive: BatchResult) -> np.ndarray:
        return np.where(np.arange(len(drive.ticks)) == 1, np.nan, 3.0)

    config = EvolutionConfig(task="mine:judge", world="clutter", population=4, generations=2, seconds=1.0)
    evolution = Evolution(config, task=make_fitness_task(judge, config))
    with pytest.warns(FitnessWarning, match="mine:judge: the fitness of 1 of 4 individuals"):
        evolution.run()
    assert [one.best for one in evolution.history] == [3.0, 3.0]


def test_shipped_tasks_do_not_change_sys_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    make_task(EvolutionConfig(task="avoid"))
    assert str(tmp_path) not in sys.path


def test_distance_to_exit_decreases_along_the_solution() -> None:
    maze = make_maze(6, 6, seed=4)
    task = make_maze_task(mazes=3, size=(6, 6))
    judge = task.evaluate
    plan = MazePlan(maze, -0.005, 0.21)
    from paddock.simulation.worlds.mazes import solve_maze

    assert isinstance(judge, MazeFitness)
    own = MazeFitness([plan], 60.0)
    centres = np.array([plan.centre(cell) for cell in solve_maze(maze)])
    left = own.measure_distance_to_exit(centres[None], np.zeros(1, np.int64))[0]
    assert left == pytest.approx(0.21 * np.arange(len(centres))[::-1])
    assert left[0] == own.whole[0]


def test_generated_mazes_differ_and_are_deterministic() -> None:
    first, again, others = (
        make_maze_task(mazes=3, size=(5, 5)),
        make_maze_task(mazes=3, size=(5, 5)),
        make_maze_task(mazes=3, size=(5, 5), first=50),
    )
    assert first.worlds == again.worlds
    assert len({world.walls for world in (*first.worlds, *others.worlds)}) == 6
    assert first.recurrent
    assert not make_maze_task().recurrent


OWN = '''
import numpy as np
from paddock.learning.evolve.tasks.maze_task import make_maze_task

def far(drive):
    """The farther, the better."""
    return drive["distance"][:, 0]

def wrong(drive):
    return 1.0

def whole():
    return make_maze_task(mazes=1, size=(4, 4), seconds=3.0)
'''


def evolved(folder: Path, *options: str) -> Printed:
    return command("study", "evolve", *options, "--population", "5", "--json", folder=folder)


def test_user_fitness_and_user_task_run(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    done = evolved(tmp_path, "mine:far", "--world", "clutter", "--generations", "3", "--seconds", "5")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["evaluations"], summary["solved"]) == (15, None)
    assert 0 < summary["best_fitness"] < 1
    whole = evolved(tmp_path, "mine:whole", "--generations", "1")
    assert json.loads(whole.stdout)["worlds"] == 1
    for option, value in (("--world", "clutter"), ("--hidden", "3"), ("--seconds", "2")):
        useless = evolved(tmp_path, "mine:whole", option, value)
        assert useless.returncode == 2
        assert f"{option[2:]}: mine:whole, which creates its own EvolutionTask, does not use it" in useless.stderr
    wrong = evolved(tmp_path, "mine:wrong", "--world", "clutter", "--seconds", "1")
    assert wrong.returncode == 2
    assert "expected a fitness for each of 5 worlds" in wrong.stderr
    nowhere = evolved(tmp_path, "mine:far")
    assert "needs a world with one robot" in nowhere.stderr


def test_nothing_is_printed_about_solutions_if_your_own_fitness_does_not_report_them(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN, encoding="utf-8")
    options = ("--world", "clutter", "--generations", "1", "--seconds", "1", "--population", "5", "--test", "2")
    done = command("study", "evolve", "mine:far", *options, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "test fitness" in done.stdout
    assert "solved" not in done.stdout + done.stderr


def test_champion_can_be_replayed(tmp_path: Path) -> None:
    done = evolved(tmp_path, "maze", "--generations", "2", "--seconds", "5", "--out", "found", "--test", "2")
    summary = json.loads(done.stdout)
    assert set(summary) >= {"solved", "best_fitness", "evaluations", "wall_s", "compile_s", "test_solved"}
    champion = ("--policy", "found/champion.npz", "--headless")
    watched = command("run", "found/world.toml", *champion, "--seconds", "5", folder=tmp_path)
    assert watched.returncode == 0, watched.stderr
    assert "scout" in watched.stdout
    other = command("run", "clutter", *champion, folder=tmp_path)
    assert other.returncode == 2
    assert "range" in other.stderr
