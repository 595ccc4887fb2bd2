"""Tests of the padding of a map with unknown cells up to a goal."""

from __future__ import annotations

import numpy as np

from paddock.control.navigation.costmap import pad
from paddock.perception.mapping.occupancy import GridFrame


def test_map_is_padded_until_it_contains_the_square_around_a_point() -> None:
    frame = GridFrame(1.0, 2.0, 0.5, 4, 6)
    states = np.zeros(frame.shape, np.int8)
    padded, wider = pad(states, frame, 0.2, 7.1, 0.5)
    assert wider.cell(-0.3, 6.6) >= (0, 0)
    assert wider.holds(*wider.cell(0.7, 7.6))
    assert wider.cell(1.0, 2.0) == (0, 3)
    assert np.count_nonzero(padded == 0) == states.size
    assert np.array_equal(padded[:4, 3:9], states)


def test_map_that_contains_the_square_is_unchanged() -> None:
    frame = GridFrame(0.0, 0.0, 0.1, 50, 50)
    states = np.ones(frame.shape, np.int8)
    padded, same = pad(states, frame, 2.5, 2.5, 1.0)
    assert same == frame
    assert np.array_equal(padded, states)
