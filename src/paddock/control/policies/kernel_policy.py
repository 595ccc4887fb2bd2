"""KernelPolicy: a user-defined compiled controller, an `@paddock.kernel` function that runs inside the loop."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.control.policies.policy import seen_by
from paddock.core.errors import PaddockError, format_value
from paddock.core.jit import Kernel, kernel, plain
from paddock.core.observation import Observation, WheelSpeeds, as_floats
from paddock.core.user_code import error_location, explain_error

INPUTS, WEIGHTS, REMEMBERED, SLOTS = range(4)


@kernel
def own(inputs, weights, memory, wheels):
    """Placeholder that is replaced by the user's kernel before the loop is compiled."""


@kernel
def take_own(plan, weights, memory, readings, wheels):
    """Call the user's kernel with its inputs."""
    count, kept = int(plan[INPUTS]), int(plan[REMEMBERED])
    inputs = memory[kept : kept + count]
    for k in range(count):
        inputs[k] = readings[int(plan[SLOTS + k])]
    own(inputs, weights[: int(plan[WEIGHTS])], memory[:kept], wheels[:2])


@dataclass(frozen=True, kw_only=True, eq=False)
class KernelPolicy:
    """Policy that calls a function `decide(inputs, weights, memory, wheels)`.

    `inputs` has the values of all `devices`, one after the other, in SI units. `weights` is this individual's row.
    `memory` has `remember` numbers, initially zero, which are kept from tick to tick. The function writes the left and
    right wheel speed [m/s] to `wheels`. It may use numbers, loops, `math` and other kernels, but not create arrays.
    """

    decide: Kernel
    devices: tuple[str, ...]
    weights: Any = field(default=None, repr=False)  # shape (individuals, ·) or (·)
    remember: int = 0  # numbers of memory
    memory: NDArray[np.float64] = field(init=False, repr=False)

    kernel: ClassVar[Kernel] = take_own

    def __post_init__(self) -> None:
        if not isinstance(self.decide, Kernel):
            raise PaddockError(f"KernelPolicy: {self.decide!r} is not a kernel: put @paddock.kernel above its def")
        arguments = list(inspect.signature(self.decide.function).parameters)
        if len(arguments) != 4:
            raise PaddockError(
                f"KernelPolicy: {self._name}({', '.join(arguments)}): expected four arguments, "
                "(inputs, weights, memory, wheels)"
            )
        if not isinstance(self.devices, tuple | list) or not self.devices:
            raise PaddockError(f"KernelPolicy: devices: expected a tuple of names, got {format_value(self.devices)}")
        if not isinstance(self.remember, int) or isinstance(self.remember, bool) or self.remember < 0:
            raise PaddockError(
                f"KernelPolicy: remember: expected a whole number >= 0, got {format_value(self.remember)}"
            )
        table = np.zeros((1, 0)) if self.weights is None else as_floats("KernelPolicy: weights", self.weights, ndmin=2)
        if table.ndim != 2 or not len(table) or not np.isfinite(table).all():
            raise PaddockError("KernelPolicy: weights: expected finite numbers, shape (individuals, ·) or (·)")
        object.__setattr__(self, "weights", np.ascontiguousarray(table))
        object.__setattr__(self, "memory", np.zeros(self.remember))

    @property
    def remembers(self) -> bool:
        """Whether decisions may depend on earlier ones."""
        return self.remember > 0

    def forget(self) -> None:
        """Clear the memory."""
        self.memory[:] = 0.0

    def copy(self) -> KernelPolicy:
        """Return a copy with its own, empty memory."""
        return replace(self)

    def with_weights(self, weights: Any) -> KernelPolicy:
        """Return a copy with other weights and empty memory."""
        return replace(self, weights=weights)

    def act(self, observation: Observation) -> WheelSpeeds:
        """Compute one decision of the first individual, with the same arithmetic as in compiled runs."""
        seen = seen_by(self.devices, observation)
        self.check(list(zip(self.devices, seen.counts, strict=True)))
        wheels = np.zeros(2)
        self.decide(seen.readings, self.weights[0], self.memory[: self.remember], wheels)
        return WheelSpeeds(*wheels.tolist())

    def check(self, sensors: Sequence[tuple[str, int]]) -> None:
        """Allocate memory for the input values, after the remembered numbers, and test the kernel once."""
        values = sum(count for _, count in sensors)
        if len(self.memory) != self.remember + values:
            self._try(values)  # before anything changes, so that a second run is refused, too
            object.__setattr__(self, "memory", np.append(self.memory[: self.remember], np.zeros(values)))

    def _try(self, values: int) -> None:
        """Run the kernel in plain Python, since compiled code does not check array bounds."""
        numbers = np.zeros(values), self.weights[0].copy(), np.zeros(self.remember), np.zeros(2)
        try:
            plain(self.decide.function)(*numbers)
        except (ArithmeticError, ValueError):
            pass  # such as 1 / 0, which is infinite in compiled code
        except Exception as error:
            place = error_location(error, self.decide.function.__code__.co_filename)
            sizes = f"{values} inputs, {self.weights.shape[1]} weights, {self.remember} numbers of memory, 2 wheels"
            raise PaddockError(
                f"KernelPolicy: {self._name}: {f'{place}: ' if place else ''}{explain_error(error)} (it has {sizes})"
            ) from None

    @property
    def _name(self) -> str:
        return self.decide.function.__name__

    def plan(self, firsts: Sequence[int], counts: Sequence[int]) -> list[float]:
        """Return the numbers of inputs, weights and memory, and the slots of its inputs."""
        slots = [first + k for first, count in zip(firsts, counts, strict=True) for k in range(count)]
        return [len(slots), self.weights.shape[1], self.remember, *slots]
