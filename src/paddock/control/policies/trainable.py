"""Trainable: base class of networks and programs, whose weights are found by evolution or training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from paddock.control.policies.policy import Input, seen_by
from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError, format_value
from paddock.core.jit import Kernel
from paddock.core.npz import read_npz, write_npz
from paddock.core.observation import Observation, WheelSpeeds, as_floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Trainable(ABC):
    """A policy with `inputs` and `weights`, which have one row per individual, by default zeros."""

    inputs: tuple[Input, ...]
    recurrent: bool = False  # whether it has memory
    speed: float = 0.1  # [m/s] of the wheels at full output
    weights: Any = field(default=None, repr=False)  # shape (individuals, size) or (size)
    memory: NDArray[np.float64] = field(init=False, repr=False)  # memory and scratch

    kernel: ClassVar[Kernel]  # one decision: (plan, weights, memory, readings, wheels)
    format: ClassVar[str]  # of its files

    def __post_init__(self) -> None:
        name = type(self).__name__
        listed = isinstance(self.inputs, tuple | list) and len(self.inputs) > 0
        if not listed or not all(isinstance(source, Input) for source in self.inputs):
            raise PaddockError(f"{name}: inputs: expected a tuple of Input(…), at least one")
        if not (all_finite(self.speed) and self.speed > 0):
            raise PaddockError(f"{name}: speed: expected m/s > 0, got {format_value(self.speed)}")
        self.check_structure()
        given = np.zeros((1, self.size)) if self.weights is None else self.weights
        table = as_floats(f"{name}: weights", given, ndmin=2)
        if table.ndim != 2 or table.shape[1] != self.size or not len(table):
            found = np.shape(self.weights)
            raise PaddockError(f"{name}: weights: expected shape (individuals, {self.size}), got {found}")
        self.check_weights(table)
        object.__setattr__(self, "weights", np.ascontiguousarray(table))
        object.__setattr__(self, "memory", np.zeros(self.memory_size))

    @abstractmethod
    def check_structure(self) -> None:
        """Raise if the settings are invalid."""

    def check_weights(self, table: NDArray[np.float64]) -> None:
        """Raise if the weights, shape (individuals, size), are invalid."""
        finite = np.isfinite(table).all(axis=1)
        if not finite.all():
            name = type(self).__name__
            raise PaddockError(f"{name}: weights: those of individual {finite.argmin()} are not all finite")

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of weights of one individual."""

    @property
    @abstractmethod
    def memory_size(self) -> int:
        """Number of values of memory and scratch."""

    @abstractmethod
    def plan(self, firsts: Sequence[int], counts: Sequence[int]) -> list[float]:
        """Return the constants of the kernel, without the weights. `firsts` are the indices of the devices' values."""

    @property
    def values(self) -> int:
        """Total number of values of its devices."""
        return sum(source.values for source in self.inputs)

    @property
    def devices(self) -> tuple[str, ...]:
        """Names of its input devices."""
        return tuple(source.device for source in self.inputs)

    @property
    def remembers(self) -> bool:
        """Whether decisions may depend on earlier ones."""
        return self.recurrent or any(source.change for source in self.inputs)

    def forget(self) -> None:
        """Clear the memory."""
        self.memory[:] = 0.0

    def copy(self) -> Self:
        """Return a copy with its own, empty memory."""
        return replace(self)

    def with_weights(self, weights: Any) -> Self:
        """Return a copy with other weights, shape (size) or (individuals, size), and empty memory."""
        return replace(self, weights=weights)

    def check(self, sensors: Sequence[tuple[str, int]]) -> None:
        """Raise if the devices have another number of values than its inputs."""
        for source, (device, count) in zip(self.inputs, sensors, strict=True):
            if source.values != count:
                made = f"{type(self).__name__}: made for {source.values} values of {source.device}"
                raise PaddockError(f"{made}, but {device} has {count}")

    def plan_inputs(self, firsts: Sequence[int]) -> list[float]:
        """Return the part of its plan with the positions and the scaling of its inputs."""
        return [
            number
            for source, first in zip(self.inputs, firsts, strict=True)
            for slot in range(first, first + source.values)
            for number in (slot, source.zero, source.gain, float(source.change))
        ]

    def act(self, observation: Observation) -> WheelSpeeds:
        """Compute one decision of the first individual, to the last bit the same as in compiled runs."""
        seen = seen_by(self.devices, observation)
        self.check(list(zip(self.devices, seen.counts, strict=True)))
        wheels = np.zeros(2)
        plan = np.array(self.plan(seen.firsts, seen.counts))
        type(self).kernel(plan, self.weights[0], self.memory, seen.readings, wheels)
        return WheelSpeeds(*wheels.tolist())

    def save(self, path: str | Path) -> None:
        """Write the policy with its weights to an `.npz` file."""
        settings = {
            part.name: getattr(self, part.name) for part in fields(self) if part.init and part.name != "weights"
        }
        about = {**settings, "format": self.format, "inputs": [asdict(source) for source in self.inputs]}
        write_npz(path, about, {"weights": self.weights})

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file written by `save`. No code in the file is executed."""
        about, arrays = read_npz(path, cls._what())
        return cls.from_file(path, about, arrays)

    @classmethod
    def from_file(cls, path: str | Path, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Create the policy from the contents of a file."""
        try:
            if about["format"] != cls.format:
                raise ValueError(f"another format, {about['format']!r}")
            settings: dict[str, Any] = dict(about)
            settings |= {name: tuple(value) for name, value in about.items() if isinstance(value, list)}
            settings["inputs"] = tuple(Input(**source) for source in about["inputs"])
            del settings["format"]
            return cls(**settings, weights=arrays["weights"])
        except (KeyError, TypeError, ValueError) as error:
            raise PaddockError(f"{path}: expected {cls._what()}: {error}") from None

    @classmethod
    def _what(cls) -> str:
        return f"a {cls.__name__.lower()} saved by {cls.__name__}.save"
