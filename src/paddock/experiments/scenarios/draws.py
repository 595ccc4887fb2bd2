"""Parameters drawn from the seed: `{random = [low, high]}`, `{choice = [a, b]}`, or `"random"` for a set of words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from paddock.core.errors import SpecError, format_value, suggestion


@dataclass(frozen=True)
class Draw:
    """A parameter whose value is drawn at the start of the run."""

    values: tuple[Any, ...]  # the ends of a range, or all choices
    between: bool
    whole: bool = False  # whether the values of a range are whole numbers

    @classmethod
    def of(cls, value: Any, hint: Any, path: str) -> Draw | None:
        """Return the draw that a parameter's value describes, or None for a fixed value."""
        if value == "random" and get_origin(hint) is Literal and "random" not in get_args(hint):
            return cls(get_args(hint), between=False)
        if not isinstance(value, Mapping):
            return None
        ways = ("random", "choice")
        if len(value) != 1 or next(iter(value)) not in ways:
            wrong = next((key for key in value if key not in ways), None)
            if wrong is not None:
                raise SpecError(f"unknown key{suggestion(wrong, ways)}", path=f"{path}.{wrong}")
            raise SpecError("expected {random = [low, high]} or {choice = [a, b, …]}", path=path)
        way, values = next(iter(value.items()))
        if way == "choice":
            if not isinstance(values, (list, tuple)) or not values:
                raise SpecError(
                    f"expected a list of values to choose from, got {format_value(values)}", path=f"{path}.choice"
                )
            return cls(tuple(values), between=False)
        if not _is_range(values):
            raise SpecError(f"expected two numbers [low, high], got {format_value(values)}", path=f"{path}.random")
        return cls(tuple(values), between=True, whole=_is_whole(hint))

    def draw(self, share: float) -> Any:
        """Return the value for a random number from [0, 1)."""
        if not self.between:
            return self.values[int(share * len(self.values))]
        low, high = self.values
        if self.whole:
            return low + int(share * (high - low + 1))
        return min(high, max(low, low * (1 - share) + high * share))


def _is_whole(hint: Any) -> bool:
    """Return whether a parameter is a whole number: its type, or a part of it, is int and none is float."""
    kinds = {hint, *get_args(hint), *(part for outer in get_args(hint) for part in get_args(outer))}
    return int in kinds and float not in kinds


def _is_range(values: Any) -> bool:
    return (
        isinstance(values, (list, tuple))
        and len(values) == 2
        and all(isinstance(end, (int, float)) and not isinstance(end, bool) for end in values)
        and values[0] <= values[1]
    )
