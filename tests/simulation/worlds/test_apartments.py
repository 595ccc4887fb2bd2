"""Apartments generated from a seed."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from command_line import paddock
from paddock.core.errors import PaddockError
from paddock.core.geometry import Disc, compute_bounds, overlap
from paddock.simulation.worlds import WorldSpec, load_world
from paddock.simulation.worlds.apartments import PLANS, make_apartment
from paddock.simulation.worlds.solids import solids

BODY, CELL = 0.27, 0.1  # radius in which a Pioneer turns, side of a cell [m]


def free_places(world: WorldSpec) -> dict[tuple[int, int], bool]:
    """Return for each cell whether a Pioneer has space to turn."""
    columns, rows = (round(side / CELL) for side in world.bounds[2:])
    free = {(k, n): True for k in range(columns) for n in range(rows)}
    for solid in solids(world):
        x0, y0, x1, y1 = compute_bounds(solid.shape)
        for k in range(int((x0 - BODY) / CELL) - 1, int((x1 + BODY) / CELL) + 2):
            for n in range(int((y0 - BODY) / CELL) - 1, int((y1 + BODY) / CELL) + 2):
                spot = Disc((k + 0.5) * CELL, (n + 0.5) * CELL, BODY)
                if free.get((k, n)) and overlap(spot, solid.shape) > 0:
                    free[k, n] = False
    return free


def reach(free: dict[tuple[int, int], bool], start: tuple[int, int]) -> set[tuple[int, int]]:
    found, waiting = {start}, deque([start])
    while waiting:
        k, n = waiting.popleft()
        for cell in ((k + 1, n), (k - 1, n), (k, n + 1), (k, n - 1)):
            if free.get(cell) and cell not in found:
                found.add(cell)
                waiting.append(cell)
    return found


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(sorted(PLANS)))
def test_every_room_of_every_apartment_is_reachable(seed: int, kind: str) -> None:
    world = make_apartment(seed, kind=kind)
    free = free_places(world)
    at = world.robots[0].at
    assert at is not None
    found = reach(free, (int(at[0] / CELL), int(at[1] / CELL)))
    assert len(found) > 0.95 * sum(free.values())
    assert len(found) * CELL**2 > 0.3 * 99  # m² of floor on which it can stand


def test_apartment_is_deterministic_in_its_seed() -> None:
    worlds = [make_apartment(seed) for seed in (3, 3, 4)]
    assert worlds[0] == worlds[1] != worlds[2]


def test_wheel_errors_are_within_the_given_bound() -> None:
    robots = [make_apartment(seed, odometry_error=0.01).robots[0] for seed in range(20)]
    errors = np.array([(*robot.wheel_diameter_error, robot.wheel_separation_error) for robot in robots])
    assert np.abs(errors).max() <= 0.01
    assert np.ptp(errors, axis=0).min() > 0.01


def test_symmetric_apartment_is_point_symmetric() -> None:
    walls = make_apartment(5, kind="symmetric", width=16, depth=9).walls
    segments = {tuple(sorted(pair)) for wall in walls for pair in pairwise(wall.points)}
    turned = {tuple(sorted(((round(16 - x, 3), round(9 - y, 3)) for x, y in pair))) for pair in segments}
    assert turned == segments


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "castle"}, "corridor"),
        ({"width": 1.0}, "width: expected 2.6 … 200 m, got 1"),
        ({"door": 0.4}, "wider than the pioneer-p2dx"),
        ({"loops": 2.0}, "loops: expected 0 … 1"),
        ({"width": "11"}, "width: expected 2.6 … 200 m, got '11'"),
        ({"kind": ["rooms"]}, r"no kind of apartment called \['rooms'\]"),
    ],
)
def test_invalid_apartment_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(PaddockError, match=message):
        make_apartment(0, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [1.9, "3", True, float("nan"), None])
def test_non_integer_seed_is_refused(seed: object) -> None:
    with pytest.raises(PaddockError, match=r"seed: expected a whole number, got"):
        make_apartment(seed)  # type: ignore[arg-type]


def test_numpy_seed_is_accepted() -> None:
    assert make_apartment(np.int64(3)) == make_apartment(3)  # type: ignore[arg-type]


def test_command_writes_a_runnable_world_and_an_image(tmp_path: Path) -> None:
    done = paddock(
        "world",
        "apartment",
        "--seed",
        "3",
        "--size",
        "8x8",
        "-o",
        "home.toml",
        "--picture",
        "home.png",
        folder=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert load_world(tmp_path / "home.toml").walls == make_apartment(3, width=8, depth=8).walls
    with Image.open(tmp_path / "home.png") as picture:
        assert picture.width > 500
    assert paddock("run", "home.toml", "--seconds", "1", "--headless", folder=tmp_path).returncode == 0
    assert "expected a file" in paddock("world", "apartment", folder=tmp_path).stderr
    assert "such as 11x9" in paddock("world", "apartment", "--size", "big", "-o", "b.toml", folder=tmp_path).stderr


def test_smallest_size_in_the_error_message_can_be_built() -> None:
    with pytest.raises(PaddockError, match=r"depth: expected 6\.8 … 200 m"):
        make_apartment(width=2.6, depth=6.7)
    assert make_apartment(width=2.6, depth=6.8).bounds == (0.0, 0.0, 2.6, 6.8)
