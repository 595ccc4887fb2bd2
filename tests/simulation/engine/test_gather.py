"""Objects gathered around a robot, compared with brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from paddock.simulation.engine.kernels.surroundings import gather, index_crowd
from paddock.simulation.engine.model import CROWD, GRID_REACH, ITEM_RADIUS, ITEM_X0, RADIUS
from paddock.simulation.engine.state import HEADING, PANS, X, Y, workspace
from paddock.simulation.worlds.build import BuiltWorld, build
from scenes import crate, puck, random_world

seeds = st.integers(0, 2**32 - 1)
EDGE = 1e-9


def brute_force(built: BuiltWorld, motion: np.ndarray, robot: int, x: float, y: float, angle: float, reach: float):
    """Return rows that must be gathered, and rows that may be because they lie at the limit of the reach."""
    must, may = [], []

    def add(away: float, points: list[tuple[float, float]], radius: float) -> None:
        turned = [naive.seen_from((x, y), angle, p) for p in points]
        row = (*turned[0], *turned[-1], radius)
        if away <= reach - EDGE:
            must.append(row)
        elif away <= reach + EDGE:
            may.append(row)

    for x0, y0, x1, y1, radius in built.model.items[:, : ITEM_RADIUS + 1].tolist():
        if radius > 0:
            add(math.dist((x, y), (x0, y0)) - radius, [(x0, y0)], radius)
        else:
            add(naive.point_to_segment((x, y), (x0, y0), (x1, y1)), [(x0, y0), (x1, y1)], 0.0)
    for i, kind in enumerate(built.robots):
        if i == robot:
            continue
        ox, oy, heading = motion[i, [X, Y, HEADING]].tolist()
        away = math.dist((x, y), (ox, oy)) - built.model.robots[built.model.robot_variant[i], RADIUS]
        if kind.body.outline is None:
            add(away, [(ox, oy)], kind.body.radius)
        else:
            c, s = math.cos(heading), math.sin(heading)
            corners = [(ox + c * px - s * py, oy + s * px + c * py) for px, py in kind.body.outline]
            for a, b in zip((corners[-1], *corners[:-1]), corners, strict=True):
                add(away, [a, b], 0.0)
    return must, may


def gathered(
    built: BuiltWorld, scratch, motion, robot: int, x: float, y: float, angle: float, reach: float, ago: int = 0
):
    segments, discs = gather(built.model, motion, scratch, robot, x, y, math.cos(angle), math.sin(angle), reach, ago)
    rows = [*scratch.segments[:segments], *scratch.discs[:discs]]
    return [tuple(row[ITEM_X0 : ITEM_RADIUS + 1]) for row in rows]


def rounded(rows: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    return sorted(tuple(round(number, 7) + 0.0 for number in row) for row in rows)


def check(
    built: BuiltWorld, scratch, motion, robot: int, x: float, y: float, angle: float, reach: float, ago: int = 0
) -> None:
    found = rounded(gathered(built, scratch, motion, robot, x, y, angle, reach, ago))
    must, may = brute_force(built, motion, robot, x, y, angle, reach)
    if not may:  # nothing lies on the very edge
        assert len(found) == len(must)
        assert np.allclose(np.reshape(found, (-1, 5)), np.reshape(rounded(must), (-1, 5)), atol=1e-6)


def start(built: BuiltWorld) -> np.ndarray:
    motion = np.zeros((len(built.poses), PANS))
    motion[:, X : HEADING + 1] = built.poses
    return motion


@settings(max_examples=30)
@given(seeds)
def test_exactly_the_objects_within_reach_are_gathered_once(seed):
    rng = np.random.default_rng(seed)
    kinds = [
        crate() if rng.integers(2) else puck(radius=float(rng.uniform(0.02, 0.1)))
        for _ in range(int(rng.integers(1, 9)))
    ]
    built = build(random_world(rng, kinds, arcs=False, open=bool(rng.integers(2))))
    if not built.robots:
        return
    motion, scratch = start(built), workspace(built.model)
    index_crowd(built.model.grids, motion, scratch.crowd)
    for _ in range(12):
        reach = float(rng.choice([0.05, 0.1, 0.3, 0.7, 2.0, 9.0])) * float(rng.uniform(0.7, 1.3))
        x, y, angle = *rng.uniform(-2.5, 2.5, 2).tolist(), float(rng.uniform(-4, 4))
        check(built, scratch, motion, int(rng.integers(0, len(built.robots))), x, y, angle, reach)


@settings(max_examples=40)
@given(seeds)
def test_robots_are_found_outside_the_bounds_and_after_moving(seed):
    rng = np.random.default_rng(seed)
    kinds = [puck(radius=0.02) for _ in range(int(rng.integers(2, 30)))]
    built = build(random_world(rng, kinds, arcs=False, open=True))
    if len(built.robots) < 2:
        return
    motion, scratch = start(built), workspace(built.model)
    outside = rng.random(len(motion)) < 0.5
    motion[outside, X : Y + 1] *= rng.uniform(1.0, 8.0)
    index_crowd(built.model.grids, motion, scratch.crowd)
    ago = int(rng.integers(0, 4))
    bearing, far = rng.uniform(-4, 4, len(motion)), built.model.grids[CROWD, GRID_REACH] * (1 + ago)
    motion[:, X] += np.cos(bearing) * far * 0.999
    motion[:, Y] += np.sin(bearing) * far * 0.999
    for robot in range(len(motion)):
        x, y, angle = motion[robot, X : HEADING + 1].tolist()
        check(built, scratch, motion, robot, x, y, angle, float(rng.uniform(0.02, 0.8)), ago)


@pytest.mark.heavy
@settings(max_examples=5)
@given(seeds)
def test_crowd_of_hundreds_is_gathered_correctly(seed):
    rng = np.random.default_rng(seed)
    kinds = [puck(radius=0.015) for _ in range(300)]
    built = build(random_world(rng, kinds, arcs=False))
    motion, scratch = start(built), workspace(built.model)
    index_crowd(built.model.grids, motion, scratch.crowd)
    for robot in range(0, len(motion), 20):
        x, y, angle = motion[robot, X : HEADING + 1].tolist()
        check(built, scratch, motion, robot, x, y, angle, float(rng.choice([0.05, 0.2, 1.0])))
