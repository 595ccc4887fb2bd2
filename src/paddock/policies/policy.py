"""Policies: controllers that are numbers, so that the engine can run them in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from paddock.core.jit import Kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class RunStart(NamedTuple):
    """What a policy may want to know when a run begins."""

    seeds: Ints  # of the worlds, shape (W)
    robot: str  # the name of the robot that it drives
    dt: float  # length of a tick [s]
    wheel_separation: float  # of the robot [m]
    max_speed: float  # of its wheels [m/s]


class Policy(Protocol):
    """A controller with a compiled counterpart."""

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the devices that it looks at."""

    @property
    def kernel(self) -> Kernel:
        """What it computes: a class attribute. Its parameters are some of plan, weights, memory, readings, wheels."""

    @property
    def weights(self) -> Floats:
        """What evolution may change, a row for every individual, shape (individuals, ·)."""

    @property
    def memory(self) -> Floats:
        """What it remembers and computes with, all zero at first; empty when it needs none."""

    @property
    def remembers(self) -> bool:
        """Whether its decisions depend on the past: then it can drive one robot only."""

    def check(self, sensors: Sequence[tuple[str, int]]) -> None:
        """Refuse devices, given with the number of their values, if it cannot work with them."""

    def plan(self, firsts: Sequence[int], counts: Sequence[int]) -> list[float]:
        """All else that its kernel wants to know; the devices' values lie in a row of readings from `firsts` on."""


def is_policy(controller: object) -> TypeGuard[Policy]:
    """Whether a controller has all members of a Policy; `isinstance` with a Protocol is too slow for a large swarm."""
    return all(hasattr(controller, name) for name in _POLICY_MEMBERS)


class TimedPolicy(Policy, Protocol):
    """A policy that knows its robot and the time, or draws random numbers; its memory holds what it needs."""

    def begin_run(self, memory: Floats, start: RunStart) -> None:
        """Write what it needs to know into its memory, shape (W, ·); what it remembers of earlier runs stays."""

    def check_run(self, memory: Floats) -> None:
        """Raise what went wrong in a run, from its memory, shape (W, ·)."""


def is_timed(controller: object) -> TypeGuard[TimedPolicy]:
    """Whether a controller has all members of a TimedPolicy."""
    return all(hasattr(controller, name) for name in _TIMED_MEMBERS) and is_policy(controller)


def _members_of(protocol: type) -> tuple[str, ...]:
    return tuple(name for name in vars(protocol) if not name.startswith("_"))


_POLICY_MEMBERS, _TIMED_MEMBERS = _members_of(Policy), _members_of(TimedPolicy)
