"""The exact Euclidean distance transform, in time proportional to the number of cells."""

from __future__ import annotations

import math

from paddock.core.jit import kernel


@kernel
def distance_to_nearest(marked, side, sites, borders, distance):
    """Compute the distance from each cell's centre to that of the nearest marked cell [m]; infinity without any.

    Two sweeps compute the distance along the columns. Then the lower envelope of parabolas is computed along each row
    (Felzenszwalb and Huttenlocher 2012). `sites` and `borders` are scratch, with two and one numbers per column.
    """
    rows, columns = marked.shape
    for row in range(rows):
        for column in range(columns):
            above = distance[row - 1, column] + 1.0 if row > 0 else math.inf
            distance[row, column] = 0.0 if marked[row, column] else above
    for row in range(rows - 2, -1, -1):
        for column in range(columns):
            distance[row, column] = min(distance[row, column], distance[row + 1, column] + 1.0)
    for row in range(rows):
        for column in range(columns):
            distance[row, column] *= distance[row, column]
        count = find_envelope(distance[row], sites, borders)
        fill_row(distance[row], count, side, sites, borders)


@kernel
def find_envelope(heights, sites, borders):
    """Compute the lower envelope of parabolas at the cells of a row with finite heights; return their number.

    `sites` receives position and height of each parabola, interleaved. `borders` receives the start of each segment.
    """
    count = 0
    for column in range(heights.shape[0]):
        height = heights[column]
        if height == math.inf:
            continue
        begin = -math.inf
        while count > 0:
            foot = sites[2 * count - 2]
            begin = (height + column * column - sites[2 * count - 1] - foot * foot) / (2.0 * (column - foot))
            if begin > borders[count - 1]:
                break
            count -= 1
            begin = -math.inf
        sites[2 * count], sites[2 * count + 1], borders[count] = column, height, begin
        count += 1
    return count


@kernel
def fill_row(heights, count, side, sites, borders):
    """Compute the distances [m] of a row from the envelope of its parabolas."""
    lowest = 0
    for column in range(heights.shape[0]):
        if count == 0:
            heights[column] = math.inf
            continue
        while lowest + 1 < count and borders[lowest + 1] < column:
            lowest += 1
        off = column - sites[2 * lowest]
        heights[column] = side * math.sqrt(off * off + sites[2 * lowest + 1])
