"""All tasks by name. A new task is one class and one line here."""

from __future__ import annotations

from typing import Any

from paddock.control.tasks.base import Task
from paddock.control.tasks.go_to import GoTo
from paddock.control.tasks.line_follow import LineFollow
from paddock.control.tasks.move import Move
from paddock.control.tasks.pause import Stop, Wait
from paddock.control.tasks.roam import Avoid, Wander
from paddock.control.tasks.turn import Turn
from paddock.control.tasks.wall_follow import WallFollow
from paddock.core.errors import UnknownName

ALL: tuple[type[Task[Any]], ...] = (Turn, Move, Stop, Wait, GoTo, WallFollow, LineFollow, Wander, Avoid)
TASKS: dict[str, type[Task[Any]]] = {task.name: task for task in ALL}


def task_class(name: str) -> type[Task[Any]]:
    """The task of that name."""
    if name not in TASKS:
        raise UnknownName("task", name, TASKS)
    return TASKS[name]
