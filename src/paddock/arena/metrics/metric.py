"""Metric: base class of figures that are summed for every robot during a run.

A metric has one definition, its kernel. The kernel is called by the compiled loop, and by a Meter
in Python, either during a run or on a Trace.
"""

from __future__ import annotations

import dis
import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.core.argument_checks import all_finite, is_list
from paddock.core.errors import PaddockError, format_value
from paddock.core.jit import Kernel
from paddock.simulation.engine import state as engine
from paddock.simulation.engine.model import Floats
from paddock.simulation.worlds.world_spec import WorldSpec

# Columns of a robot's state (engine/state.py) that a Trace and remote or real robots lack.
ONLY_SIMULATED = (
    "FORWARD", "TURN", "ACCELERATION", "LEFT_TRAVEL", "RIGHT_TRAVEL", "ESTIMATE_X", "ESTIMATE_Y", "ESTIMATE_HEADING",
    "FREQUENCY", "AMPLITUDE", "BEARINGS", "PANS",
)  # fmt: skip


class RunTime(NamedTuple):
    """Duration of a run, for converting sums to means."""

    ticks: NDArray[np.int64]  # of every world, shape (W, 1)
    dt: float  # [s]

    def mean(self, total: Floats) -> Floats:
        """Divide a sum by the number of ticks, shape (W, N); NaN for worlds without ticks."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(total / np.where(self.ticks > 0, self.ticks, np.nan))


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """Figures of every robot of every world, computed inside the kernel."""

    robot: str | None = None  # name of the only robot to measure; None for all

    kernel: ClassVar[Kernel]  # updates the sums; its parameters are some of those of `note_motion` or `note_readings`
    columns: ClassVar[int]  # number of sums
    needs_world: ClassVar[bool] = False  # whether its numbers depend on the world
    is_goal: ClassVar[bool] = False  # whether a world may stop once all robots have reached it
    of_world: ClassVar[bool] = False  # whether its figures are those of the world, the same for all its robots

    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Return the names of the figures."""

    @abstractmethod
    def compute_results(self, sums: Floats, run: RunTime) -> Sequence[Floats]:
        """Compute the figures, shape (W, N) each, from the sums, shape (W, N, columns)."""

    def compute_by_name(self, sums: Floats, run: RunTime) -> dict[str, Floats]:
        """Return the figures by name; raise an error if their number is not that of the names."""
        names, results = self.names(), self.compute_results(sums, run)
        if len(names) != len(results):
            kind = type(self).__name__
            raise PaddockError(f"{kind}: expected as many figures as names, {len(names)}, got {len(results)} figures")
        return dict(zip(names, results, strict=True))

    def scenes(self) -> int | None:
        """Return the number of scenes that it was created for; None for any number."""
        return None

    def required_device(self) -> str | None:
        """Return the name of the sensor that it needs, or None."""
        return None

    def numbers(self, world: WorldSpec, scene: int) -> list[float]:
        """Return the parameters of the kernel for one of the scenes."""
        return []

    def start(self, poses: Floats, numbers: Floats) -> Floats:
        """Return the sums before the first tick, from all poses (W, N, 3) and the worlds' numbers (W, ·)."""
        return np.zeros((*poses.shape[:2], self.columns))

    def skip_jump(self, sums: Floats, pose: Sequence[float]) -> None:  # noqa: B027 (most have nothing to do)
        """Update the sums, shape (columns), after a robot was moved by hand, so that this motion does not count."""

    def marks(self, world: WorldSpec) -> int:
        """Return the number of marks per robot in a scene, one byte each."""
        return 0


def refuse_unknown_state(metric: Metric, robot: str) -> None:
    """Raise if a metric's kernel reads more of the state than pose, wheel speeds and contacts."""
    kernel = metric.kernel
    lacking = [name for name in ("robots", "robot") if name in inspect.signature(kernel.function).parameters]
    lacking += [name for name in ONLY_SIMULATED if name in list_columns(kernel)]
    if lacking:
        raise PaddockError(
            f"{type(metric).__name__}: its kernel reads {', '.join(lacking)}, which are known only while a robot of "
            f"this process is simulated: of {robot!r} only X, Y, HEADING, LEFT_SPEED, RIGHT_SPEED and CONTACTS are"
        )


def list_columns(kernel: Kernel, seen: frozenset[Kernel] = frozenset()) -> set[str]:
    """Return the names of the columns of the state that the source of a kernel, and of kernels that it calls, names."""
    names: set[str] = set()
    known, module = kernel.function.__globals__, None
    for instruction in dis.get_instructions(kernel.function):
        name = str(instruction.argval)
        if instruction.opname == "LOAD_GLOBAL":
            value = known.get(name)
        elif module is not None and instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            value = getattr(module, name, None)
        else:
            value = None
        module = value if isinstance(value, ModuleType) else None
        if isinstance(value, Kernel) and value not in seen:
            names |= list_columns(value, seen | {kernel})
        elif isinstance(value, int) and value == getattr(engine, name, None):
            names.add(name)
    return names


def checked_point(owner: str, name: str, point: object) -> tuple[float, float]:
    """Return two finite coordinates [m], or raise."""
    values = list(point) if is_list(point) else []  # type: ignore[call-overload]
    if len(values) != 2 or not all_finite(*values):
        raise PaddockError(f"{owner}: {name}: expected [x, y] in metres, got {format_value(point)}")
    return float(values[0]), float(values[1])


def checked_above_zero(owner: str, name: str, value: object, unit: str) -> None:
    """Raise if a value is not a number > 0."""
    if not (all_finite(value) and value > 0):  # type: ignore[operator]
        raise PaddockError(f"{owner}: {name}: expected {unit} > 0, got {format_value(value)}")
