"""Tests of evolution in a maze file written by `paddock world maze`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paddock
from paddock.learning.evolve.evaluators import LocalEvaluator
from paddock.learning.evolve.evolution import Evolution
from paddock.learning.evolve.options import EvolutionConfig
from paddock.learning.evolve.tasks.evolution_task_registry import make_task
from paddock.learning.evolve.tasks.maze_task import make_maze_task, make_scout
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import load_world, save_world
from paddock.simulation.worlds.mazes import Layout, make_maze, make_maze_world, read_maze, solve_maze
from paddock.simulation.worlds.world_spec import Cylinder, Wall
from warm_start import run_python


@pytest.fixture
def mine(tmp_path: Path) -> str:
    save_world(make_maze_world(make_maze(5, 3, seed=2), robot="scout-5", name="mine"), tmp_path / "mine.toml")
    return str(tmp_path / "mine.toml")


def test_path_to_exit_matches_the_maze(mine: str) -> None:
    task = make_task(EvolutionConfig(task="maze", world=mine))  # the file tells the size
    assert (task.inputs[0].device, task.inputs[0].values) == ("range", 5)
    maze = make_maze(5, 3, seed=2)
    assert task.evaluate.whole[0] == pytest.approx((len(solve_maze(maze)) - 1) * 0.21, rel=0.1)  # type: ignore[attr-defined]


def test_champion_of_generated_mazes_drives_the_shipped_robot(mine: str) -> None:
    policy = make_maze_task(mazes=1, size=(4, 4)).network()
    with paddock.open(mine) as arena:
        arena["robot"].enable("range")
        arena.run(0.1, policy)
    assert make_scout(5).sensor("range").mounts == load_robot("scout-5").sensor("range").mounts  # type: ignore[attr-defined]


def test_trials_differ_in_noise() -> None:
    task = make_maze_task(seconds=4.0, trials=3)
    net = task.network()
    weights = net.random(2, seed=3)
    three = LocalEvaluator(task, net, seed=5)(weights)
    alone = [LocalEvaluator(make_maze_task(seconds=4.0), net, seed=5 + k)(weights) for k in range(3)]
    assert three.fitness.tolist() == pytest.approx(np.mean([drive.fitness for drive in alone], axis=0).tolist())
    assert len({drive.fitness[0] for drive in alone}) == 3


def test_avoid_trials_start_at_different_poses() -> None:
    task = make_task(EvolutionConfig(task="avoid", seconds=1.0))
    evaluator = LocalEvaluator(task, task.network(), seed=1)
    evaluator(np.zeros((1, task.network().size)))
    assert evaluator._batch is not None
    assert len({tuple(pose) for pose in evaluator._batch.poses[:, 0].tolist()}) == 5


def without_size(path: str) -> str:
    """Return the maze file without its size."""
    world = load_world(path)
    save_world(replace(world, maze=None), path)
    return path


def test_maze_file_states_its_size(mine: str) -> None:
    assert "columns = 5" in Path(mine).read_text(encoding="utf-8")
    evolution = Evolution(EvolutionConfig(task="maze", world=mine))
    assert evolution.task.evaluate.next_cells.shape[1:3] == (5, 3)  # type: ignore[attr-defined]
    given = Evolution(EvolutionConfig(task="maze", world=without_size(mine), size=(5, 3)))
    assert np.array_equal(given.task.evaluate.next_cells, evolution.task.evaluate.next_cells)  # type: ignore[attr-defined]


@pytest.mark.parametrize("at", [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5)])  # of a cell from the middle of the second cell
def test_obstacle_in_the_maze_is_accepted(at: tuple[float, float], mine: str) -> None:
    world, maze, layout = load_world(mine), make_maze(5, 3, seed=2), Layout()
    x, y = layout.centre(solve_maze(maze)[1])
    place = x + at[0] * layout.pitch, y + at[1] * layout.pitch
    save_world(replace(world, cylinders=(Cylinder(at=place, radius=0.02),)), mine)
    assert read_maze(load_world(mine)) == maze
    evolution = Evolution(EvolutionConfig(task="maze", world=mine, population=4, generations=1, seconds=2.0))
    evolution.run()
    assert evolution.history[0].best >= 0


def test_blocked_exit_is_refused(mine: str) -> None:
    world, layout = load_world(mine), Layout()
    x, y = layout.centre(make_maze(5, 3, seed=2).exit)
    ring = tuple((x + 0.1 * dx, y + 0.1 * dy) for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    save_world(replace(world, walls=(*world.walls, Wall(points=ring, closed=True))), mine)
    with pytest.raises(paddock.PaddockError, match="mine: walls or obstacles block every path from the start to"):
        Evolution(EvolutionConfig(task="maze", world=mine))


def test_closed_cell_off_the_path_is_accepted(mine: str) -> None:
    world, layout, maze = load_world(mine), Layout(), make_maze(5, 3, seed=2)
    way = solve_maze(maze)
    end = next(cell for cell in maze.dead_ends() if cell not in way)
    x, y = layout.centre(end)
    ring = tuple((x + 0.1 * dx, y + 0.1 * dy) for dx, dy in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    save_world(replace(world, walls=(*world.walls, Wall(points=ring, closed=True))), mine)
    task = Evolution(EvolutionConfig(task="maze", world=mine)).task
    assert task.evaluate.next_cells[0][end][2] > task.evaluate.whole[0]  # type: ignore[attr-defined]


SIZES = [
    ({}, "mine.toml: maze: missing: the size of the maze: add maze = { columns = 8, rows = 8 } with its numbers"),
    ({"size": (3, 5)}, "mine.toml: size: 3 x 5 cells do not fit"),
    ({"size": (8, 8)}, "mine.toml: size: 8 x 8 cells do not fit"),
    ({"size": (6, 4)}, "mine.toml: size: 6 x 4 cells do not fit"),
    ({"size": (10, 6)}, "mine.toml: size: 10 x 6 cells do not fit: start and exit are not at the centres of cells"),
]


@pytest.mark.parametrize(("config", "message"), SIZES)
def test_wrong_size_for_a_file_without_size_is_refused(mine: str, config: Any, message: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        Evolution(EvolutionConfig(task="maze", world=without_size(mine), **config))
    assert message in str(caught.value)


def test_wrong_size_in_the_file_is_refused(mine: str) -> None:
    text = Path(mine).read_text(encoding="utf-8")
    Path(mine).write_text(text.replace("columns = 5", "columns = 10").replace("rows = 3", "rows = 6"), encoding="utf-8")
    with pytest.raises(paddock.PaddockError, match="10 x 6 cells do not fit: start and exit are not at the centres"):
        Evolution(EvolutionConfig(task="maze", world=mine))


def test_wrong_size_is_refused_in_one_line(mine: str) -> None:
    done = run_python("-m", "paddock", "study", "evolve", "maze", "--world", mine, "--size", "8x8")
    assert done.returncode == 2
    assert done.stderr == (
        "paddock: mine.toml: maze: the file specifies 5 x 3 cells, not 8 x 8: omit the size (at line 37)\n"
    )


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"mazes": 3}, "mazes: the task maze does not use it"),
        ({"trials": 0}, "trials: expected a whole number >= 1, got 0"),
        ({"size": (5, 1)}, "size[1]: expected a whole number >= 2 and <= 200, got 1"),
    ],
)
def test_invalid_settings_are_refused(mine: str, config: dict[str, object], message: str) -> None:
    with pytest.raises(paddock.PaddockError) as caught:
        Evolution(EvolutionConfig(task="maze", world=mine, **config))  # type: ignore[arg-type]
    assert message in str(caught.value)
