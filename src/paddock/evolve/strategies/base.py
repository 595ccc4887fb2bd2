"""What all strategies share: a population is asked for, judged elsewhere, and told how well it did."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, shown

Floats = NDArray[np.float64]
State = dict[str, Any]
"""Arrays, and whatever JSON can write: all that a strategy needs to go on as if it had never stopped."""


@dataclass(frozen=True, kw_only=True)
class Space:
    """What is searched."""

    scale: Floats  # usual spread of every number of an individual, shape (size)
    inputs: int  # values that a controller sees, for strategies that make programs
    length: int = 64  # instructions that a program may have
    recurrent: bool = True  # whether programs may remember
    behaviours: int = 2  # numbers, each from 0 to 1, that tell how an individual behaved

    @property
    def size(self) -> int:
        """How many numbers an individual has."""
        return len(self.scale)


class Strategy(ABC):
    """A search for individuals of high fitness, exactly repeatable from its seed.

    An individual is a row of numbers: the weights of a network, or a program as `policies/program.py` reads it.
    """

    makes_programs: ClassVar[bool] = False
    package: ClassVar[str | None] = None  # whose version decides how it goes on from its state
    kept: ClassVar[tuple[str, ...]]  # the attributes that change, for `state`

    def __init__(self, space: Space, *, population: int, seed: int) -> None:
        least = self.least()
        if not isinstance(population, int) or population < least:
            raise PaddockError(f"population: expected a whole number >= {least}, got {shown(population)}")
        if self.makes_programs and space.length < (needed := self.least_length(space.inputs, space.recurrent)):
            raise PaddockError(
                f"length: with {space.inputs} inputs the first programs need at least {needed} instructions, "
                f"got {shown(space.length)}"
            )
        self.space, self.population = space, population
        self.rng = np.random.default_rng(seed)

    @classmethod
    def least(cls) -> int:
        """The smallest population it can work with."""
        return 1

    @classmethod
    def least_length(cls, inputs: int, recurrent: bool) -> int:
        """Instructions that its first programs need, if it makes programs."""
        return 0

    @property
    def asked(self) -> int:
        """How many individuals are to be judged."""
        return self.population

    @abstractmethod
    def ask(self) -> Floats:
        """Individuals to judge, shape (population, ·); the same ones until they are told about."""

    def tell(self, fitness: Floats, behaviour: Floats) -> None:
        """How the individuals that were asked for did: more is better, shape (population).

        `behaviour` tells how they did it, 0 … 1, shape (population, behaviours).
        """
        wanted = (self.asked,), (self.asked, self.space.behaviours)
        if (np.shape(fitness), np.shape(behaviour)) != wanted:
            raise PaddockError(
                f"tell: {self.asked} individuals were asked for: expected fitness and behaviour of the shapes "
                f"{wanted[0]} and {wanted[1]}, got {np.shape(fitness)} and {np.shape(behaviour)}"
            )
        self.learn(np.asarray(fitness, np.float64), np.asarray(behaviour, np.float64))

    @abstractmethod
    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Get the next individuals ready."""

    def state(self) -> State:
        """All that changes; see `State`."""
        return {"rng": self.rng.bit_generator.state, **{name: _copied(getattr(self, name)) for name in self.kept}}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where a strategy with the same settings was."""
        missing = {"rng", *self.kept} - set(state)
        if missing:
            raise PaddockError(f"{type(self).__name__}: the state lacks {', '.join(sorted(missing))}")
        self.rng.bit_generator.state = state["rng"]
        for name in self.kept:
            setattr(self, name, _copied(state[name]))


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def ranked(fitness: Floats) -> NDArray[np.int64]:
    """Numbers of the individuals, the best first; of equals the earlier one first."""
    return np.argsort(-fitness, kind="stable")
