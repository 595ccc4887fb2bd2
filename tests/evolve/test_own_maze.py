"""Evolution in a maze of one's own: the world and the robot that `paddock maze` wrote."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paddock
from paddock.evolve.config import Config
from paddock.evolve.evolution import Evolution
from paddock.evolve.judge import LocalJudge
from paddock.evolve.tasks.maze import maze_task, scout
from paddock.evolve.tasks.registry import task_of
from paddock.robots import load_robot
from paddock.worlds import save_world
from paddock.worlds.mazes import make_maze, maze_world, solution


@pytest.fixture
def mine(tmp_path: Path) -> str:
    save_world(maze_world(make_maze(5, 3, seed=2), robot="scout-5", name="mine"), tmp_path / "mine.toml")
    return str(tmp_path / "mine.toml")


def test_the_way_to_the_exit_is_that_of_the_maze(mine: str) -> None:
    task = task_of(Config(task="maze", world=mine, size=(5, 3)))
    assert (task.inputs[0].device, task.inputs[0].values) == ("range", 5)
    maze = make_maze(5, 3, seed=2)
    assert task.judge.whole[0] == pytest.approx((len(solution(maze)) - 1) * 0.21, rel=0.1)  # type: ignore[attr-defined]


def test_a_champion_of_generated_mazes_drives_the_shipped_robot(mine: str) -> None:
    policy = maze_task(mazes=1, size=(4, 4)).network()
    with paddock.open(mine) as arena:
        arena["robot"].enable("range")
        arena.run(0.1, policy)
    assert scout(5).sensor("range").mounts == load_robot("scout-5").sensor("range").mounts  # type: ignore[attr-defined]


def test_trials_are_drives_with_other_noise_each() -> None:
    task = maze_task(seconds=4.0, trials=3)
    net = task.network()
    weights = net.random(2, seed=3)
    three = LocalJudge(task, net, seed=5)(weights)
    alone = [LocalJudge(maze_task(seconds=4.0), net, seed=5 + k)(weights) for k in range(3)]
    assert three.fitness.tolist() == pytest.approx(np.mean([one.fitness for one in alone], axis=0).tolist())
    assert len({one.fitness[0] for one in alone}) == 3


def test_avoiders_begin_in_other_places() -> None:
    task = task_of(Config(task="avoid", seconds=1.0))
    judge = LocalJudge(task, task.network(), seed=1)
    judge(np.zeros((1, task.network().size)))
    assert judge._batch is not None
    assert len({tuple(pose) for pose in judge._batch.poses[:, 0].tolist()}) == 5


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"size": (3, 5)}, "--size: 3 x 5 cells in"),
        ({"size": (5, 3), "mazes": 3}, "--mazes: the task maze does not use it"),
        ({"size": (5, 3), "trials": 0}, "trials: expected a whole number >= 1, got 0"),
        ({"size": (5, 1)}, "size: expected columns and rows >= 2, got [5, 1]"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(mine: str, config: dict[str, object], message: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        Evolution(Config(task="maze", world=mine, **config))  # type: ignore[arg-type]
    assert message in str(caught.value)
