"""Entries of a declaration by key, checked and converted to metres."""

from __future__ import annotations

from paddock.core.argument_checks import all_finite
from paddock.core.errors import SpecError, format_value, suggestion
from paddock.core.geometry import Point
from paddock.simulation.worlds.importers.statements import Declaration, StatementEntry, problem_at

UNITS = {"meters": 1.0, "inches": 0.0254, "feet": 0.3048}
COLORS = {  # colours of Java
    "black": "#000000",
    "blue": "#0000ff",
    "cyan": "#00ffff",
    "darkGray": "#404040",
    "gray": "#808080",
    "green": "#00ff00",
    "lightGray": "#c0c0c0",
    "magenta": "#ff00ff",
    "orange": "#ffc800",
    "pink": "#ffafaf",
    "red": "#ff0000",
    "white": "#ffffff",
    "yellow": "#ffff00",
}
LOOKS = ("label", "color", "lineColor", "fillColor")


class Fields:
    """The entries of a declaration. Lengths are converted with the unit in effect at the declaration."""

    def __init__(self, declared: Declaration, keys: tuple[str, ...], unit: float) -> None:
        self.declared, self.unit = declared, unit
        self.name = f"{declared.keyword} {declared.name}".strip()
        self.entries: dict[str, StatementEntry] = {}
        for entry in declared.entries:
            if entry.key not in (*keys, *LOOKS):
                raise self.problem(f"unknown key {entry.key!r}{suggestion(entry.key, [*keys, *LOOKS])}", entry)
            if entry.key in self.entries:
                raise self.problem(f"expected {entry.key!r} once, got it twice", entry)
            self.entries[entry.key] = entry
        self.color("")
        if (label := self.entries.get("label")) and [word.kind for word in label.values] != ["text"]:
            raise self.problem(f"{label.key}: expected one string in quotes, got {_format(label)}", label)

    def problem(self, problem: str, entry: StatementEntry | None = None) -> SpecError:
        """Return an error about this declaration, with the line of the entry if one is given."""
        return problem_at((entry or self.declared).line, f"{self.name}: {problem}")

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def numbers(self, key: str, meaning: str) -> list[float]:
        """Return as many numbers as `meaning` names, without conversion."""
        return self._all_numbers(key, meaning, meaning.count(",") + 1)

    def lengths(self, key: str, meaning: str) -> list[float]:
        """Return as many lengths as `meaning` names [m]."""
        return [number * self.unit for number in self.numbers(key, meaning)]

    def points(self, key: str) -> list[Point]:
        """Return three or more points [m]."""
        meaning = "x1, y1, x2, y2, x3, y3 and maybe more points"
        count = len(self.entries[key].values)
        wanted = count if count >= 6 and count % 2 == 0 else -1
        found = [number * self.unit for number in self._all_numbers(key, meaning, wanted)]
        return list(zip(found[::2], found[1::2], strict=True))

    def _all_numbers(self, key: str, meaning: str, count: int) -> list[float]:
        if key not in self.entries:
            raise self.problem(f"missing: {key}: {meaning};")
        entry = self.entries[key]
        found = [word.value for word in entry.values if isinstance(word.value, float)]
        if len(found) != len(entry.values) or len(found) != count:
            raise self.problem(f"{key}: expected {meaning}, got {_format(entry)}", entry)
        if not all_finite(*found):
            raise self.problem(f"{key}: expected finite numbers, got {_format(entry)}", entry)
        return found

    def whole(self, key: str, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        (number,) = self.numbers(key, f"a whole number from {low} to {high}")
        if not number.is_integer() or not low <= number <= high:
            raise self.problem(
                f"{key}: expected a whole number from {low} to {high}, got {format_value(number)}", self.entries[key]
            )
        return int(number)

    def words(self, key: str, meaning: str, count: int = 1) -> list[str]:
        """Return the names in an entry."""
        if key not in self.entries:
            raise self.problem(f"missing: {key}: {meaning};")
        entry = self.entries[key]
        if len(entry.values) != count or any(word.kind != "word" for word in entry.values):
            raise self.problem(f"{key}: expected {meaning}, got {_format(entry)}", entry)
        return [word.text for word in entry.values]

    def color(self, usual: str) -> str:
        """Return the fill colour of the object."""
        chosen = usual
        for key in ("lineColor", "color", "fillColor"):  # the last existing key is used
            if key in self.entries:
                (name,) = self.words(key, "the name of a colour")
                if name not in COLORS:
                    raise self.problem(f"{key}: no colour called {name!r}{suggestion(name, COLORS)}", self.entries[key])
                chosen = COLORS[name]
        return chosen


def _format(entry: StatementEntry) -> str:
    return ", ".join(word.text for word in entry.values)
