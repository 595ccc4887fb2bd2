"""What all strategies share: a population is asked for, evaluated elsewhere, and told its fitness."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, UnknownName, format_value

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
    Settings of a strategy are annotated attributes of its class; each may be given by name when one is made.
    """

    makes_programs: ClassVar[bool] = False
    package: ClassVar[str | None] = None  # the distribution whose version decides the search
    state_fields: ClassVar[tuple[str, ...]] = ()  # the attributes that change, for `state`

    def __init__(self, space: SearchSpace, *, population: int, seed: int, **settings: Any) -> None:
        """Prepare the first generation.

        Args:
            space: what is searched.
            population: individuals in a generation.
            seed: decides all random numbers.
            settings: by name, instead of the usual ones.
        """
        smallest = self.min_population()
        if not isinstance(population, int) or population < smallest:
            raise PaddockError(f"population: expected a whole number >= {smallest}, got {format_value(population)}")
        if self.makes_programs and space.length < (needed := self.min_length(space.inputs, space.recurrent)):
            raise PaddockError(
                f"length: with {space.inputs} inputs the first programs need at least {needed} instructions, "
                f"got {format_value(space.length)}"
            )
        for name, value in settings.items():
            if name not in (known := self.list_settings()):
                raise UnknownName(f"setting of {type(self).__name__}", name, known)
            setattr(self, name, value)
        self.space, self.population, self.seed = space, population, seed
        self.rng = np.random.default_rng(seed)
        self.begin()

    @classmethod
    def list_settings(cls) -> list[str]:
        """The names of its settings."""
        hints = {name: hint for part in cls.__mro__ for name, hint in vars(part).get("__annotations__", {}).items()}
        return [name for name, hint in hints.items() if hasattr(cls, name) and "ClassVar" not in str(hint)]

    def begin(self) -> None:  # noqa: B027 (some begin in their constructor)
        """Make the first individuals."""

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


class PopulationStrategy(Strategy):
    """A strategy whose state is a table of individuals."""

    state_fields: ClassVar[tuple[str, ...]] = ("individuals",)
    spread: float = 2.0  # of random individuals, relative to the usual one

    def begin(self) -> None:
        """Start with individuals at random."""
        self.individuals = self.draw_random()

    def draw_random(self) -> Floats:
        """As many individuals at random as the population has, shape (population, size)."""
        return self.rng.normal(0.0, self.spread * self.space.scale, (self.population, self.space.size))

    def ask(self) -> Floats:
        """The present individuals."""
        return self.individuals.copy()


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def rank(fitness: Floats) -> NDArray[np.int64]:
    """Numbers of the individuals, the best first; of equals the earlier one first."""
    return np.argsort(-fitness, kind="stable")


def count_elites(wanted: int | None, population: int) -> int:
    """How many of the best go on unchanged: a tenth of the population, unless told otherwise."""
    return max(1, population // 10) if wanted is None else min(wanted, population)
