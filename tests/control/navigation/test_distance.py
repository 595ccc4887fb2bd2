"""Tests of grid distances against a brute-force search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paddock.control.navigation import transform_distance


@settings(deadline=None)
@given(st.integers(1, 14), st.integers(1, 14), st.floats(0.01, 0.6), st.integers(0, 1000))
def test_distance_to_nearest_marked_cell_is_exact(rows: int, columns: int, share: float, seed: int) -> None:
    marked = np.random.default_rng(seed).random((rows, columns)) < share
    found = transform_distance(marked, 0.05)
    if not marked.any():
        assert np.isinf(found).all()
        return
    cells, every = np.argwhere(marked), np.indices(marked.shape).reshape(2, -1).T
    expected = np.hypot(*(every[:, None] - cells).transpose(2, 0, 1)).min(axis=1)
    assert found.ravel() == pytest.approx(0.05 * expected)
