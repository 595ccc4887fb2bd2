"""Neural networks at the wheels: feed-forward or with memory, of any size, trained or evolved elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.control.inputs import seen_by
from paddock.control.perceptron import IDENTITY, NETWORK, RELU, SIGMOID, TANH, network
from paddock.core.errors import PaddockError, UnknownName, shown
from paddock.core.numeric import all_finite
from paddock.core.observation import Observation, WheelSpeeds

ACTIVATIONS = {"tanh": TANH, "relu": RELU, "sigmoid": SIGMOID, "identity": IDENTITY}
FORMAT = "paddock network 1"


@dataclass(frozen=True, kw_only=True)
class Input:
    """A device that a network looks at: each of its values becomes gain · (reading - zero), cut off at -1 and 1."""

    device: str
    values: int  # how many the device has
    zero: float = 0.0  # the reading that is nothing
    gain: float = 1.0
    change: bool = False  # look at how much the reading changed since the last decision instead

    def __post_init__(self) -> None:
        if not isinstance(self.values, int) or self.values < 1:
            raise PaddockError(f"Input {self.device!r}: values: expected a whole number >= 1, got {shown(self.values)}")
        if not all_finite(self.zero, self.gain):
            raise PaddockError(f"Input {self.device!r}: expected a finite zero and gain")


def nearness(device: str = "proximity", values: int = 8, *, range: float = 0.07) -> Input:
    """Distances [m] as 0 out of range … 1 touching."""
    if not (all_finite(range) and range > 0):
        raise PaddockError(f"nearness: range: expected metres > 0, got {shown(range)}")
    return Input(device=device, values=values, zero=range, gain=-1.0 / range)


@dataclass(frozen=True, kw_only=True, eq=False)
class Network:
    """Layers of units between devices and wheels. Wheel speed = `speed` · output of the last layer's two units.

    `weights` has a row for each individual; without any, all are zero. The order of weights is that of
    `control/perceptron.py`. A recurrent network (Elman's) sees what its hidden units were a tick ago.
    """

    inputs: tuple[Input, ...]
    hidden: tuple[int, ...] = (8,)  # units of each hidden layer
    activation: str = "tanh"  # of the hidden layers: tanh, relu, sigmoid or identity
    output: str = "tanh"  # of the wheels
    recurrent: bool = False
    speed: float = 0.1  # [m/s]
    weights: Any = field(default=None, repr=False)  # shape (individuals, size) or (size)
    memory: NDArray[np.float64] = field(init=False, repr=False)  # what it remembers, and scratch

    number = NETWORK

    def __post_init__(self) -> None:
        if not self.inputs or not all(isinstance(one, Input) for one in self.inputs):
            raise PaddockError("Network: inputs: expected a tuple of Input(…), at least one")
        for name in ("activation", "output"):
            if getattr(self, name) not in ACTIVATIONS:
                raise UnknownName("activation", getattr(self, name), ACTIVATIONS)
        if not all(isinstance(units, int) and units > 0 for units in self.hidden):
            raise PaddockError(f"Network: hidden: expected whole numbers > 0, got {shown(self.hidden)}")
        if not (all_finite(self.speed) and self.speed > 0):
            raise PaddockError(f"Network: speed: expected m/s > 0, got {shown(self.speed)}")
        object.__setattr__(self, "weights", self._checked(self.weights))
        object.__setattr__(self, "memory", np.zeros(self._memory_size()))

    def _checked(self, weights: Any) -> NDArray[np.float64]:
        table = np.zeros((1, self.size)) if weights is None else np.array(weights, np.float64, ndmin=2)
        if table.ndim != 2 or table.shape[1] != self.size or not len(table):
            raise PaddockError(f"Network: weights: expected shape (individuals, {self.size}), got {np.shape(weights)}")
        if not np.isfinite(table).all():
            raise PaddockError(
                f"Network: weights: those of individual {np.isfinite(table).all(axis=1).argmin()} are not all finite"
            )
        return np.ascontiguousarray(table)

    @property
    def layers(self) -> list[tuple[int, int, bool]]:
        """Values from below, units, and whether it is recurrent, of every layer from the inputs to the wheels."""
        sizes = [sum(one.values for one in self.inputs), *self.hidden, 2]
        return [
            (below, units, self.recurrent and i < len(self.hidden)) for i, (below, units) in enumerate(pairwise(sizes))
        ]

    @property
    def size(self) -> int:
        """How many weights one individual has."""
        return sum((1 + below + (units if recurrent else 0)) * units for below, units, recurrent in self.layers)

    def _memory_size(self) -> int:
        inputs = self.layers[0][0]
        units = [units for _, units, _ in self.layers]
        return 1 + 2 * inputs + sum(units) + max(units)

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices that it looks at."""
        return tuple(one.device for one in self.inputs)

    @property
    def remembers(self) -> bool:
        """Whether decisions depend on earlier ones."""
        return self.recurrent or any(one.change for one in self.inputs)

    def forget(self) -> None:
        """Start anew: all memory becomes zero."""
        self.memory[:] = 0.0

    def copy(self) -> Network:
        """The same network with a memory of its own."""
        return replace(self)

    def with_weights(self, weights: Any) -> Network:
        """The same network with other weights, shape (size) or (individuals, size), and nothing remembered."""
        return replace(self, weights=weights)

    def random(self, individuals: int, *, seed: int, spread: float = 1.0) -> NDArray[np.float64]:
        """Normal random weights, their spread relative to 1 / √(values that a unit adds up)."""
        rng = np.random.default_rng(seed)
        parts = []
        for below, units, recurrent in self.layers:
            rows = 1 + below + (units if recurrent else 0)
            parts.append(rng.normal(0.0, spread / np.sqrt(rows), (individuals, rows * units)))
        return np.hstack(parts)

    def act(self, observation: Observation) -> WheelSpeeds:
        """One decision of its first individual; the same arithmetic, to the last bit, as in compiled runs."""
        seen = seen_by(self.devices, observation)
        self.check(list(zip(self.devices, seen.counts, strict=True)))
        wheels = np.zeros(2)
        network(np.array(self.plan(seen.firsts, seen.counts)), self.weights[0], self.memory, seen.readings, wheels)
        return WheelSpeeds(*wheels.tolist())

    def check(self, sensors: Sequence[tuple[str, int]]) -> None:
        """Refuse devices that have another number of values than it was made for."""
        for one, (device, count) in zip(self.inputs, sensors, strict=True):
            if one.values != count:
                raise PaddockError(f"Network: made for {one.values} values of {one.device}, but {device} has {count}")

    def plan(self, firsts: Sequence[int], counts: Sequence[int]) -> list[float]:
        """Its numbers for the kernel, but for the weights."""
        plan = [float(self.layers[0][0]), float(len(self.layers)), self.speed]
        for one, first in zip(self.inputs, firsts, strict=True):
            for slot in range(first, first + one.values):
                plan += [slot, one.zero, one.gain, float(one.change)]
        for i, (_, units, recurrent) in enumerate(self.layers):
            kind = self.activation if i < len(self.hidden) else self.output
            plan += [units, ACTIVATIONS[kind], float(recurrent)]
        return plan

    def save(self, path: str | Path) -> None:
        """Write the network and its weights to a `.npz` file."""
        about = {
            "format": FORMAT, "inputs": [asdict(one) for one in self.inputs], "hidden": self.hidden,
            "activation": self.activation, "output": self.output, "recurrent": self.recurrent, "speed": self.speed,
        }  # fmt: skip
        with Path(path).open("wb") as file:
            np.savez(file, about=np.frombuffer(json.dumps(about).encode(), np.uint8), weights=self.weights)

    @classmethod
    def load(cls, path: str | Path) -> Network:
        """Read what `save` wrote; nothing in the file is ever executed."""
        try:
            with np.load(path, allow_pickle=False) as file:
                about, weights = json.loads(file["about"].tobytes()), file["weights"]
            if about.pop("format") != FORMAT:
                raise ValueError("another format")
            about["inputs"] = tuple(Input(**one) for one in about["inputs"])
            about["hidden"] = tuple(about["hidden"])
            return cls(**about, weights=weights)
        except FileNotFoundError:
            raise PaddockError(f"{path}: there is no such file") from None
        except PaddockError:
            raise
        except Exception as error:
            raise PaddockError(f"{path}: expected a network saved by Network.save: {error}") from None
