"""Genetic programming: an expression tree for each wheel, with subtree crossover and mutation."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from paddock.control.policies.program import WHEELS
from paddock.learning.evolve.strategies.strategy import Floats, Strategy, count_elites, rank
from paddock.learning.evolve.strategies.trees import (
    OVERHEAD,
    Tree,
    compile_trees,
    count_instructions,
    cross,
    grow_tree,
    mutate,
)

Pair = tuple[Tree, Tree]


class GeneticProgramming(Strategy):
    """Individuals are pairs of expression trees; see `trees.py`."""

    makes_programs: ClassVar[bool] = True

    elites: int | None = None  # individuals that survive unchanged; None: a tenth of the population
    tournament: int = 3  # individuals per tournament; the best becomes a parent
    crossover: float = 0.4  # share of the children that have two parents; the others are mutated
    depth: int = 3  # maximum depth of the first trees

    def begin(self) -> None:
        """Start with random trees; a compiled pair has at most as many instructions as the space's length."""
        self.registers = self.space.inputs + (WHEELS if self.space.recurrent else 0)
        self.pairs: list[Pair] = [self._new(i) for i in range(self.population)]

    @classmethod
    def min_length(cls, inputs: int, recurrent: bool) -> int:
        """Return the size of a program with one operation for each wheel."""
        return OVERHEAD + WHEELS

    def ask(self) -> Floats:
        """Return the current generation as programs."""
        return np.stack([compile_trees(pair, self.space.inputs, self.space.length) for pair in self.pairs])

    def learn(self, fitness: Floats, behaviour: Floats) -> None:
        """Create the next generation; of equally fit individuals, the shorter one is better."""
        lengths = np.array([len(left) + len(right) for left, right in self.pairs])
        objective = fitness - 1e-9 * lengths
        children = [self.pairs[i] for i in rank(objective)[: count_elites(self.elites, self.population)]]
        while len(children) < self.population:
            children.append(self._child(objective))
        self.pairs = children

    def _new(self, number: int) -> Pair:
        """Create a random pair of varying depth, every second one full; reduce the depth until it fits."""
        depth = 1 + number % self.depth
        while True:
            pair = (
                grow_tree(self.rng, self.registers, depth, full=number % 2 == 0),
                grow_tree(self.rng, self.registers, depth, full=number % 2 == 0),
            )
            if self._fits(pair):
                return pair
            depth = max(1, depth - 1)

    def _child(self, objective: Floats) -> Pair:
        mother = self.pairs[self._parent(objective)]
        if self.rng.random() < self.crossover:
            father = self.pairs[self._parent(objective)]
            wheel, other = int(self.rng.integers(2)), int(self.rng.integers(2))
            tree = cross(self.rng, mother[wheel], father[other])
        else:
            wheel = int(self.rng.integers(2))
            tree = mutate(self.rng, mother[wheel], self.registers)
        child = (tree, mother[1]) if wheel == 0 else (mother[0], tree)
        return child if self._fits(child) else mother

    def _parent(self, objective: Floats) -> int:
        drawn = self.rng.integers(0, self.population, self.tournament)
        return int(drawn[objective[drawn].argmax()])

    def _fits(self, pair: Pair) -> bool:
        return count_instructions(pair[0]) + count_instructions(pair[1]) + OVERHEAD <= self.space.length
