"""Tests of the escape from an obstacle."""

from __future__ import annotations

import numpy as np
import pytest

from paddock.core.geometry import Pose
from paddock.network.nodes.planner import BACK_DISTANCE, Escape

OUTLINE = np.array([(0.2, 0.15), (-0.2, 0.15), (-0.2, -0.15), (0.2, -0.15)])


@pytest.mark.parametrize(
    ("points", "turns_left"),
    [
        ([(0.3, 0.1)], False),
        ([(0.3, -0.1)], True),
        ([(0.3, 0.1), (0.5, -0.1)], False),
        ([(0.5, 0.1), (0.3, -0.1)], True),
    ],
)
def test_escape_turns_away_from_the_nearer_side(points: list[tuple[float, float]], turns_left: bool) -> None:
    met = np.array(points)
    escape = Escape(OUTLINE, met, Pose(0.0, 0.0, 0.0))
    wheels = escape.act(met, Pose(-BACK_DISTANCE, 0.0, 0.0))
    assert wheels is not None
    assert (wheels.right > wheels.left) is turns_left
