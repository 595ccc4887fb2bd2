"""Every shipped world loads, round-trips, runs, and matches its description."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import paddock
from paddock.core.geometry import Disc, Point, Shape, overlap, place_shape
from paddock.simulation.worlds import WorldSpec, load_world, save_world, world_names
from paddock.simulation.worlds.floor import curve
from paddock.simulation.worlds.placement import robot_types, start_pose
from paddock.simulation.worlds.solids import solids

Floats = NDArray[np.float64]


@pytest.mark.parametrize("name", world_names())
class TestEveryWorld:
    def test_name_matches_the_file_and_title_and_robots_exist(self, name: str) -> None:
        world = load_world(name)
        assert world.name == name
        assert world.title
        assert world.robots

    def test_world_round_trips(self, name: str, tmp_path: Path) -> None:
        world = load_world(name)
        save_world(world, tmp_path / "copy.toml")
        assert load_world(tmp_path / "copy.toml") == world

    def test_starts_have_space_for_the_robots(self, name: str) -> None:
        world = load_world(name)
        for start in world.starts:
            shape = place_shape(robot_types(world)[0].body.shape, *start.at, math.radians(start.heading_deg))
            assert deepest(world, [shape]) <= 0

    def test_robots_drive_a_hundred_steps_without_penetration(self, name: str) -> None:
        with paddock.open(name, seed=3) as arena:
            for i, robot in enumerate(arena.robots.values()):
                top = robot.spec.drive.max_speed
                robot.wheels.set(top, top * (0.8 - 0.1 * i))
            arena.step(100)
            bodies = [
                place_shape(s.body.shape, *p) for s, p in zip(arena.built.robots, arena.poses.tolist(), strict=True)
            ]
            moved = arena.poses[:, :2] - arena.built.poses[: len(arena.robots), :2]
            assert np.isfinite(arena.poses).all()
            assert (np.hypot(moved[:, 0], moved[:, 1]) > 0.005).all()
        assert deepest(load_world(name), bodies) < 1e-3

    def test_digest_is_deterministic_in_the_seed(self, name: str) -> None:
        assert driven_digest(name, 5) == driven_digest(name, 5)


def driven_digest(name: str, seed: int) -> str:
    with paddock.open(name, seed=seed) as arena:
        for robot in arena.robots.values():
            robot.enable()
            robot.wheels.set(0.1, 0.08)
        for _ in range(5):
            arena.step(20)
            for robot in arena.robots.values():
                robot.sense()
        return arena.digest()


def deepest(world: WorldSpec, bodies: list[Shape]) -> float:
    """Return the deepest overlap of bodies with solids or with each other [m]."""
    worst = -math.inf
    for i, body in enumerate(bodies):
        for solid in solids(world):
            worst = max(worst, overlap(body, solid.shape))
        for other in bodies[:i]:
            worst = max(worst, overlap(body, other))
    return worst


def test_clutter_has_ten_obstacles_with_space_between_them() -> None:
    world = load_world("clutter")
    shapes = [solid.shape for solid in solids(world) if solid.path != "border"]
    border = [solid.shape for solid in solids(world) if solid.path == "border"]
    assert len(shapes) == 10
    for i, shape in enumerate(shapes):
        assert all(overlap(shape, other) < -0.08 for other in [*shapes[:i], *border])


# wall-loop


def test_wall_loop_has_the_published_length() -> None:
    lengths = loops(load_world("wall-loop"), 0.23 + 0.19)
    assert len(lengths) == 1
    assert lengths[0] == pytest.approx(88.5, abs=0.5)


def test_wall_loop_passages_are_at_least_1_2_m_wide() -> None:
    assert len(loops(load_world("wall-loop"), 0.6)) == 1


def test_wall_loop_robot_starts_at_the_centre_away_from_walls() -> None:
    world = load_world("wall-loop")
    pose = start_pose(world, world.robots[0])
    assert pose[:2] == (7.5, 7.5)
    assert distance_to_solids(world, np.array([[7.5]]), np.array([[7.5]]))[0, 0] > 0.5


def loops(world: WorldSpec, offset: float, cell: float = 0.02) -> list[float]:
    """Return the lengths [m] of the closed curves at an offset from all solids (marching squares)."""
    x0, y0, x1, y1 = world.bounds
    x = np.arange(x0 - cell / 3, x1 + cell, cell)
    y = np.arange(y0 - cell / 3, y1 + cell, cell)
    height = distance_to_solids(world, x[None, :], y[:, None]) - offset
    ends: dict[tuple[int, int, str], list[tuple[int, int, str]]] = defaultdict(list)
    above = height > 0
    mixed = np.argwhere((above[:-1, :-1] ^ above[1:, 1:]) | (above[1:, :-1] ^ above[:-1, 1:]))
    places: dict[tuple[int, int, str], Point] = {}
    for row, column in mixed.tolist():
        crossed = []
        for r, c, side in ((row, column, "x"), (row, column, "y"), (row + 1, column, "x"), (row, column + 1, "y")):
            r2, c2 = (r, c + 1) if side == "x" else (r + 1, c)
            a, b = height[r, c], height[r2, c2]
            if (a > 0) != (b > 0):
                share = a / (a - b)
                places[r, c, side] = (x[c] + share * (x[c2] - x[c]), y[r] + share * (y[r2] - y[r]))
                crossed.append((r, c, side))
        for one, other in zip(crossed[::2], crossed[1::2], strict=True):
            ends[one].append(other)
            ends[other].append(one)
    lengths = []
    while ends:
        assert all(len(neighbours) == 2 for neighbours in ends.values())
        first = here = next(iter(ends))
        length = 0.0
        while here in ends:
            one, other = ends.pop(here)
            after = one if one in ends else other
            length += math.dist(places[here], places[after if after in ends else first])
            here = after
        lengths.append(length)
    return lengths


def distance_to_solids(world: WorldSpec, x: Floats, y: Floats) -> Floats:
    """Return the distance [m] from points to the nearest solid, 0 inside."""
    nearest = np.full(np.broadcast(x, y).shape, np.inf)
    for solid in solids(world):
        assert not isinstance(solid.shape, Disc)
        inside = np.ones(nearest.shape, bool)
        corners = solid.shape
        for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True):
            dx, dy = bx - ax, by - ay
            share = np.clip(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0, 1)
            nearest = np.minimum(nearest, np.hypot(x - ax - share * dx, y - ay - share * dy))
            inside &= dx * (y - ay) - dy * (x - ax) >= 0
        nearest[inside] = 0.0
    return nearest


# maze

CELL, CELLS = 0.25, 8


def test_maze_has_exactly_one_path_between_any_two_cells() -> None:
    ways = passages(load_world("maze"))
    reached, queue = {(0, 0)}, deque([(0, 0)])
    while queue:
        cell = queue.popleft()
        for neighbour in ways[cell]:
            if neighbour not in reached:
                reached.add(neighbour)
                queue.append(neighbour)
    assert len(reached) == CELLS * CELLS
    assert sum(len(neighbours) for neighbours in ways.values()) // 2 == CELLS * CELLS - 1  # a tree


def test_maze_connects_its_start_and_exit() -> None:
    world = load_world("maze")
    starts = {start.name: start.at for start in world.starts}
    assert set(starts) == {"start", "exit"}
    assert world.robots[0].start == "start"
    ways = passages(world)
    first, last = ((int(x / CELL), int(y / CELL)) for x, y in (starts["start"], starts["exit"]))
    steps, queue = {first: 1}, deque([first])
    while queue:
        cell = queue.popleft()
        for neighbour in ways[cell]:
            if neighbour not in steps:
                steps[neighbour] = steps[cell] + 1
                queue.append(neighbour)
    assert steps[last] == 33  # cells
    assert sum(len(neighbours) == 1 for neighbours in ways.values()) == 14  # dead ends


def passages(world: WorldSpec) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """Return the neighbours of each cell that no wall separates from it."""
    pieces = [solid.shape for solid in solids(world)]
    ways: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for i in range(CELLS):
        for j in range(CELLS):
            for neighbour in ((i + 1, j), (i, j + 1)):
                if max(neighbour) < CELLS:
                    (ax, ay), (bx, by) = ((CELL * (c + 0.5), CELL * (r + 0.5)) for c, r in ((i, j), neighbour))
                    between = Disc((ax + bx) / 2, (ay + by) / 2, 0.4 * CELL)
                    if all(overlap(between, piece) <= 0 for piece in pieces):
                        ways[i, j].append(neighbour)
                        ways[neighbour].append((i, j))
    return ways


# lines


@pytest.mark.parametrize("name", ["line-track", "line-crossing", "race-track"])
def test_robots_start_with_their_middle_ground_sensor_on_the_line(name: str) -> None:
    with paddock.open(name) as arena:
        for robot in arena.robots.values():
            robot.ground.enable()
            left, middle, right = robot.ground.read()
            assert middle < 0.2
            assert left > 0.5
            assert right > 0.5


def test_line_crossing_robots_face_each_other() -> None:
    world = load_world("line-crossing")
    red, blue = (start_pose(world, robot) for robot in world.robots)
    assert [robot.name for robot in world.robots] == ["red", "blue"]
    assert math.atan2(blue.y - red.y, blue.x - red.x) == pytest.approx(red.heading, abs=0.01)
    assert math.atan2(red.y - blue.y, red.x - blue.x) == pytest.approx(blue.heading, abs=0.01)


def test_line_crossing_obstacles_stand_on_the_line_with_space_around() -> None:
    world = load_world("line-crossing")
    line = curve(world.floor.strokes[0])
    pieces = solids(world)
    obstacles = [solid for solid in pieces if solid.path != "border"]
    assert len(obstacles) == 2
    for obstacle in obstacles:
        centre = (obstacle.shape.x, obstacle.shape.y) if isinstance(obstacle.shape, Disc) else world.boxes[0].at
        assert min(math.dist(centre, point) for point in line) < 0.01
        assert obstacle.height > 0.04  # higher than infrared sensors sit
        others = [solid.shape for solid in pieces if solid is not obstacle]
        assert all(overlap(obstacle.shape, other) < -0.16 for other in others)


def test_race_track_lanes_are_mirror_images() -> None:
    world = load_world("race-track")
    right, left = (curve(stroke) for stroke in world.floor.strokes if stroke.closed)
    middle = (world.bounds[0] + world.bounds[2]) / 2
    assert [(2 * middle - x, y) for x, y in left] == [pytest.approx(point) for point in right]
    starts = {start.name: start for start in world.starts}
    assert starts["left"].at[1] == starts["right"].at[1]
    assert starts["left"].at[0] + starts["right"].at[0] == pytest.approx(2 * middle)


def test_sumo_ring_edge_is_detectable_by_ground_sensors() -> None:
    with paddock.open("sumo-ring") as arena:
        red = arena["red"]
        red.ground.enable()
        assert max(red.ground.read()) < 0.3
        red.set_pose(0.6 - 0.37 - 0.03, 0.6)  # its ground sensors are 3 cm ahead
        arena.step()
        assert max(red.ground.read()) > 0.6


def test_petri_dish_food_peaks_at_the_centre_and_ends_at_the_corners() -> None:
    world = load_world("petri-dish")
    field = world.fields[0]
    assert field.at == (1.0, 0.5)
    assert field.radius == pytest.approx(math.hypot(1.0, 0.5), abs=1e-3)
    assert [robot.at for robot in world.robots] == [(0.90, 0.60), (0.90, 0.50), (1.00, 0.55)]
