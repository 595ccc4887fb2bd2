"""Format numbers and settings as text, with suitable units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def format_quantity(value: float, unit: str, reference: float | None = None) -> str:
    """Format a number with its unit. Lengths use a unit suitable for the number, or for the number `reference`."""
    factor, better = pick_unit(value if reference is None else reference, unit)
    return f"{value * factor:.4g} {better}".strip()


def pick_unit(largest: float, unit: str) -> tuple[float, str]:
    """Return a factor and the resulting unit: small lengths in metres become cm or mm."""
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
    """Return the name of a figure with its unit, if known: `distance [m]`, `goal_time [s]`."""
    unit = FIGURE_UNITS.get(figure) or FIGURE_UNITS.get(figure.rpartition("_")[2])
    return f"{figure} [{unit}]" if unit else figure


def format_value(value: Any) -> str:
    """Format the value of a setting as text: a dash for an empty value, lists with commas."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {format_value(part)}" for name, part in value.items()) or "-"
    if isinstance(value, list | tuple):
        return ", ".join(map(format_value, value)) or "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value is None or value == "" else str(value)


def is_tree(value: Any) -> bool:
    """Whether a value is shown as a nested table: a table, or a list of tables."""
    if isinstance(value, list):
        return any(isinstance(part, Mapping) and part for part in value)
    return isinstance(value, Mapping) and bool(value)


def branches(value: Any) -> list[tuple[str, Any]]:
    """Return the entries of a table, or of a list of tables, numbered from 0."""
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
    return [(str(name), part) for name, part in pairs]


def settings_lines(settings: Mapping[str, Any], depth: int = 0) -> list[str]:
    """Format settings as indented lines of text, one per value."""
    lines = []
    for name, value in branches(settings):
        if is_tree(value):
            lines += [f"{'  ' * depth}{name}:", *settings_lines(dict(branches(value)), depth + 1)]
        else:
            lines.append(f"{'  ' * depth}{name}: {format_value(value)}")
    return lines
