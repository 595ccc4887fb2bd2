"""Numbers and settings as text: units that read well, and values of any kind in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def format_quantity(value: float, unit: str, beside: float | None = None) -> str:
    """A number with its unit; lengths in the unit that reads best for it, or for another one that it stands beside."""
    factor, better = pick_unit(value if beside is None else beside, unit)
    return f"{value * factor:.4g} {better}".strip()


def pick_unit(largest: float, unit: str) -> tuple[float, str]:
    """What to multiply numbers with, and the unit they have then: metres become cm or mm when they are small."""
    if unit != "m" or abs(largest) >= 1.0 or largest == 0:
        return 1.0, unit
    return (100.0, "cm") if abs(largest) >= 0.01 else (1000.0, "mm")


FIGURE_UNITS = {
    **dict.fromkeys(("distance", "nearest", "progress", "mean_distance"), "m"),
    **dict.fromkeys(("seconds", "contact_time", "time"), "s"),
    "mean_speed": "m/s",
    "turned": "rad",
}


def label_figure(figure: str) -> str:
    """A figure of a run with its unit, where that is known: `distance [m]`, `goal_time [s]`."""
    unit = FIGURE_UNITS.get(figure) or FIGURE_UNITS.get(figure.rpartition("_")[2])
    return f"{figure} [{unit}]" if unit else figure


def format_value(value: Any) -> str:
    """A setting that is no table as text: a dash for nothing, lists with commas."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {format_value(part)}" for name, part in value.items()) or "-"
    if isinstance(value, list | tuple):
        return ", ".join(map(format_value, value)) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None or value == "" else str(value)


def is_tree(value: Any) -> bool:
    """Whether a value is shown as a table of its own: a table, or a list of tables."""
    if isinstance(value, list):
        return any(isinstance(part, Mapping) and part for part in value)
    return isinstance(value, Mapping) and bool(value)


def branches(value: Any) -> list[tuple[str, Any]]:
    """The entries of a table, or of a list of tables, which are numbered from 0."""
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    return [(str(name), part) for name, part in pairs]


def settings_lines(settings: Mapping[str, Any], depth: int = 0) -> list[str]:
    """Settings as indented lines of text, one for each value."""
    lines = []
    for name, value in branches(settings):
        if is_tree(value):
            lines += [f"{'  ' * depth}{name}:", *settings_lines(dict(branches(value)), depth + 1)]
        else:
            lines.append(f"{'  ' * depth}{name}: {format_value(value)}")
    return lines
