"""All colours of pictures and charts, also for the page. The colours of sensors are in their specs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from paddock.core.spec import rgb
from paddock.simulation.worlds.world_spec import Field

Rgba = tuple[int, int, int, int]

PAPER, INK, FAINT = "#fbfaf7", "#2b2f36", "#7a808a"
WHITE, SHADOW = "#ffffff", "#1e222c"
TRAIL_START, GOAL, START_POSE, ESTIMATE = "#2f9e6e", "#1f7a54", "#4a5568", "#2b2f36"
LAMP_EDGE, SOUND, WHEEL, SOLUTION = "#b07800", "#5b5f97", "#20242c", "#e0a92b"
LEFT, RIGHT, ERROR, MEAN, TARGET = "#2e86ab", "#e4572e", "#7b5ea7", "#d1495b", "#2f9e6e"
WORST, BEST = "#f3e6c4", "#0b4f6c"  # ends of the colour scale of a map

# Ten distinguishable colours for lines.
LINES = (
    *("#2e86ab", "#e4572e", "#2f9e6e", "#7b5ea7", "#e6a117"),
    *("#b5179e", "#5c6570", "#8c5a3c", "#38b8c4", "#8fb331"),
)
TASKS = ("#2e86ab", "#e6a117", "#2f9e6e", "#b5179e", "#7b5ea7", "#c9a200", "#6c757d", "#e4572e")

FIELDS = ("#39a275", "#8e5ea2", "#e6a117", "#2e86ab", "#b5179e")  # fields without a colour of their own, in order


def palette() -> dict[str, Any]:
    """Return the colours as plain data for JSON: colours by name, and lists of colours of lines and tasks."""
    return {
        "paper": PAPER,
        "ink": INK,
        "faint": FAINT,
        "trail_start": TRAIL_START,
        "goal": GOAL,
        "start_pose": START_POSE,
        "estimate": ESTIMATE,
        "lamp_edge": LAMP_EDGE,
        "sound": SOUND,
        "wheel": WHEEL,
        "lines": list(LINES),
        "tasks": list(TASKS),
        "fields": list(FIELDS),
    }


def field_colors(fields: Iterable[Field]) -> list[str]:
    """Return the colours of a world's fields. Several fields with the default colour get different ones."""
    others = itertools.cycle(FIELDS)
    return [next(others) if field.color == FIELDS[0] else field.color for field in fields]


def line_color(number: int) -> str:
    """Return the colour of a line by its number. After ten lines the colours repeat, darker."""
    return darken(LINES[number % len(LINES)], min(0.75, 0.35 * (number // len(LINES))))


def tint(color: str, alpha: float = 1.0) -> Rgba:
    """Return a colour with an opacity 0 … 1."""
    return (*rgb(color), round(255 * alpha))


def blend(color: str, other: str, share: float) -> str:
    """Mix a colour with a share 0 … 1 of another one."""
    mixed = (round(a + (b - a) * share) for a, b in zip(rgb(color), rgb(other), strict=True))
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def darken(color: str, share: float = 0.35) -> str:
    """Mix a colour with a share 0 … 1 of black."""
    return blend(color, "#000000", share)
