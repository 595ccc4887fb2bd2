"""Policy: protocol of controllers that consist of arrays and a kernel, so that compiled code can run them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, format_value
from paddock.core.jit import Kernel
from paddock.core.observation import Observation

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class RunStart(NamedTuple):
    """Parameters of a run that a policy may use."""

    seeds: Ints  # of the worlds, shape (W)
    robot: str  # the name of the robot that it drives
    dt: float  # length of a tick [s]
    wheel_separation: float  # of the robot [m]
    max_speed: float  # of its wheels [m/s]


class Policy(Protocol):
    """A controller with a compiled counterpart."""

    @property
    def devices(self) -> tuple[str, ...]:
        """Names of its input devices."""

    @property
    def kernel(self) -> Kernel:
        """Its kernel, a class attribute. Its parameters are some of plan, weights, memory, readings, wheels."""

    @property
    def weights(self) -> Floats:
        """Weights to evolve or train, one row per individual, shape (individuals, ·)."""

    @property
    def memory(self) -> Floats:
        """Memory and scratch, initially zero; empty if it needs none."""

    @property
    def remembers(self) -> bool:
        """Whether its decisions depend on the past. If so, it can drive only one robot."""

    def check(self, sensors: Sequence[tuple[str, int]]) -> None:
        """Raise if it cannot work with these devices, given with the numbers of their values."""

    def plan(self, firsts: Sequence[int], counts: Sequence[int]) -> list[float]:
        """Return the constants of its kernel. `firsts` are the indices of the devices in a row of readings."""


def is_policy(controller: object) -> TypeGuard[Policy]:
    """Whether a controller has all members of a Policy; `isinstance` with a Protocol is too slow for a large swarm."""
    return _has_members(controller, _POLICY_MEMBERS)


class TimedPolicy(Policy, Protocol):
    """A policy that depends on its robot and the tick length, or draws random numbers. Its memory stores these."""

    def begin_run(self, memory: Floats, start: RunStart) -> None:
        """Write the parameters of the run to its memory, shape (W, ·). The memory of earlier runs is kept."""

    def check_run(self, memory: Floats) -> None:
        """Raise the error of a run that is stored in its memory, shape (W, ·), if there is one."""


def is_timed(controller: object) -> TypeGuard[TimedPolicy]:
    """Whether a controller has all members of a TimedPolicy."""
    return _has_members(controller, _TIMED_MEMBERS) and is_policy(controller)


def _has_members(controller: object, names: tuple[str, ...]) -> bool:
    """Whether an object has all of these attributes; properties are not evaluated, because they may raise."""
    kind, own = type(controller), getattr(controller, "__dict__", ())
    return all(name in own or hasattr(kind, name) for name in names)


def _list_members(protocol: type) -> tuple[str, ...]:
    return tuple(name for name in vars(protocol) if not name.startswith("_"))


_POLICY_MEMBERS, _TIMED_MEMBERS = _list_members(Policy), _list_members(TimedPolicy)


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
