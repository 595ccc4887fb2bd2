"""Exact Euclidean distance transform of a grid, without chamfer approximation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paddock.control.navigation.kernels.distance import distance_to_nearest
from paddock.perception.mapping.scan import Floats


def transform_distance(marked: NDArray[np.bool_], resolution: float) -> Floats:
    """Return the distance of each cell's centre from that of the nearest marked cell [m]; infinity without any.

    Args:
        marked: mask of marked cells, shape (rows, columns).
        resolution: side of a cell [m].
    """
    columns = marked.shape[1]
    distance = np.empty(marked.shape)
    distance_to_nearest(marked, float(resolution), np.empty(2 * columns), np.empty(columns), distance)
    return distance
