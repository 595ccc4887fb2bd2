"""Axes: the frame of a chart, with title, round ticks, shaded spans, a key, and no text over another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from paddock.core.geometry import Point
from paddock.draw.canvas import FAINT, INK, Canvas, Rect, darker, round_length, rows_of_key, tint
from paddock.episodes.trace import Span

Range = tuple[float, float]
SPAN_COLORS = ("#2e86ab", "#e6a117", "#2f9e6e", "#b5179e", "#7b5ea7", "#c9a200", "#6c757d", "#e4572e")
# Ten lines that can be told from each other.
LINE_COLORS = (
    *("#2e86ab", "#e4572e", "#2f9e6e", "#7b5ea7", "#e6a117"),
    *("#b5179e", "#5c6570", "#8c5a3c", "#38b8c4", "#8fb331"),
)
MOST_KEYS = 12
LONGEST_KEY = 240.0  # pixels of a text in the key, at a width of 1000


class Key(NamedTuple):
    """An entry of the key: what a line, a dashed line, a dot or a block of a colour means."""

    symbol: Literal["line", "dashed", "block", "dot"]
    color: str
    text: str


class Axes:
    """A canvas with a plot whose places are given in the units of the data."""

    def __init__(
        self,
        title: str,
        about: str,
        *,
        x_name: str,
        y_name: str,
        x_range: Range,
        y_range: Range,
        key: Sequence[Key] = (),
        spans: Sequence[Span] = (),
        log_x: bool = False,
        size: int = 1000,
    ) -> None:
        """Draw the frame and all texts.

        Args:
            title: the chart's name.
            about: more of it, in a smaller line.
            x_name: what is along the axis, with its unit: "time [s]".
            y_name: the same for the other axis.
            x_range: lowest and highest place on the axis; they differ.
            y_range: the same for the other axis.
            key: what lines and colours mean.
            spans: tasks to shade and to name; those too short for their name go to the key.
            log_x: whether equal distances along the axis are equal ratios; its range is above 0 then.
            size: width of the picture [pixels].
        """
        self.zoom = z = size / 1000
        self.x_range, self.y_range, self.log_x = x_range, y_range, log_x
        y_ticks = ticks(*y_range, most=10)
        x_ticks = log_ticks(*x_range) if log_x else _ticks_with_room(x_range, size * 0.88, 14 * z)
        left = max(62 * z, max((Canvas.measure(text, 14 * z)[0] for _, text in y_ticks), default=0.0) + 26 * z)
        right = size - max(
            30 * z, max((Canvas.measure(text, 14 * z)[0] for _, text in x_ticks[-1:]), default=0.0) / 2 + 8
        )
        named = [span for span in spans if span.task]
        colors = span_colors(named)
        top = (124 if named else 106) * z
        bottom = top + 270 * z
        pixels = (right - left) / (x_range[1] - x_range[0])
        homeless = [span.task for span in named if not _fits(span, pixels, z)]
        homed = {span.task for span in named if _fits(span, pixels, z)}
        entries = [*key, *(Key("block", colors[task], task) for task in dict.fromkeys(homeless) if task not in homed)]
        if len(entries) > MOST_KEYS:
            entries = [*entries[: MOST_KEYS - 1], Key("block", FAINT, f"and {len(entries) - MOST_KEYS + 1} more")]
        x_name = shortened(x_name, 14 * z, (right - left) / 2)
        room = right - left - Canvas.measure(x_name, 14 * z)[0] - 30 * z
        short = [entry._replace(text=shortened(entry.text, 14 * z, LONGEST_KEY * z)) for entry in entries]
        rows = rows_of_key(short, lambda entry: entry.text, room, z)
        self.plot: Rect = (left, top, right, bottom)
        self.canvas = Canvas(size, round(bottom + (40 + 24 * max(1, len(rows)) + 12) * z))
        self._draw_spans(named, colors)
        self._draw_ticks(x_ticks, y_ticks)
        self._draw_title(title, about)
        self.canvas.text((left, 88 * z), shortened(y_name, 14 * z, right - left), 14 * z, color=FAINT)
        self.canvas.text((right, bottom + 50 * z), x_name, 14 * z, color=FAINT, anchor="right")
        self._draw_key(rows)

    def at(self, x: float, y: float) -> Point:
        """The pixel of a place."""
        left, top, right, bottom = self.plot
        (x0, x1), (y0, y1) = self.x_range, self.y_range
        along = math.log(x / x0) / math.log(x1 / x0) if self.log_x else (x - x0) / (x1 - x0)
        return left + along * (right - left), bottom - (y - y0) / (y1 - y0) * (bottom - top)

    def dashes(self, start: Point, end: Point, color: str, width: float) -> None:
        """A dashed line between two pixels."""
        length = math.dist(start, end)
        dash, gap = 7 * self.zoom, 5 * self.zoom
        along = 0.0
        while along < length:
            parts = along / length, min(along + dash, length) / length
            ends = [(start[0] + p * (end[0] - start[0]), start[1] + p * (end[1] - start[1])) for p in parts]
            self.canvas.stroke(ends, tint(color), width)
            along += dash + gap

    def _draw_spans(self, spans: Sequence[Span], colors: dict[str, str]) -> None:
        canvas, z = self.canvas, self.zoom
        _, top, _, bottom = self.plot
        pixels = (self.plot[2] - self.plot[0]) / (self.x_range[1] - self.x_range[0])
        for span in spans:
            left, right = self.at(span.start, 0.0)[0], self.at(span.end, 0.0)[0]
            canvas.block((left, top, right, bottom), tint(colors[span.task], 0.08))
            canvas.block((left, top - 19 * z, right, top), tint(colors[span.task], 0.28))
            if right - left > 12 * z:
                canvas.stroke([(left, top - 19 * z), (left, bottom)], tint(INK, 0.35), 0.8)
            if _fits(span, pixels, z):
                canvas.text(((left + right) / 2, top - 9.5 * z), span.task, 13 * z, anchor="middle")

    def _draw_ticks(self, x_ticks: list[tuple[float, str]], y_ticks: list[tuple[float, str]]) -> None:
        canvas, z = self.canvas, self.zoom
        left, top, right, bottom = self.plot
        for value, text in x_ticks:
            x = self.at(value, self.y_range[0])[0]
            canvas.stroke([(x, top), (x, bottom)], tint(INK, 0.07), 1.0)
            canvas.stroke([(x, bottom), (x, bottom + 5 * z)], tint(FAINT), 1.0)
            canvas.text((x, bottom + 17 * z), text, 14 * z, color=FAINT, anchor="middle")
        for value, text in y_ticks:
            y = self.at(self.x_range[0], value)[1]
            canvas.stroke([(left, y), (right, y)], tint(INK, 0.22 if value == 0 else 0.07), 1.0)
            canvas.stroke([(left - 5 * z, y), (left, y)], tint(FAINT), 1.0)
            canvas.text((left - 9 * z, y), text, 14 * z, color=FAINT, anchor="right")
        canvas.stroke([(left, top), (left, bottom), (right, bottom)], tint(FAINT), 1.0)

    def _draw_title(self, title: str, about: str) -> None:
        canvas, z = self.canvas, self.zoom
        room = canvas.width - 92 * z
        for y, text, size, color in ((28, title, 24 * z, INK), (57, about, 15 * z, FAINT)):
            fitting = max(canvas.fitting(text, size, room), 0.7 * size)
            canvas.text((62 * z, y * z), shortened(text, fitting, room), fitting, color=color)

    def _draw_key(self, rows: list[list[Key]]) -> None:
        canvas, z = self.canvas, self.zoom
        for i, row in enumerate(rows):
            x, y = self.plot[0], self.plot[3] + (50 + 24 * i) * z
            for symbol, color, text in row:
                if symbol == "block":
                    canvas.block((x + 2 * z, y - 6 * z, x + 16 * z, y + 6 * z), tint(color, 0.45), radius=3 * z)
                elif symbol == "dot":
                    draw_dot(canvas, (x + 9 * z, y), color, z)
                elif symbol == "line":
                    canvas.stroke([(x, y), (x + 18 * z, y)], tint(color), 3.0 * z)
                else:
                    canvas.stroke([(x, y), (x + 7 * z, y)], tint(color), 2.4 * z)
                    canvas.stroke([(x + 11 * z, y), (x + 18 * z, y)], tint(color), 2.4 * z)
                canvas.text((x + 24 * z, y), text, 14 * z)
                x += 44 * z + canvas.measure(text, 14 * z)[0]


def draw_dot(canvas: Canvas, pixel: Point, color: str, zoom: float) -> None:
    """A dot with a white rim, which stands out from lines."""
    canvas.dot(pixel, 6.2 * zoom, tint("#ffffff"))
    canvas.dot(pixel, 4.6 * zoom, tint(color))


def line_color(number: int) -> str:
    """The colour of the line of that number; after the tenth they come again, darker."""
    color = LINE_COLORS[number % len(LINE_COLORS)]
    return darker(color, min(0.75, 0.35 * (number // len(LINE_COLORS))))


def ticks(low: float, high: float, *, most: int) -> list[tuple[float, str]]:
    """At most `most` round places from low to high, and their labels."""
    step = round_length((high - low) / most)
    while (high - low) / step > most - 1:
        step = round_length(step * 2.5)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    values = [i * step for i in range(first, last + 1)]
    if digits > 5 or max(abs(low), abs(high)) >= 1e7:
        return [(value, f"{value:.6g}") for value in values]
    return [(value, f"{round(value, digits) + 0.0:.{digits}f}") for value in values]


def log_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """1, 2, 5, 10 … from low to high, or powers of ten alone where there are many of them; and their labels."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    steps = (1, 2, 5) if math.log10(high / low) < 3.5 else (1,)
    values = [step * 10.0**power for power in range(first, last + 1) for step in steps]
    return [(value, f"{value:g}") for value in values if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]


def span_colors(spans: Sequence[Span]) -> dict[str, str]:
    """A colour for every task, in the order in which they begin."""
    names = dict.fromkeys(span.task for span in spans)
    return {name: SPAN_COLORS[i % len(SPAN_COLORS)] for i, name in enumerate(names)}


def shortened(text: str, size: float, room: float) -> str:
    """As much of a text as fits into a width [pixels]."""
    if Canvas.measure(text, size)[0] <= room:
        return text
    kept = text[:400]
    while kept and Canvas.measure(kept + "…", size)[0] > room:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def _ticks_with_room(limits: Range, width: float, size: float) -> list[tuple[float, str]]:
    """As many ticks as have room for their labels side by side."""
    found: list[tuple[float, str]] = []
    for most in (12, 10, 8, 6, 4, 3):
        found = ticks(*limits, most=most)
        widest = max((Canvas.measure(text, size)[0] for _, text in found), default=0.0)
        if (widest + size) * len(found) < width:
            break
    return found


def _fits(span: Span, pixels: float, zoom: float) -> bool:
    wide = (span.end - span.start) * pixels
    return wide > 16 * zoom and Canvas.measure(span.task, 13 * zoom)[0] + 8 * zoom <= wide
