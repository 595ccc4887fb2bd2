"""All tasks by name, and those of users, `module:function`."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from paddock.core.errors import PaddockError, UnknownName, shown
from paddock.evolve.config import OF_TASKS, Config
from paddock.evolve.tasks.base import Task
from paddock.evolve.tasks.places import told_with_place

TASKS: Mapping[str, str] = MappingProxyType(
    {
        "maze": "paddock.evolve.tasks.maze",
        "avoid": "paddock.evolve.tasks.avoid",
        "wall-follow": "paddock.evolve.tasks.wall_follow",
        "line-follow": "paddock.evolve.tasks.line_follow",
    }
)


def task_of(config: Config) -> Task:
    """The task that a config asks for."""
    if ":" in config.task:
        return own_task(config)
    if config.task not in TASKS:
        raise UnknownName("task", config.task, [*TASKS, "module:function"])
    module = importlib.import_module(TASKS[config.task])
    config.refuse_unused(f"the task {config.task}", OF_TASKS, module.settings(config))
    task: Task = module.configured(config)
    return task


def own_task(config: Config) -> Task:
    """A user's task: a function without parameters that gives a Task, or one that judges a rollout."""
    function = found(config.task)
    try:
        parameters = len(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        raise PaddockError(f"{config.task}: expected a function") from None
    if parameters == 0:
        config.refuse_unused(f"{config.task}, which makes its own Task,", OF_TASKS, ())
        with told_with_place(config.task):
            task = function()
        if not isinstance(task, Task):
            raise PaddockError(f"{config.task}: expected it to return a Task, got {shown(task)}")
        return task
    from paddock.evolve.tasks.own import judged_by, settings

    config.refuse_unused(config.task, OF_TASKS, settings(config))
    return judged_by(function, config)


def source_of(task: str) -> str | None:
    """The fingerprint of the module of a user's task: another one may judge otherwise. None if it is shipped."""
    if ":" not in task:
        return None
    try:
        text = inspect.getsource(sys.modules[task.partition(":")[0]])
    except (OSError, TypeError):
        return "no source"
    return hashlib.sha256(text.encode()).hexdigest()


def found(path: str) -> Callable[..., Any]:
    """What a user's `module:function` names, in the present folder first."""
    module, _, name = path.rpartition(":")
    if not all(part.isidentifier() for part in [*module.split("."), name]):
        raise PaddockError(f"{path}: expected module:function{_meant(module, name)}")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        with told_with_place(path):
            inside = importlib.import_module(module)
    except ModuleNotFoundError:
        raise PaddockError(f"{path}: there is no module {module!r} here{_meant(module, name)}") from None
    if not hasattr(inside, name):
        raise PaddockError(f"{path}: the module has no {name!r}")
    function = getattr(inside, name)
    if not callable(function):
        raise PaddockError(f"{path}: expected a function, got {shown(function)}")
    return function  # type: ignore[no-any-return]


def _meant(module: str, name: str) -> str:
    """What somebody probably meant who wrote a file's name, or no function's."""
    meant = module.removesuffix(".py").replace("\\", "/").removeprefix("./").replace("/", ".")
    if not all(part.isidentifier() for part in meant.split(".")):
        return ", such as mine:far for far in mine.py"
    if not name.isidentifier():
        return f", with a function's name after the colon, such as {meant}:far"
    return "" if meant == module else f": did you mean {f'{meant}:{name}'!r}?"
