"""Programs at the wheels: what genetic programming and NEAT make of expression trees and grown networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.control.inputs import seen_by
from paddock.control.machine import (
    COUNT,
    INSTRUCTION_COLUMNS,
    OPERATION,
    OPERATIONS,
    PROGRAM,
    TARGET,
    WHEELS,
    B,
    program,
)
from paddock.control.networks import Input
from paddock.control.store import read_policy, write_policy
from paddock.core.errors import PaddockError, shown
from paddock.core.numeric import all_finite
from paddock.core.observation import Observation, WheelSpeeds

FORMAT = "paddock program 1"
MOST_INSTRUCTIONS = 4096


@dataclass(frozen=True, kw_only=True, eq=False)
class Program:
    """Instructions between devices and wheels. Wheel speed = `speed` · the wheel's register, cut off at -1 and 1.

    `weights` has a row for each individual, as `control/machine.py` reads it; without any, no instructions.
    """

    inputs: tuple[Input, ...]
    length: int = 64  # instructions that there is room for
    speed: float = 0.1  # [m/s]
    recurrent: bool = True  # whether instructions may read what was left in a register a tick ago
    weights: Any = field(default=None, repr=False)  # shape (individuals, size) or (size)
    memory: NDArray[np.float64] = field(init=False, repr=False)  # what it remembers, and scratch

    number = PROGRAM

    def __post_init__(self) -> None:
        if not self.inputs or not all(isinstance(one, Input) for one in self.inputs):
            raise PaddockError("Program: inputs: expected a tuple of Input(…), at least one")
        if not isinstance(self.length, int) or not 1 <= self.length <= MOST_INSTRUCTIONS:
            raise PaddockError(
                f"Program: length: expected a whole number from 1 to {MOST_INSTRUCTIONS}, got {shown(self.length)}"
            )
        if not (all_finite(self.speed) and self.speed > 0):
            raise PaddockError(f"Program: speed: expected m/s > 0, got {shown(self.speed)}")
        object.__setattr__(self, "weights", self._checked(self.weights))
        object.__setattr__(self, "memory", np.zeros(1 + self.values + self.registers))

    @property
    def values(self) -> int:
        """How many values its devices have."""
        return sum(one.values for one in self.inputs)

    @property
    def registers(self) -> int:
        """Inputs, wheels, and one for each instruction."""
        return self.values + WHEELS + self.length

    @property
    def size(self) -> int:
        """How many numbers one individual has."""
        return COUNT + INSTRUCTION_COLUMNS * self.length

    def _checked(self, weights: Any) -> NDArray[np.float64]:
        """Refuse all that would lead the kernel out of its registers."""
        table = np.zeros((1, self.size)) if weights is None else np.array(weights, np.float64, ndmin=2)
        if table.ndim != 2 or table.shape[1] != self.size or not len(table):
            raise PaddockError(f"Program: weights: expected shape (individuals, {self.size}), got {np.shape(weights)}")
        counts, rows = table[:, 0], table[:, COUNT:].reshape(len(table), self.length, INSTRUCTION_COLUMNS)
        whole = rows[..., OPERATION : B + 1]
        right = (
            np.isfinite(table).all(axis=1)
            & (counts >= 0) & (counts <= self.length) & (counts == np.floor(counts))
            & (whole == np.floor(whole)).all(axis=(1, 2)) & (whole >= 0).all(axis=(1, 2))
            & (rows[..., OPERATION] < OPERATIONS).all(axis=1)
            & (rows[..., TARGET : B + 1] < self.registers).all(axis=(1, 2))
        )  # fmt: skip
        if not right.all():
            raise PaddockError(
                f"Program: weights: individual {right.argmin()} is no program for {self.registers} registers"
            )
        return np.ascontiguousarray(table)

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices that it looks at."""
        return tuple(one.device for one in self.inputs)

    @property
    def remembers(self) -> bool:
        """Whether decisions may depend on earlier ones."""
        return self.recurrent or any(one.change for one in self.inputs)

    def forget(self) -> None:
        """Start anew: all memory becomes zero."""
        self.memory[:] = 0.0

    def copy(self) -> Program:
        """The same program with a memory of its own."""
        return replace(self)

    def with_weights(self, weights: Any) -> Program:
        """The same inputs with other instructions, and nothing remembered."""
        return replace(self, weights=weights)

    def act(self, observation: Observation) -> WheelSpeeds:
        """One decision of its first individual; the same arithmetic, to the last bit, as in compiled runs."""
        seen = seen_by(self.devices, observation)
        self.check(list(zip(self.devices, seen.counts, strict=True)))
        wheels = np.zeros(2)
        program(np.array(self.plan(seen.firsts, seen.counts)), self.weights[0], self.memory, seen.readings, wheels)
        return WheelSpeeds(*wheels.tolist())

    def check(self, sensors: Sequence[tuple[str, int]]) -> None:
        """Refuse devices that have another number of values than it was made for."""
        for one, (device, count) in zip(self.inputs, sensors, strict=True):
            if one.values != count:
                raise PaddockError(f"Program: made for {one.values} values of {one.device}, but {device} has {count}")

    def plan(self, firsts: Sequence[int], counts: Sequence[int]) -> list[float]:
        """Its numbers for the kernel, but for the instructions."""
        plan = [float(self.values), 0.0, self.speed]
        for one, first in zip(self.inputs, firsts, strict=True):
            for slot in range(first, first + one.values):
                plan += [slot, one.zero, one.gain, float(one.change)]
        return plan

    def save(self, path: str | Path) -> None:
        """Write the program to a `.npz` file."""
        about = {
            "format": FORMAT, "inputs": [asdict(one) for one in self.inputs], "length": self.length,
            "speed": self.speed, "recurrent": self.recurrent,
        }  # fmt: skip
        write_policy(path, about, self.weights)

    @classmethod
    def load(cls, path: str | Path) -> Program:
        """Read what `save` wrote; nothing in the file is ever executed."""
        about, weights = read_policy(path, FORMAT, "a program saved by Program.save")
        try:
            about["inputs"] = tuple(Input(**one) for one in about["inputs"])
            return cls(**about, weights=weights)
        except (KeyError, TypeError) as error:
            raise PaddockError(f"{path}: expected a program saved by Program.save: {error}") from None
