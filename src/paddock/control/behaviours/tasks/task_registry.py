"""Registry of tasks: shipped, from other packages (entry points `paddock.tasks`), and in users' files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from paddock.control.behaviours.tasks.task import Task, TaskSpec
from paddock.core.error_location import place_of_class, refuse_abstract
from paddock.core.errors import PaddockError, format_value
from paddock.core.registry import Registry

HERE = "paddock.control.behaviours.tasks"
TASKS: Registry[type[Task[Any]]] = Registry(
    "task",
    group="paddock.tasks",
    builtin={
        "turn": f"{HERE}.turn:Turn",
        "move": f"{HERE}.move:Move",
        "stop": f"{HERE}.pause:Stop",
        "wait": f"{HERE}.pause:Wait",
        "go-to": f"{HERE}.go_to:GoTo",
        "wall-follow": f"{HERE}.wall_follow:WallFollow",
        "line-follow": f"{HERE}.line_follow:LineFollow",
        "wander": f"{HERE}.roam:Wander",
        "avoid": f"{HERE}.roam:Avoid",
    },
    base=Task,
)


def find_task(name: str, folder: str | Path | None = None) -> type[Task[Any]]:
    """Return the task class with a name, `module:Name` or `file.py:Name`.

    Args:
        name: a registered name, or the location of the class.
        folder: the first folder to search for users' files; None: only the working directory.
    """
    task = TASKS.get(name, folder=folder)
    if not isinstance(task, type):
        raise PaddockError(f"{name}: expected a class derived from Task, got an object: leave out the parentheses")
    refuse_abstract(task, "decide(self, observation, elapsed), which returns wheel speeds")
    if not (isinstance(task.parameters, type) and issubclass(task.parameters, TaskSpec)):
        wrong = format_value(task.parameters)
        raise PaddockError(f"{place_of_class(task)}: parameters: expected a class derived from TaskSpec, got {wrong}")
    return task
