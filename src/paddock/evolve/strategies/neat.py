"""NEAT: networks that grow (Stanley and Miikkulainen, 2002); glue around the package `neat-python`."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from paddock.evolve.packages import import_package
from paddock.evolve.strategies.base import Floats
from paddock.evolve.strategies.neat_genomes import SETTINGS, compile_genome
from paddock.evolve.strategies.replay import ReplayStrategy


class Neat(ReplayStrategy):
    """Genomes of nodes and connections in species; each becomes a program, so that the engine can run it.

    A genome that is too large for a program stands still, and is not selected. There may be a few
    individuals more or less in a generation than the population says.
    """

    makes_programs: ClassVar[bool] = True
    package: ClassVar[str | None] = "neat-python"

    @classmethod
    def min_population(cls) -> int:
        """Species need members."""
        return 4

    @classmethod
    def min_length(cls, inputs: int, recurrent: bool) -> int:
        """Networks without hidden units: all inputs at both wheels; with memory, the wheels' own units too."""
        return 2 * (inputs + 5) if recurrent else 2 * (inputs + 3)

    @property
    def batch_size(self) -> int:
        """How many genomes there are."""
        return len(self._search.population)

    def start(self) -> None:
        """A new search from the seed."""
        neat = import_package("neat", "NEAT", install="neat-python")
        self._random_state = random.Random(self.seed).getstate()
        with self._use_own_random():
            self._search: Any = neat.Population(self._config(neat))

    def ask(self) -> Floats:
        """The genomes of this generation as programs."""
        genes = self._search.config.genome_config
        rows = [
            compile_genome(genome, genes, self.space.inputs, self.space.length, recurrent=self.space.recurrent)
            for genome in self._search.population.values()
        ]
        return np.stack(rows)

    def update(self, fitness: Floats) -> None:
        """The package's own generation, with the fitness that was found elsewhere."""

        def assign(genomes: list[tuple[int, Any]], config: Any) -> None:
            for (_, genome), value in zip(genomes, fitness.tolist(), strict=True):
                genome.fitness = value

        with self._use_own_random():
            self._search.run(assign, 1)

    def _config(self, neat: Any) -> Any:
        settings = SETTINGS.format(
            population=self.population, inputs=self.space.inputs, feed_forward=not self.space.recurrent
        )
        with tempfile.TemporaryDirectory() as folder:  # the package reads its settings from files only
            path = Path(folder) / "neat.ini"
            path.write_text(settings, encoding="utf-8")
            return neat.Config(
                neat.DefaultGenome, neat.DefaultReproduction, neat.DefaultSpeciesSet, neat.DefaultStagnation, str(path)
            )

    @contextmanager
    def _use_own_random(self) -> Iterator[None]:
        """Lend the package, which draws from Python's global generator, a state of our own for a while."""
        others = random.getstate()
        random.setstate(self._random_state)
        try:
            yield
        finally:
            self._random_state = random.getstate()
            random.setstate(others)
