"""Registry of tasks by name, and tasks of users: `module:function` or `file.py:function`."""

from __future__ import annotations

import inspect
from typing import Any

from paddock.core.errors import PaddockError, UnknownName, format_value
from paddock.core.registry import Registry
from paddock.core.user_code import is_path
from paddock.learning.evolve.options import TASK, EvolutionConfig
from paddock.learning.evolve.tasks.evolution_task import USUAL_OPTIONS, EvolutionTask, TaskKind
from paddock.learning.evolve.tasks.user_errors import reraise_with_location
from paddock.learning.evolve.tasks.user_fitness import make_fitness_task

TASKS: Registry[Any] = Registry(
    "task",
    group="paddock.evolution_tasks",
    builtin={
        "maze": "paddock.learning.evolve.tasks.maze_task:TASK",
        "avoid": "paddock.learning.evolve.tasks.avoid:TASK",
        "wall-follow": "paddock.learning.evolve.tasks.wall_follow:TASK",
        "line-follow": "paddock.learning.evolve.tasks.line_follow:TASK",
    },
)
"""Task kinds or functions; see `make_task`."""


def make_task(config: EvolutionConfig) -> EvolutionTask:
    """Return the task of a config.

    It is created by a `TaskKind`, by a function without parameters that returns an `EvolutionTask`, or from a function
    that returns the fitness of every world of a batch result.
    """
    if not is_path(config.task) and config.task not in TASKS:
        raise UnknownName("task", config.task, [*TASKS, "module:function"])
    kind = TASKS.get(config.task)
    if isinstance(kind, TaskKind):
        config.refuse_unused(TASK, f"the task {config.task}", kind.used_options(config))
        return kind.make(config)
    if not callable(kind) or isinstance(kind, type):
        raise PaddockError(f"{config.task}: expected a function, got {format_value(kind)}")
    parameters = inspect.signature(kind).parameters.values()
    if parameters:
        required = [each for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
        if len(required) > 1:
            names = ", ".join(each.name for each in required)
            raise PaddockError(f"{config.task}: expected a function of one argument, the batch result, got ({names})")
        config.refuse_unused(TASK, config.task, USUAL_OPTIONS)
        return make_fitness_task(kind, config)
    config.refuse_unused(TASK, f"{config.task}, which creates its own EvolutionTask,", ())
    with reraise_with_location(config.task):
        task = kind()
    if not isinstance(task, EvolutionTask):
        raise PaddockError(f"{config.task}: expected it to return an EvolutionTask, got {format_value(task)}")
    return task
