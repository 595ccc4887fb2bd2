"""Tests of scan alignment with line surfels."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.core.geometry import Pose, wrap
from paddock.perception.mapping import OccupancyGrid
from paddock.perception.mapping.surfels import SurfelMap, find_lines
from perception.mapping.floor_plans import CORRIDOR, ROOM, Floats, see

AT = Pose(2.0, 3.0, 0.2)


def make_surfels(walls: Floats, *poses: Pose) -> SurfelMap:
    grid, surfels = OccupancyGrid(), SurfelMap(0.05)
    for k, pose in enumerate(poses):
        scan = see(walls, pose, 100 + k)
        grid.add_scan(scan, pose)
        surfels.add(scan, pose, grid)
    return surfels


@pytest.mark.parametrize("seed", range(5))
def test_centimetre_offset_is_corrected_to_millimetres(seed: int) -> None:
    surfels = make_surfels(ROOM, *(AT._replace(heading=turn) for turn in (-0.3, 0.0, 0.2, 0.5)))
    off = np.random.default_rng(seed).uniform(-1, 1, 3) * (0.02, 0.02, 0.01)
    found = surfels.align(see(ROOM, AT, seed), Pose(*(np.array(AT) + off).tolist()))
    assert math.dist(found[:2], AT[:2]) < 0.006
    assert abs(wrap(found.heading - AT.heading)) < math.radians(0.15)


def test_alignment_along_a_corridor_keeps_the_guess() -> None:
    surfels = make_surfels(CORRIDOR, Pose(0.0, 1.0, 0.0))
    found = surfels.align(see(CORRIDOR, Pose(0.23, 1.0, 0.0), 1), Pose(0.2, 1.02, 0.01))
    assert found.x == pytest.approx(0.2, abs=0.002)  # as it was guessed, not where beams end in the same places
    assert found.y == pytest.approx(1.0, abs=0.005)


def test_both_faces_of_a_thin_wall_are_kept_separate() -> None:
    faces = np.array([[0, 0, 4, 0], [0, 0.04, 4, 0.04]], float)
    surfels = make_surfels(faces, Pose(2.0, -1.0, math.pi / 2), Pose(2.0, 1.0, -math.pi / 2))
    assert surfels.align(see(faces, Pose(2.0, -1.0, math.pi / 2), 1), Pose(2.0, -0.99, math.pi / 2)).y == (
        pytest.approx(-1.0, abs=0.004)
    )
    assert surfels.align(see(faces, Pose(2.0, 1.0, -math.pi / 2), 2), Pose(2.0, 0.99, -math.pi / 2)).y == (
        pytest.approx(1.0, abs=0.004)
    )


def test_moved_wall_is_removed() -> None:
    before, after = np.array([[-5, 2, 5, 2]], float), np.array([[-5, 2.12, 5, 2.12]], float)
    grid, surfels, pose = OccupancyGrid(), SurfelMap(0.05), Pose(0.0, 0.0, math.pi / 2)
    for k in range(30):
        scan = see(before if k < 5 else after, pose, k, noise=0.002)
        grid.add_scan(scan, pose)
        surfels.add(scan, pose, grid)
    guess = pose._replace(y=0.02)
    assert surfels.align(see(before, pose, 99), guess).y == pytest.approx(0.02, abs=0.003)  # nothing pulls there
    assert surfels.align(see(after, pose, 99), guess).y == pytest.approx(0.0, abs=0.004)


def test_scattered_beam_ends_give_no_lines() -> None:
    scan = see(ROOM, AT, noise=0.3)
    assert len(find_lines(scan)) < 0.2 * len(scan.points())
    lines = find_lines(see(ROOM, AT))
    assert len(lines) > 0.7 * len(scan.points())
    assert ((lines[:, :2] * lines[:, 2:]).sum(axis=1) < 0).all()  # normals look at the sensor
