"""What a policy sees: the values of its devices, one after the other in one row of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.observation import Observation


class Seen(NamedTuple):
    """A row of readings, and where in it each device's values lie."""

    readings: NDArray[np.float64]
    firsts: list[int]
    counts: list[int]


def seen_by(devices: Sequence[str], observation: Observation) -> Seen:
    """The values of some devices in an observation."""
    values = [np.atleast_1d(np.asarray(getattr(observation, name), np.float64)).ravel() for name in devices]
    counts = [len(one) for one in values]
    firsts = [sum(counts[:i]) for i in range(len(counts))]
    return Seen(np.concatenate([*values, np.empty(0)]), firsts, counts)
