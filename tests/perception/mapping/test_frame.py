"""Tests of grid frames and scans."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, compose, relative
from paddock.perception.mapping import GridFrame, Scan
from paddock.perception.mapping.scan import transform

coordinates = st.floats(-100, 100)
poses = st.builds(Pose, coordinates, coordinates, st.floats(-3, 3))


@given(poses, poses)
def test_relative_step_composes_to_the_end_pose(start: Pose, end: Pose) -> None:
    assert compose(start, relative(start, end)) == pytest.approx(end, abs=1e-9)


@given(coordinates, coordinates, st.sampled_from([0.05, 0.1, 1.0]))
def test_cell_contains_its_point(x: float, y: float, side: float) -> None:
    frame = GridFrame.around(x - 1, y - 1, x + 1, y + 1, side)
    row, column = frame.cell(x, y)
    assert frame.holds(row, column)
    assert (frame.cells(np.array([[x, y]])) == [[row, column]]).all()
    assert np.abs(np.array(frame.centre(row, column)) - (x, y)).max() <= side / 2 + 1e-9
    assert (frame.centres(np.array([[row, column]])) == [frame.centre(row, column)]).all()


def test_scan_points_include_only_hits() -> None:
    angles = np.radians([-90.0, 0.0, 90.0, 45.0])
    scan = Scan(0.0, angles, np.array([1.0, np.inf, 2.0, np.nan]), 5.0, Pose(0.1, 0.0, math.pi / 2))
    assert scan.points() == pytest.approx(np.array([[1.1, 0.0], [-1.9, 0.0]]))
    assert transform(scan.points(), Pose(1.0, 2.0, math.pi / 2)) == pytest.approx(np.array([[1.0, 3.1], [1.0, 0.1]]))


def test_scan_needs_one_range_per_angle() -> None:
    with pytest.raises(PaddockError, match="as many ranges as angles"):
        Scan(0.0, np.zeros(3), np.zeros(2), 5.0)


@pytest.mark.parametrize(("far", "message"), [(math.nan, "finite bounds"), (1e7, "too many")])
def test_oversized_frame_is_refused(far: float, message: str) -> None:
    with pytest.raises(PaddockError, match=message):
        GridFrame.around(0.0, 0.0, far, far, 0.05)
