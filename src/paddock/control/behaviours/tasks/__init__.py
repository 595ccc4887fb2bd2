"""Tasks: basic actions that a robot performs one after the other; they convert observations to wheel speeds."""

from paddock.control.behaviours.tasks.context import Ranger, TaskContext
from paddock.control.behaviours.tasks.task import TASKS, Duration, SensorRequirement, Speed, Task, TaskSpec, find_task

__all__ = ["TASKS", "Duration", "Ranger", "SensorRequirement", "Speed", "Task", "TaskContext", "TaskSpec", "find_task"]
