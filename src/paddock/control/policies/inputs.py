"""Inputs of a policy: the scaled values of its devices, one after the other in one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, format_value
from paddock.core.observation import Observation


@dataclass(frozen=True, kw_only=True)
class Input:
    """An input device of a policy. Each of its values becomes gain · (reading - zero), clipped to -1 … 1."""

    device: str
    values: int  # number of values of the device
    zero: float = 0.0  # reading that maps to 0
    gain: float = 1.0
    change: bool = False  # use the change of the reading since the last decision instead

    def __post_init__(self) -> None:
        if not isinstance(self.values, int) or isinstance(self.values, bool) or self.values < 1:
            raise PaddockError(
                f"Input {self.device!r}: values: expected a whole number >= 1, got {format_value(self.values)}"
            )
        if not all_finite(self.zero, self.gain):
            raise PaddockError(f"Input {self.device!r}: expected a finite zero and gain")


def nearness(device: str = "proximity", values: int = 8, *, range: float = 0.07) -> Input:
    """Return an input that scales distances [m] to 0 out of range … 1 touching."""
    if not (all_finite(range) and range > 0):
        raise PaddockError(f"nearness: range: expected metres > 0, got {format_value(range)}")
    return Input(device=device, values=values, zero=range, gain=-1.0 / range)


class Seen(NamedTuple):
    """A row of readings, and the positions of each device's values in it."""

    readings: NDArray[np.float64]
    firsts: list[int]
    counts: list[int]


def seen_by(devices: Sequence[str], observation: Observation) -> Seen:
    """Return the values of some devices of an observation."""
    values = [np.atleast_1d(np.asarray(getattr(observation, name), np.float64)).ravel() for name in devices]
    counts = [len(row) for row in values]
    firsts = [sum(counts[:i]) for i in range(len(counts))]
    return Seen(np.concatenate([*values, np.empty(0)]), firsts, counts)
