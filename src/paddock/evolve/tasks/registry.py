"""All tasks by name, and those of users, `module:function`."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from paddock.core.errors import PaddockError, UnknownName, shown
from paddock.evolve.config import Config
from paddock.evolve.tasks.base import Task

TASKS: Mapping[str, str] = MappingProxyType(
    {
        "maze": "paddock.evolve.tasks.maze:configured",
        "avoid": "paddock.evolve.tasks.avoid:configured",
        "wall-follow": "paddock.evolve.tasks.wall_follow:configured",
        "line-follow": "paddock.evolve.tasks.line_follow:configured",
    }
)


def task_of(config: Config) -> Task:
    """The task that a config asks for."""
    if ":" in config.task:
        return own_task(config)
    if config.task not in TASKS:
        raise UnknownName("task", config.task, [*TASKS, "module:function"])
    if config.task == "maze" and config.world is not None:
        raise PaddockError("world: mazes are shipped or generated: use --mazes, --size and --kind")
    return found(TASKS[config.task])(config)


def own_task(config: Config) -> Task:
    """A user's task: a function without parameters that gives a Task, or one that judges a rollout."""
    function = found(config.task)
    try:
        parameters = len(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        raise PaddockError(f"{config.task}: expected a function") from None
    if parameters == 0:
        task = function()
        if not isinstance(task, Task):
            raise PaddockError(f"{config.task}: expected it to return a Task, got {shown(task)}")
        return task
    from paddock.evolve.tasks.own import judged_by

    return judged_by(function, config)


def found(path: str) -> Callable[..., Task]:
    """What `module:function` names; modules beside the user are found too."""
    module, _, name = path.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        function = getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name != module.partition(".")[0] and error.name != module:
            raise
        raise PaddockError(f"{path}: there is no module {module!r} here") from None
    except AttributeError:
        raise PaddockError(f"{path}: the module has no {name!r}") from None
    if not callable(function):
        raise PaddockError(f"{path}: expected a function, got {shown(function)}")
    return function  # type: ignore[no-any-return]
