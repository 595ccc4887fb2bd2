"""Tasks: small things for a robot to do, one after the other; they see observations and give wheel speeds."""

from paddock.control.tasks.base import Duration, SensorRequirement, Speed, Task, TaskSpec
from paddock.control.tasks.context import Ranger, TaskContext
from paddock.control.tasks.registry import TASKS, find_task

__all__ = ["TASKS", "Duration", "Ranger", "SensorRequirement", "Speed", "Task", "TaskContext", "TaskSpec", "find_task"]
