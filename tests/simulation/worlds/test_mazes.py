"""Mazes: all cells are reachable, paths are correct, and robots fit into the corridors."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paddock
from paddock.core.geometry import Pose
from paddock.simulation.robots import load_robot
from paddock.simulation.worlds import load_world, save_world
from paddock.simulation.worlds.mazes import (
    KINDS,
    Layout,
    Maze,
    make_maze,
    make_maze_world,
    measure_distances,
    read_maze,
    solve_maze,
)
from paddock.simulation.worlds.mazes.walls import trace_walls
from paddock.simulation.worlds.placement import Room
from paddock.simulation.worlds.solids import solids

PERFECT = ("backtracker", "kruskal", "wilson")
sides, seeds, kinds = st.integers(1, 12), st.integers(-(2**40), 2**40), st.sampled_from(sorted(KINDS))
shares = st.none() | st.floats(0, 1)
sizes = st.tuples(sides, sides).filter(lambda size: size != (1, 1))
SMALL = """\
+---+---+---+---+---+
|         ·   ·   E |
+---+---+   +---+   +
| ·   ·   · |       |
+   +---+---+   +   +
| S     |       |   |
+---+---+---+---+---+"""


@given(size=sizes, kind=kinds, seed=seeds, loops=shares)
def test_every_cell_is_reachable(size: tuple[int, int], kind: str, seed: int, loops: float | None) -> None:
    maze = make_maze(*size, kind=kind, seed=seed, loops=loops)
    steps = measure_distances(maze)
    assert steps.shape == size
    assert steps.min() == steps[maze.exit] == 0
    assert (steps >= 0).all()


@given(size=sizes, kind=st.sampled_from(PERFECT), seed=seeds)
def test_perfect_maze_has_one_passage_less_than_cells(size: tuple[int, int], kind: str, seed: int) -> None:
    assert len(make_maze(*size, kind=kind, seed=seed).passages) == size[0] * size[1] - 1


@given(size=sizes, kind=kinds, seed=seeds, loops=shares, data=st.data())
def test_solution_is_a_shortest_path_through_passages(
    size: tuple[int, int], kind: str, seed: int, loops: float | None, data: st.DataObject
) -> None:
    cell = st.tuples(st.integers(0, size[0] - 1), st.integers(0, size[1] - 1))
    start, exit = data.draw(st.lists(cell, min_size=2, max_size=2, unique=True))
    maze = make_maze(*size, kind=kind, seed=seed, loops=loops, start=start, exit=exit)
    way = solve_maze(maze)
    assert (way[0], way[-1]) == (start, exit)
    assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in pairwise(way))
    assert all(maze.is_open(a, b) for a, b in pairwise(way))
    assert len(set(way)) == len(way) == measure_distances(maze)[start] + 1


@given(size=sizes, kind=kinds, seed=seeds, loops=shares)
def test_distance_map_decreases_by_one_towards_the_exit(
    size: tuple[int, int], kind: str, seed: int, loops: float | None
) -> None:
    maze = make_maze(*size, kind=kind, seed=seed, loops=loops)
    steps = measure_distances(maze)
    for cell, ways in maze.adjacency().items():
        around = [int(steps[other]) for other in ways]
        assert all(abs(other - steps[cell]) <= 1 for other in around)
        assert cell == maze.exit or min(around) == steps[cell] - 1


@given(columns=st.integers(2, 12), rows=st.integers(2, 12), kind=kinds, seed=seeds, loops=st.floats(0, 1))
def test_loops_open_the_given_fraction_of_dead_ends(
    columns: int, rows: int, kind: str, seed: int, loops: float
) -> None:
    closed = make_maze(columns, rows, kind=kind, seed=seed, loops=0.0)
    opened = make_maze(columns, rows, kind=kind, seed=seed, loops=loops)
    left = round((1 - loops) * len(closed.dead_ends()))
    assert closed.passages <= opened.passages
    assert left - 1 <= len(opened.dead_ends()) <= left  # one more goes where two meet


@given(size=sizes, kind=kinds, seed=seeds)
def test_same_seed_gives_the_same_maze(size: tuple[int, int], kind: str, seed: int) -> None:
    assert make_maze(*size, kind=kind, seed=seed) == make_maze(*size, kind=kind, seed=seed)


@given(kind=kinds, seed=seeds, other=seeds)
def test_different_seed_gives_a_different_maze(kind: str, seed: int, other: int) -> None:
    a, b = (make_maze(8, 8, kind=kind, seed=s) for s in (seed, other))
    assert (a == b) == (seed == other)


def test_mazes_are_stable_across_releases() -> None:
    maze = make_maze(5, 3, kind="wilson", seed=1)
    assert maze.to_text(solve_maze(maze)) == SMALL
    assert str(maze) == SMALL.replace("·", " ")


def test_braided_maze_has_no_dead_ends_and_rooms_have_halls() -> None:
    assert make_maze(12, 12, kind="braided", seed=1).dead_ends() == []
    maze = make_maze(12, 12, kind="rooms", seed=1)
    halls = [c for c, ways in maze.adjacency().items() if len(ways) == 4]
    assert len(halls) >= 3
    assert len(maze.passages) > 12 * 12 - 1


@given(size=sizes, kind=kinds, seed=seeds, loops=shares)
def test_every_wall_segment_is_in_exactly_one_line(
    size: tuple[int, int], kind: str, seed: int, loops: float | None
) -> None:
    maze = make_maze(*size, kind=kind, seed=seed, loops=loops)
    lengths = [math.dist(a, b) for line in trace_walls(maze) for a, b in pairwise(line)]
    walls = size[0] * (size[1] - 1) + size[1] * (size[0] - 1) - len(maze.passages)
    assert sum(lengths) == walls
    for line in trace_walls(maze):  # no corner in the middle of a straight run
        for a, b, c in zip(line, line[1:], line[2:], strict=False):
            assert (b[0] - a[0]) * (c[1] - b[1]) != (b[1] - a[1]) * (c[0] - b[0])


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_large_maze_has_few_walls(kind: str) -> None:
    maze = make_maze(20, 20, kind=kind, seed=4)
    bits = 2 * 20 * 19 - len(maze.passages)
    world = make_maze_world(maze)
    assert len(world.walls) <= bits / 2.5
    assert len(solids(world)) <= bits / 1.5


def test_enclosed_cells_keep_their_walls() -> None:
    ring = Maze(columns=3, rows=3, passages=frozenset({((0, 0), (1, 0))}), start=(0, 0), exit=(1, 0))
    inner = Maze(
        columns=3,
        rows=3,
        passages=frozenset(pair for pair in around() if (1, 1) not in pair),
        start=(0, 0),
        exit=(2, 2),
    )
    assert sum(len(line) - 1 for line in trace_walls(inner)) == 4
    assert read_maze(make_maze_world(inner)) == inner
    assert read_maze(make_maze_world(ring)) == ring


def around() -> list[tuple[tuple[int, int], tuple[int, int]]]:
    right = [((c, r), (c + 1, r)) for c in range(2) for r in range(3)]
    return right + [((c, r), (c, r + 1)) for c in range(3) for r in range(2)]


@settings(max_examples=25)
@given(
    size=sizes,
    kind=kinds,
    seed=seeds,
    loops=shares,
    corridor=st.floats(0.08, 0.5),
    thickness=st.sampled_from([0.0, 0.002, 0.01, 0.05]),
    heading=st.floats(-math.pi, math.pi),
)
def test_e_puck_fits_everywhere_along_the_corridors(
    size: tuple[int, int],
    kind: str,
    seed: int,
    loops: float | None,
    corridor: float,
    thickness: float,
    heading: float,
) -> None:
    maze = make_maze(*size, kind=kind, seed=seed, loops=loops)
    world = make_maze_world(maze, corridor=corridor, thickness=thickness, robot="e-puck")
    layout, room, body = Layout(corridor=corridor, thickness=thickness), Room(world), load_robot("e-puck")
    for a, b in sorted(maze.passages):
        for share in np.linspace(0, 1, 4):
            (x0, y0), (x1, y1) = layout.centre(a), layout.centre(b)
            assert room.problem(body, Pose(x0 + share * (x1 - x0), y0 + share * (y1 - y0), heading)) == ""
    for cell in maze.cells():
        assert layout.cell_at(*layout.centre(cell)) == cell


@settings(max_examples=25)
@given(size=sizes, kind=kinds, seed=seeds, loops=shares)
def test_maze_round_trips_through_its_world(size: tuple[int, int], kind: str, seed: int, loops: float | None) -> None:
    maze = make_maze(*size, kind=kind, seed=seed, loops=loops)
    assert read_maze(make_maze_world(maze)) == maze


def test_shipped_maze_can_be_read_as_a_maze() -> None:
    maze = read_maze(load_world("maze"))
    assert len(maze.passages) == 63
    assert len(solve_maze(maze)) == 33
    assert len(maze.dead_ends()) == 14


@settings(max_examples=10)
@given(kind=kinds, seed=seeds, height=st.floats(0.05, 1), corridor=st.floats(0.11, 1))
def test_maze_world_round_trips_through_toml(
    tmp_path_factory: pytest.TempPathFactory, kind: str, seed: int, height: float, corridor: float
) -> None:
    path = tmp_path_factory.mktemp("mazes") / "copy.toml"
    world = make_maze_world(make_maze(6, 4, kind=kind, seed=seed), corridor=corridor, height=height)
    save_world(world, path)
    assert load_world(path) == world


def test_robot_faces_the_solution_path_and_drives(tmp_path: Path) -> None:
    maze = make_maze(5, 5, kind="kruskal", seed=2)
    world = make_maze_world(maze, robot="e-puck", corridor=0.3, thickness=0.02, height=0.2, name="mine", title="Mine")
    assert (world.name, world.title, world.border.height) == ("mine", "Mine", 0.2)
    assert {start.name for start in world.starts} == {"start", "exit"}
    assert world.bounds == (0.0, 0.0, 1.58, 1.58)
    way, layout = solve_maze(maze), Layout(corridor=0.3, thickness=0.02)
    with paddock.open(world) as arena:
        robot = arena["robot"]
        assert layout.cell_at(robot.pose.x, robot.pose.y) == maze.start
        robot.wheels.set(0.128, 0.128)
        arena.step(round(0.32 / 0.128 / arena.dt))
        assert layout.cell_at(robot.pose.x, robot.pose.y) == way[1]
        assert not robot.contacts


def test_exit_is_marked_on_the_floor() -> None:
    with paddock.open(make_maze_world(make_maze(3, 3), robot="e-puck")) as arena:
        robot = arena["robot"]
        robot.ground.enable()
        outside = robot.ground.read()
        robot.set_pose(*Layout().centre((2, 2)), 0.0)
        assert (robot.ground.read() != outside).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: make_maze(0, 8), "columns: expected a whole number from 1 to 200, got 0"),
        (lambda: make_maze(8, 201), "rows: expected a whole number from 1 to 200, got 201"),
        (lambda: make_maze(1, 1), "columns: expected at least 2 cells, a start and an exit, got 1"),
        (lambda: make_maze(3, 3, kind="willson"), "no kind of maze called 'willson' (did you mean 'wilson'?)"),
        (lambda: make_maze(3, 3, loops=1.5), "loops: expected a share of the dead ends from 0 to 1, got 1.5"),
        (lambda: make_maze(3, 3, loops=math.nan), "loops: expected a share of the dead ends from 0 to 1, got nan"),
        (lambda: make_maze(3, 3, loops="x"), "loops: expected a share of the dead ends from 0 to 1, got 'x'"),
        (lambda: make_maze(3.0, 3), "columns: expected a whole number from 1 to 200, got 3.0"),
        (lambda: make_maze(3, 3, kind=["wilson"]), "no kind of maze called ['wilson'] (did you mean 'wilson'?)"),
        (lambda: make_maze(3, 3, start=(0.5, 0)), "start: expected a cell from [0, 0] to [2, 2], got [0.5, 0]"),
        (lambda: make_maze(3, 3, start=(0, 0, 0)), "start: expected a cell from [0, 0] to [2, 2], got [0, 0, 0]"),
        (lambda: make_maze(3, 3, start=None), "start: expected a cell from [0, 0] to [2, 2], got None"),
        (
            lambda: make_maze_world(make_maze(3, 3), corridor=1e4),
            "corridor: expected metres > 0 and <= 1000, got 10000",
        ),
        (lambda: make_maze(3, 3, seed=1.7), "seed: expected a whole number, got 1.7"),
        (lambda: make_maze(3, 3, seed="1"), "seed: expected a whole number, got '1'"),
        (lambda: make_maze(3, 3, seed=True), "seed: expected a whole number, got true"),
        (lambda: make_maze(3, 2, exit=(3, 0)), "exit: expected a cell from [0, 0] to [2, 1], got [3, 0]"),
        (lambda: make_maze(3, 3, start=(2, 2)), "exit: expected a cell other than the start, got [2, 2]"),
        (
            lambda: Maze(columns=3, rows=3, passages=frozenset({((1, 0), (0, 0))}), start=(0, 0), exit=(1, 0)),
            "passages: expected two neighbours, the left or lower one first, got [[1, 0], [0, 0]]",
        ),
        (
            lambda: solve_maze(Maze(columns=2, rows=1, passages=frozenset(), start=(0, 0), exit=(1, 0))),
            "no path leads from the start (0, 0) to the exit (1, 0)",
        ),
        (
            lambda: make_maze_world(make_maze(3, 3), corridor=0.1),
            "corridor: expected metres > 0.1, so that the scout can turn, got 0.1",
        ),
        (lambda: make_maze_world(make_maze(3, 3), corridor=0.0), "corridor: expected metres > 0, got 0"),
        (lambda: make_maze_world(make_maze(3, 3), thickness=-0.1), "thickness: expected metres >= 0, got -0.1"),
        (lambda: read_maze(load_world("empty")), "empty.toml: starts: missing: a start called 'start'"),
    ],
)
def test_invalid_maze_is_refused(wrong: object, message: str) -> None:
    assert callable(wrong)
    with pytest.raises(paddock.PaddockError) as refused:
        wrong()
    assert str(refused.value) == message


def test_sizes_and_cells_may_be_numpy_integers_or_lists() -> None:
    usual = make_maze(4, 3, start=(1, 0), exit=(2, 2))
    assert make_maze(np.int64(4), np.int64(3), start=[1, 0], exit=np.array([2, 2])) == usual  # type: ignore[arg-type]
    assert read_maze(make_maze_world(usual), size=[4, 3]) == usual  # type: ignore[arg-type]
