"""What all strategies share: a population is asked for, evaluated elsewhere, and told its fitness."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, format_value

Floats = NDArray[np.float64]
StrategyState = dict[str, Any]
"""Arrays, and whatever JSON can write: all that a strategy needs to continue as if it had never stopped."""


@dataclass(frozen=True, kw_only=True)
class SearchSpace:
    """What is searched."""

    scale: Floats  # usual spread of every number of an individual, shape (size)
    inputs: int  # values that a controller sees, for strategies that make programs
    length: int = 64  # instructions that a program may have
    recurrent: bool = True  # whether programs may have memory
    behaviours: int = 2  # numbers, each from 0 to 1, that describe how an individual behaved

    @property
    def size(self) -> int:
        """How many numbers an individual has."""
        return len(self.scale)


class Strategy(ABC):
    """A search for individuals of high fitness, exactly repeatable from its seed.

    An individual is a row of numbers: the weights of a network, or a program as `policies/program.py` reads it.
    """

    makes_programs: ClassVar[bool] = False
    package: ClassVar[str | None] = None  # the distribution whose version decides the search
    state_fields: ClassVar[tuple[str, ...]] = ()  # the attributes that change, for `state`

    def __init__(self, space: SearchSpace, *, population: int, seed: int) -> None:
        smallest = self.min_population()
        if not isinstance(population, int) or population < smallest:
            raise PaddockError(f"population: expected a whole number >= {smallest}, got {format_value(population)}")
        if self.makes_programs and space.length < (needed := self.min_length(space.inputs, space.recurrent)):
            raise PaddockError(
                f"length: with {space.inputs} inputs the first programs need at least {needed} instructions, "
                f"got {format_value(space.length)}"
            )
        self.space, self.population = space, population
        self.rng = np.random.default_rng(seed)

    @classmethod
    def min_population(cls) -> int:
        """The smallest population it can work with."""
        return 1

    @classmethod
    def min_length(cls, inputs: int, recurrent: bool) -> int:
        """Instructions that its first programs need, if it makes programs."""
        return 0

    @property
    def batch_size(self) -> int:
        """How many individuals `ask` gives."""
        return self.population

    @abstractmethod
    def ask(self) -> Floats:
        """Individuals to evaluate, shape (batch_size, ·); the same ones until `tell` is called."""

    def tell(self, fitness: Floats, behaviour: Floats) -> None:
        """Take the fitness of the individuals that were asked for: more is better, shape (batch_size).

        `behaviour` describes how they did it, 0 … 1, shape (batch_size, behaviours).
        """
        wanted = (self.batch_size,), (self.batch_size, self.space.behaviours)
        if (np.shape(fitness), np.shape(behaviour)) != wanted:
            raise PaddockError(
                f"tell: {self.batch_size} individuals were asked for: expected fitness and behaviour of the shapes "
                f"{wanted[0]} and {wanted[1]}, got {np.shape(fitness)} and {np.shape(behaviour)}"
            )
        self.learn(np.asarray(fitness, np.float64), np.asarray(behaviour, np.float64))

    @abstractmethod
    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Make the next individuals."""

    def state(self) -> StrategyState:
        """All that changes; see `StrategyState`."""
        return {"rng": self.rng.bit_generator.state, **{name: _copy(getattr(self, name)) for name in self.state_fields}}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take the state of a strategy with the same settings."""
        missing = {"rng", *self.state_fields} - set(state)
        if missing:
            raise PaddockError(f"{type(self).__name__}: the state lacks {', '.join(sorted(missing))}")
        self.rng.bit_generator.state = state["rng"]
        for name in self.state_fields:
            setattr(self, name, _copy(state[name]))


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def rank(fitness: Floats) -> NDArray[np.int64]:
    """Numbers of the individuals, the best first; of equals the earlier one first."""
    return np.argsort(-fitness, kind="stable")
