"""Programs as controllers: genetic programming and NEAT compile their expression trees and networks to these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.control.policies.register_machine import (
    COUNT,
    INSTRUCTION_COLUMNS,
    OPERATION,
    OPERATIONS,
    TARGET,
    WHEELS,
    B,
    program,
)
from paddock.control.policies.trainable import Trainable
from paddock.core.errors import PaddockError, format_value
from paddock.core.jit import Kernel

MAX_INSTRUCTIONS = 4096


@dataclass(frozen=True, kw_only=True, eq=False)
class Program(Trainable):
    """Instructions between devices and wheels. Wheel speed = `speed` · the wheel's register, clipped to -1 … 1.

    `policies/register_machine.py` documents the order of the weights. Without weights there are no instructions.
    Instructions of a recurrent program may read register values of the previous tick.
    """

    length: int = 64  # maximum number of instructions
    recurrent: bool = True

    kernel: ClassVar[Kernel] = program
    format: ClassVar[str] = "paddock program 1"

    def check_structure(self) -> None:
        if not isinstance(self.length, int) or not 1 <= self.length <= MAX_INSTRUCTIONS:
            shown = format_value(self.length)
            raise PaddockError(f"Program: length: expected a whole number from 1 to {MAX_INSTRUCTIONS}, got {shown}")

    @property
    def registers(self) -> int:
        """Number of registers: inputs, wheels, and one for each instruction."""
        return self.values + WHEELS + self.length

    @property
    def size(self) -> int:
        return COUNT + INSTRUCTION_COLUMNS * self.length

    @property
    def memory_size(self) -> int:
        return 1 + self.values + self.registers

    def check_weights(self, table: NDArray[np.float64]) -> None:
        """Raise if an instruction would access memory outside of the registers."""
        super().check_weights(table)
        counts, rows = table[:, 0], table[:, COUNT:].reshape(len(table), self.length, INSTRUCTION_COLUMNS)
        whole = rows[..., OPERATION : B + 1]
        right = (
            (counts >= 0) & (counts <= self.length) & (counts == np.floor(counts))
            & (whole == np.floor(whole)).all(axis=(1, 2)) & (whole >= 0).all(axis=(1, 2))
            & (rows[..., OPERATION] < OPERATIONS).all(axis=1)
            & (rows[..., TARGET : B + 1] < self.registers).all(axis=(1, 2))
        )  # fmt: skip
        if not right.all():
            raise PaddockError(
                f"Program: weights: individual {right.argmin()} is not a valid program for {self.registers} registers"
            )

    def plan(self, firsts: Sequence[int], counts: Sequence[int]) -> list[float]:
        cleared = 0.0 if self.recurrent else float(self.registers - self.values)
        return [float(self.values), cleared, self.speed, *self.plan_inputs(firsts)]
