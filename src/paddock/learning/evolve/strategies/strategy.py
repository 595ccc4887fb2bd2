"""Base classes of strategies: `ask` returns a population, `tell` receives its fitness."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, UnknownName, format_value

Floats = NDArray[np.float64]
StrategyState = dict[str, Any]
"""Arrays, lists, tuples, dicts, numbers and texts: all that a strategy needs to continue as if it had never stopped."""


@dataclass(frozen=True, kw_only=True)
class SearchSpace:
    """The space of individuals to search."""

    scale: Floats  # usual standard deviation of every number of an individual, shape (size)
    inputs: int  # number of input values of a controller, for strategies that create programs
    length: int = 64  # maximum number of instructions of a program
    recurrent: bool = True  # whether programs may have memory
    behaviours: int = 2  # number of behaviour measures of an individual, each from 0 to 1

    @property
    def size(self) -> int:
        """Number of values of an individual."""
        return len(self.scale)


class Strategy(ABC):
    """A search for individuals of high fitness, exactly repeatable from its seed.

    An individual is a row of numbers: the weights of a network, or a program as `policies/program.py` reads it.
    Settings of a strategy are annotated attributes of its class; the constructor takes each as a keyword argument.
    """

    makes_programs: ClassVar[bool] = False
    package: ClassVar[str | None] = None  # distribution whose version determines the search
    unsaved: ClassVar[frozenset[str]] = frozenset({"space", "population", "seed", "rng"})  # attributes not in `state`

    def __init__(self, space: SearchSpace, *, population: int, seed: int, **settings: Any) -> None:
        """Prepare the first generation.

        Args:
            space: the search space.
            population: individuals in a generation.
            seed: determines all random numbers.
            settings: settings by name that replace the defaults.
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
        self._copy_views()

    @classmethod
    def list_settings(cls) -> list[str]:
        """Return the names of the settings."""
        hints = {name: hint for part in cls.__mro__ for name, hint in vars(part).get("__annotations__", {}).items()}
        return [name for name, hint in hints.items() if hasattr(cls, name) and "ClassVar" not in str(hint)]

    def begin(self) -> None:  # noqa: B027 (optional: some strategies start in their constructor)
        """Create the first individuals."""

    @classmethod
    def min_population(cls) -> int:
        """Return the smallest population that the strategy supports."""
        return 1

    @classmethod
    def min_length(cls, inputs: int, recurrent: bool) -> int:
        """Return the number of instructions that its first programs need, if it creates programs."""
        return 0

    @property
    def batch_size(self) -> int:
        """Number of individuals that `ask` returns."""
        return self.population

    @abstractmethod
    def ask(self) -> Floats:
        """Return individuals to evaluate, shape (batch_size, ·); the same ones until `tell` is called."""

    def tell(self, fitness: Floats, behaviour: Floats) -> None:
        """Receive the fitness of the individuals of `ask`: more is better, shape (batch_size).

        `behaviour` contains their behaviour measures, 0 … 1, shape (batch_size, behaviours).
        """
        wanted = (self.batch_size,), (self.batch_size, self.space.behaviours)
        if (np.shape(fitness), np.shape(behaviour)) != wanted:
            raise PaddockError(
                f"tell: ask returned {self.batch_size} individuals: expected fitness and behaviour of the shapes "
                f"{wanted[0]} and {wanted[1]}, got {np.shape(fitness)} and {np.shape(behaviour)}"
            )
        self.learn(np.asarray(fitness, np.float64), np.asarray(behaviour, np.float64))
        self._copy_views()

    @abstractmethod
    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Create the next individuals."""

    def state(self) -> StrategyState:
        """Return the attributes of the object, except `unsaved`, and the state of its random numbers."""
        saved = {name: value for name, value in vars(self).items() if name not in self.unsaved}
        return {"rng": self.rng.bit_generator.state, **copy.deepcopy(saved)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore the state of a strategy with the same settings."""
        missing = {"rng", *(set(vars(self)) - self.unsaved)} - set(state)
        if missing:
            raise PaddockError(f"{type(self).__name__}: the state lacks {', '.join(sorted(missing))}")
        self.rng.bit_generator.state = state["rng"]
        vars(self).update(copy.deepcopy({name: value for name, value in state.items() if name not in self.unsaved}))

    def _copy_views(self) -> None:
        """Replace attributes that are views of arrays by copies, as a checkpoint does."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        vars(self).update(copy.deepcopy({name: array for name, array in arrays.items() if array.base is not None}))


class PopulationStrategy(Strategy):
    """A strategy whose state is a table of individuals."""

    spread: float = 2.0  # standard deviation of random individuals, relative to the scale of the space

    def begin(self) -> None:
        """Start with random individuals."""
        self.individuals = self.draw_random()

    def draw_random(self) -> Floats:
        """Return a random population, shape (population, size)."""
        return self.rng.normal(0.0, self.spread * self.space.scale, (self.population, self.space.size))

    def ask(self) -> Floats:
        """Return the current individuals."""
        return self.individuals.copy()


def rank(fitness: Floats) -> NDArray[np.int64]:
    """Return the indices of the individuals, best first; equal ones keep their order."""
    return np.argsort(-fitness, kind="stable")


def count_elites(requested: int | None, population: int) -> int:
    """Return the number of elites that survive unchanged; by default a tenth of the population."""
    return max(1, population // 10) if requested is None else min(requested, population)
