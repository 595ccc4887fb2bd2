"""Programs as controllers: genetic programming and NEAT compile their expression trees and networks to these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.control.policies.networks import (
    INPUTS,
    LAST,
    LAYERS,
    RELU,
    SIGMOID,
    SPEED,
    TANH,
    activated,
    take_inputs,
)
from paddock.control.policies.trainable import Trainable
from paddock.core.errors import PaddockError, format_value
from paddock.core.jit import Kernel, kernel

CLEARED = LAYERS  # column of a network's layers: number of registers after the inputs that start as zero
WHEELS = 2
OPERATION, TARGET, A, B, NUMBER, INSTRUCTION_COLUMNS = range(6)
COUNT = 1  # numbers before the first instruction
LARGEST = 1e9  # values are clipped to this, so that none becomes infinite

(
    SET, COPY, ADD, SUBTRACT, MULTIPLY, DIVIDE, LEAST, MOST,
    WHERE, WEIGH, MAGNITUDE, SQUASH, SWITCH, RECTIFY, OPERATIONS,
) = range(15)  # fmt: skip
MAX_INSTRUCTIONS = 4096


@kernel
def program(plan, weights, memory, readings, wheels):
    """Compute one decision: from a row of readings to wheel speeds [m/s]."""
    inputs = int(plan[INPUTS])
    first = LAST + inputs
    take_inputs(plan, inputs, memory, readings, first)
    for k in range(int(plan[CLEARED])):
        memory[first + inputs + k] = 0.0
    row = COUNT
    for _ in range(int(weights[0])):
        target = first + int(weights[row + TARGET])
        a, b = memory[first + int(weights[row + A])], memory[first + int(weights[row + B])]
        memory[target] = limited(computed(weights[row + OPERATION], a, b, weights[row + NUMBER], memory[target]))
        row += INSTRUCTION_COLUMNS
    wheels[0] = plan[SPEED] * min(1.0, max(-1.0, memory[first + inputs]))
    wheels[1] = plan[SPEED] * min(1.0, max(-1.0, memory[first + inputs + 1]))


@kernel
def computed(operation, a, b, number, before):
    """Return the result of one instruction; `before` is the previous value of its target."""
    if operation == SET:
        return number
    if operation == COPY:
        return a
    if operation == ADD:
        return a + b
    if operation == SUBTRACT:
        return a - b
    if operation == MULTIPLY:
        return a * b
    if operation == DIVIDE:
        return a / b if abs(b) > 1e-3 else a
    if operation == LEAST:
        return min(a, b)
    if operation == MOST:
        return max(a, b)
    if operation == WHERE:
        return b if a > 0.0 else before
    if operation == WEIGH:
        return a + number * b
    if operation == MAGNITUDE:
        return abs(a)
    if operation == SQUASH:
        return activated(TANH, a)
    if operation == SWITCH:
        return activated(SIGMOID, a)
    return activated(RELU, a)


@kernel
def limited(value):
    """Return a finite number: clip large values and replace NaN by 0."""
    if value != value:
        return 0.0
    return min(LARGEST, max(-LARGEST, value))


@dataclass(frozen=True, kw_only=True, eq=False)
class Program(Trainable):
    """Instructions between devices and wheels. Wheel speed = `speed` · the wheel's register, clipped to -1 … 1.

    `policies/program.py` documents the order of the weights. Without weights there are no instructions.
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
