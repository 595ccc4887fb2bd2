"""Tests of graph SLAM as the live method of a mapper."""

from __future__ import annotations

import math

import numpy as np
import pytest

from paddock.core.errors import PaddockError
from paddock.perception.mapping import MAPPING_METHODS, MapSetup
from paddock.perception.mapping.graph_slam import GraphMapping
from paddock.perception.mapping.logs.slam_run import OdometryModel
from paddock.perception.mapping.method import NO_SPREAD
from perception.mapping.drives import along, place_errors, record
from perception.mapping.floor_plans import ring_corridor


@pytest.mark.long
def test_map_is_redrawn_after_loop_closure() -> None:
    corners = [(1.0, 1.0), (19.0, 1.0), (19.0, 13.0), (1.0, 13.0), (1.0, 1.0), (19.0, 1.0), (19.0, 6.0)]
    truth = along(*corners)
    log = record(ring_corridor(), truth, bias=math.radians(0.6))
    mapping = MAPPING_METHODS.get("graph")(MapSetup(resolution=0.1))
    assert isinstance(mapping, GraphMapping)
    mapping.reset(truth[0], NO_SPREAD)
    spreads = []
    for scan, step in zip(log.scans, OdometryModel().steps(log), strict=True):
        mapping.add(scan, step)
        spreads.append(math.sqrt(mapping.covariance[0, 0]))
    assert mapping.slam.graph.loops
    assert spreads[-1] < 0.5 * max(spreads)
    assert place_errors([mapping.pose], [truth[-1]])[0] < 0.15
    drawn = mapping.grid
    mapping.draw_all()
    occupied = [np.argwhere(grid.states() == 1) @ [1, 100_000] for grid in (drawn, mapping.grid)]
    assert np.isin(*occupied).mean() > 0.9  # nothing is left of where poses were before the loop


def test_cones_are_refused() -> None:
    with pytest.raises(PaddockError, match="expected a laser's rays, got cones"):
        GraphMapping(MapSetup(opening=0.3))
