"""Evolution: strategies that search for good controllers, tasks that say how good they are, and imitation."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paddock.evolve.evolution import Evolution, Generation
    from paddock.evolve.imitation import Demonstration, demonstrate, imitate
    from paddock.evolve.options import EvolutionConfig, Execution
    from paddock.evolve.strategies import STRATEGIES, SearchSpace, Strategy
    from paddock.evolve.study import Study, evolve, resume
    from paddock.evolve.tasks.base import Evaluation, EvolutionTask, TaskKind
    from paddock.evolve.tasks.maze import make_maze_task
    from paddock.evolve.tasks.registry import TASKS

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
    "resume",
]

# Where each name comes from: the command line shows its help without waiting for numpy and numba.
_MODULES = {
    "evolution": ("Evolution", "Generation"),
    "imitation": ("Demonstration", "demonstrate", "imitate"),
    "options": ("EvolutionConfig", "Execution"),
    "strategies": ("STRATEGIES", "SearchSpace", "Strategy"),
    "study": ("Study", "evolve", "resume"),
    "tasks.base": ("Evaluation", "EvolutionTask", "TaskKind"),
    "tasks.maze": ("make_maze_task",),
    "tasks.registry": ("TASKS",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value
