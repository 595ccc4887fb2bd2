"""NEAT: evolution of network topologies (Stanley and Miikkulainen, 2002); a wrapper of `neat-python`."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from paddock.learning.evolve.packages import import_package
from paddock.learning.evolve.strategies.neat_genomes import SETTINGS, compile_genome
from paddock.learning.evolve.strategies.replay_strategy import ReplayStrategy
from paddock.learning.evolve.strategies.strategy import Floats


class Neat(ReplayStrategy):
    """Genomes of nodes and connections in species; each is compiled to a program that the engine can run.

    A robot with a genome that is too large for a program does not move, so the genome is not selected. The number of
    individuals in a generation may differ slightly from the population.
    """

    makes_programs: ClassVar[bool] = True
    package: ClassVar[str | None] = "neat-python"

    @classmethod
    def min_population(cls) -> int:
        """Return 4, the minimum for several members in a species."""
        return 4

    @classmethod
    def min_length(cls, inputs: int, recurrent: bool) -> int:
        """Return the size of a network without hidden units: all inputs to both wheels, and self-links if recurrent."""
        return 2 * (inputs + 5) if recurrent else 2 * (inputs + 3)

    @property
    def batch_size(self) -> int:
        """Number of genomes in this generation."""
        return len(self._search.population)

    def start(self) -> None:
        """Start a new search from the seed."""
        neat = import_package("neat", "NEAT", install="neat-python")
        self._random_state = random.Random(self.seed).getstate()
        with self._use_own_random():
            self._search: Any = neat.Population(self._config(neat))

    def ask(self) -> Floats:
        """Return the genomes of this generation as programs."""
        genes = self._search.config.genome_config
        rows = [
            compile_genome(genome, genes, self.space.inputs, self.space.length, recurrent=self.space.recurrent)
            for genome in self._search.population.values()
        ]
        return np.stack(rows)

    def update(self, fitness: Floats) -> None:
        """Run one generation of the package with the given fitness."""

        def assign(genomes: list[tuple[int, Any]], config: Any) -> None:
            for (_, genome), value in zip(genomes, fitness.tolist(), strict=True):
                genome.fitness = value

        with self._use_own_random():
            self._search.run(assign, 1)

    def _config(self, neat: Any) -> Any:
        settings = SETTINGS.format(
            population=self.population, inputs=self.space.inputs, feed_forward=not self.space.recurrent
        )
        with tempfile.TemporaryDirectory() as folder:  # the package reads settings only from files
            path = Path(folder) / "neat.ini"
            path.write_text(settings, encoding="utf-8")
            return neat.Config(
                neat.DefaultGenome, neat.DefaultReproduction, neat.DefaultSpeciesSet, neat.DefaultStagnation, str(path)
            )

    @contextmanager
    def _use_own_random(self) -> Iterator[None]:
        """Temporarily set Python's global random generator, which the package uses, to this strategy's own state."""
        others = random.getstate()
        random.setstate(self._random_state)
        try:
            yield
        finally:
            self._random_state = random.getstate()
            random.setstate(others)
