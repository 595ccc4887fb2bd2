"""The thesis' evolution: three inputs, two outputs, twenty individuals, two hundred generations, one maze."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

from paddock.learning.evolve.evaluators import LocalEvaluator
from paddock.learning.evolve.evolution import Evolution, Generation
from paddock.learning.evolve.options import EvolutionConfig

POPULATION, GENERATIONS, SECONDS = 20, 200, 60.0
INPUTS, OUTPUTS = 3, 2


@dataclass(frozen=True)
class EvolutionRun:
    """The result of one evolution."""

    evolution: Evolution
    wall: float  # [s], without compilation
    processor: float  # [s], total of all cores

    @property
    def history(self) -> list[Generation]:
        return self.evolution.history

    @property
    def solved(self) -> bool:
        """Whether the champion reaches the exit."""
        return self.history[-1].solved >= 1.0

    @property
    def solved_in(self) -> int | None:
        """First generation in which an individual reached the exit; None: none did."""
        return self.evolution.solved_in


def learn(seed: int, *, generations: int = GENERATIONS, threads: int | None = None) -> EvolutionRun:
    """Run one evolution from a seed."""
    config = EvolutionConfig(task="maze", population=POPULATION, generations=generations, seed=seed, seconds=SECONDS)
    evolution = Evolution(config, make_evaluator=partial(LocalEvaluator, threads=threads))
    evolution.evaluator.compile()
    wall, processor = time.perf_counter(), time.process_time()
    evolution.run()
    return EvolutionRun(evolution, time.perf_counter() - wall, time.process_time() - processor)
