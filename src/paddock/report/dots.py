"""Dot charts: a row for every thing that was measured, a dot for every way of measuring it, on an axis of ratios."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image

from paddock.draw.canvas import FAINT, INK, Canvas, darker, rows_of_key, tint
from paddock.report.axes import draw_dot, log_ticks, shortened

ROW = 34.0  # pixels of a row, at a width of 1000
NAMES = 0.4  # share of the width that the names of the rows take at most


@dataclass(frozen=True, slots=True)
class Dots:
    """The dots of one colour."""

    name: str
    color: str
    values: Sequence[float]  # one for every row; those that are not above 0 are left out


def dot_chart(
    title: str, names: Sequence[str], dots: Sequence[Dots], *, x_name: str, about: str = "", size: int = 1000
) -> Image.Image:
    """A chart of `size` pixels' width; every dot has its number beside it."""
    z = size / 1000
    known = [value for one in dots for value in one.values if 0 < value < math.inf] or [1.0]
    low, high = min(known) / 1.6, max(known) * 1.6
    widest = max((Canvas.measure(name, 15 * z)[0] for name in names), default=0.0)
    left, right = min(widest, NAMES * size) + 50 * z, size - 40 * z
    top = 92 * z
    bottom = top + ROW * z * len(names)
    key = rows_of_key(dots, lambda one: one.name, right - left - Canvas.measure(x_name, 14 * z)[0] - 30 * z, z)
    canvas = Canvas(size, round(bottom + (64 + 24 * len(key)) * z))

    def across(value: float) -> float:
        return left + math.log(value / low) / math.log(high / low) * (right - left)

    canvas.text((30 * z, 28 * z), title, canvas.fitting(title, 24 * z, size - 60 * z))
    canvas.text((30 * z, 57 * z), about, canvas.fitting(about, 15 * z, size - 60 * z), color=FAINT)
    for value, text in log_ticks(low, high):
        x = across(value)
        canvas.stroke([(x, top), (x, bottom)], tint(INK, 0.09), 1.0)
        canvas.text((x, bottom + 15 * z), text, 14 * z, color=FAINT, anchor="middle")
    for row, name in enumerate(names):
        y = top + (row + 0.5) * ROW * z
        canvas.text((30 * z, y), shortened(name, 15 * z, left - 44 * z), 15 * z)
        found = [(one, one.values[row]) for one in dots if 0 < one.values[row] < math.inf]
        if found:
            ends = across(min(value for _, value in found)), across(max(value for _, value in found))
            canvas.stroke([(ends[0], y), (ends[1], y)], tint(FAINT, 0.45), 1.6 * z)
        for one, value in found:
            draw_dot(canvas, (across(value), y), one.color, z)
            canvas.taken.append((across(value) - 7 * z, y - 7 * z, across(value) + 7 * z, y + 7 * z))
        for one, value in found:
            _label(canvas, (across(value), y), f"{value:.3g}", darker(one.color, 0.25), z)
    canvas.stroke([(left, bottom), (right, bottom)], tint(FAINT), 1.0)
    canvas.text((right, bottom + 44 * z), x_name, 14 * z, color=FAINT, anchor="right")
    for line, entries in enumerate(key):
        x, y = left, bottom + (44 + 24 * line) * z
        for one in entries:
            draw_dot(canvas, (x + 9 * z, y), one.color, z)
            canvas.text((x + 24 * z, y), one.name, 14 * z)
            x += 44 * z + canvas.measure(one.name, 14 * z)[0]
    return canvas.finished()


def _label(canvas: Canvas, pixel: tuple[float, float], text: str, color: str, z: float) -> None:
    """The number of a dot: to its right, to its left, or above it, wherever nothing is yet."""
    x, y = pixel
    width, height = canvas.measure(text, 13 * z)
    everywhere = (0.0, 0.0, float(canvas.width), float(canvas.height))
    for middle in ((x + 10 * z + width / 2, y), (x - 10 * z - width / 2, y), (x, y - 14 * z), (x, y + 14 * z)):
        around = (middle[0] - width / 2, middle[1] - height / 2, middle[0] + width / 2, middle[1] + height / 2)
        if canvas.is_free(around, everywhere):
            canvas.text(middle, text, 13 * z, color=color, anchor="middle", halo=True)
            return
