"""Evolution: strategies that search for controllers, tasks that evaluate them, and imitation learning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.learning.evolve.evolution import Evolution, Generation
    from paddock.learning.evolve.evolution_study import Study, evolve, resume
    from paddock.learning.evolve.imitation import Demonstration, demonstrate, imitate
    from paddock.learning.evolve.options import EvolutionConfig, Execution
    from paddock.learning.evolve.strategies import STRATEGIES, SearchSpace, Strategy
    from paddock.learning.evolve.tasks.evolution_task import Evaluation, EvolutionTask, TaskKind
    from paddock.learning.evolve.tasks.evolution_task_registry import TASKS
    from paddock.learning.evolve.tasks.maze_task import make_maze_task
    from paddock.learning.evolve.tasks.user_fitness import make_run_task

__all__ = [
    "STRATEGIES",
    "TASKS",
    "Demonstration",
    "Evaluation",
    "Evolution",
    "EvolutionConfig",
    "EvolutionTask",
    "Execution",
    "Generation",
    "SearchSpace",
    "Strategy",
    "Study",
    "TaskKind",
    "demonstrate",
    "evolve",
    "imitate",
    "make_maze_task",
    "make_run_task",
    "resume",
]

# Imported on demand, so that the command line shows its help without importing numpy and numba.
__getattr__ = import_on_demand(__name__)
