"""Tests that charts of maps fill their figure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paddock.core.geometry import Pose
from paddock.perception.mapping import GridFrame, MapView
from paddock.report import coverage_chart, map_view_chart, path_chart, relations_chart


@pytest.mark.parametrize(("rows", "columns"), [(60, 80), (90, 80), (30, 80)])
def test_map_chart_has_no_empty_margin(rows: int, columns: int) -> None:
    frame = GridFrame(0.0, 0.0, 0.1, rows, columns)
    view = MapView(frame=frame, cells=np.zeros(frame.shape, np.uint8))
    ax = map_view_chart(view, [(1.0, 1.0), (2.0, 2.0)], title="Rooms", about="mapped")
    figure: Any = ax.figure
    figure.canvas.draw()
    labelled: Any = ax.get_tightbbox()
    assert labelled.y1 > figure.bbox.height - 40  # the title, in pixels from the bottom
    assert ax.get_window_extent().width > 0.85 * figure.bbox.width


def test_any_number_of_paths_can_be_compared() -> None:
    paths = {f"path {k}": [Pose(0.0, 0.0, 0.0), Pose(1.0, k, 0.0)] for k in range(14)}
    ax = path_chart({**paths, "none": []})
    assert len({line.get_color() for line in ax.lines}) == 15


def test_charts_without_data_are_empty() -> None:
    assert not relations_chart({}).lines
    assert len(coverage_chart({"run": []}).lines) == 1
