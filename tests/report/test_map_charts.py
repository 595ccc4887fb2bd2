"""Charts of maps fill their figure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paddock.mapping import GridFrame, MapView
from paddock.report import map_view_chart


@pytest.mark.parametrize(("rows", "columns"), [(60, 80), (90, 80), (30, 80)])
def test_no_empty_space_is_left_above_or_beside_a_map(rows: int, columns: int) -> None:
    frame = GridFrame(0.0, 0.0, 0.1, rows, columns)
    view = MapView(frame=frame, cells=np.zeros(frame.shape, np.uint8))
    ax = map_view_chart(view, [(1.0, 1.0), (2.0, 2.0)], title="Rooms", about="mapped")
    figure: Any = ax.figure
    figure.canvas.draw()
    labelled: Any = ax.get_tightbbox()
    assert labelled.y1 > figure.bbox.height - 40  # the title, in pixels from the bottom
    assert ax.get_window_extent().width > 0.85 * figure.bbox.width
