"""Replaying: strategies of packages go on by doing again what they did, since chance is decided by the seed.

That needs no pickle, which could run anything that somebody wrote into a file, and takes milliseconds a generation.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from paddock.core.errors import PaddockError
from paddock.evolve.strategies.base import Floats, State, Strategy


class Replayed(Strategy):
    """A strategy whose state is all that it was ever told."""

    told: list[Floats]  # fitness of every generation

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.told = []

    @abstractmethod
    def start(self) -> None:
        """A new search from the seed."""

    @abstractmethod
    def take_in(self, fitness: Floats) -> None:
        """Take one generation's fitness in."""

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Take one generation's fitness in, and remember it."""
        self.take_in(fitness)
        self.told.append(np.array(fitness))

    def state(self) -> State:
        """What it was told, one generation after the other, and how many each was."""
        sizes = np.array([len(one) for one in self.told], np.int64)
        return {"told": np.concatenate([np.empty(0), *self.told]), "sizes": sizes}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Start anew, and be told again."""
        if {"told", "sizes"} - set(state):
            raise PaddockError(f"{type(self).__name__}: the state lacks what it was told")
        self.start()
        self.told = list(np.split(state["told"], np.cumsum(state["sizes"]))[:-1])
        for fitness in self.told:
            self.take_in(fitness)
