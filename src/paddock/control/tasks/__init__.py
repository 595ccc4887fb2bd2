"""Tasks: small things for a robot to do, one after the other; they see observations and give wheel speeds."""

from paddock.control.tasks.base import Need, Task, TaskSpec
from paddock.control.tasks.registry import TASKS, task_class
from paddock.control.tasks.view import Ranger, View

__all__ = ["TASKS", "Need", "Ranger", "Task", "TaskSpec", "View", "task_class"]
