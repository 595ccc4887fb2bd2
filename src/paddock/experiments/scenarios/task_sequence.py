"""TaskSequence: a controller that executes one task after the other, on any robot."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from paddock.arena.episodes import Event, Trace
from paddock.control.behaviours.tasks import Task, TaskContext, find_task
from paddock.control.behaviours.tasks.task import MOTION
from paddock.core.geometry import Pose
from paddock.core.observation import Observation, WheelSpeeds
from paddock.core.seeds import draw_uniform
from paddock.experiments.scenarios.planned_task import PlannedTask
from paddock.experiments.scenarios.scenario_result import TaskResult
from paddock.perception.estimation import Estimate

STANDSTILL = WheelSpeeds(0.0, 0.0)
ALL_ENDED = "all tasks have ended"


class TaskSequence:
    """Sequence of tasks for one robot; `done` once all have ended. EpisodeRobot documents its recorded attributes."""

    def __init__(
        self,
        robot: str,
        tasks: Sequence[PlannedTask],
        view: TaskContext,
        seed: int,
        key: tuple[object, ...],
        find_pose: Callable[[], Pose],
    ) -> None:
        """Plan the tasks.

        Args:
            robot: name of the robot.
            tasks: tasks in the order of their execution.
            view: context of the tasks.
            seed: determines all drawn parameters.
            key: distinguishes the draws of this robot from those of other robots.
            find_pose: returns the robot's pose; called at the start and after a reset.
        """
        self.robot, self.planned, self.view, self.seed, self.key = robot, tasks, view, seed, key
        self._find_pose = find_pose
        self.reset()

    def reset(self) -> None:
        """Restart with the first task."""
        self.view.reset(self._find_pose())
        self.started = math.inf  # time of the first call of `act` [s]
        self._task: Task[Any] | None = None  # current task
        self.results: list[TaskResult] = []
        self.events: list[Event] = []
        self.done, self.reason = False, ""
        self._now = 0.0

    @property
    def task(self) -> str:
        """Name of the current task."""
        return "" if self._task is None else self._task.name

    @property
    def error(self) -> float | None:
        """Control error of the current task [m]."""
        return None if self._task is None else self._task.error

    @property
    def estimate(self) -> Estimate:
        """Pose estimate from wheels and compass, or from a localiser."""
        return self.view.estimate

    @property
    def complete(self) -> bool:
        """Whether every task was done."""
        return len(self.results) == len(self.planned) and all(result.done for result in self.results)

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds of the current task; start the next task when it has ended."""
        self._now = round(observation.time, 9)  # removes floating-point rounding errors
        self.started = min(self.started, self._now)
        self.view.update(observation)
        while not self.done:
            if self._task is None:
                if len(self.results) == len(self.planned):
                    self.done, self.reason = True, ALL_ENDED
                    break
                self._begin_next()
            assert self._task is not None
            wheels: WheelSpeeds = self._task.act(observation)
            if not self._task.done:
                return wheels
            self._close(self._task.why, done=not self._task.failed)
        return STANDSTILL

    def end(self, reason: str) -> None:
        """End the current task because the run has ended."""
        if self._task is not None:
            self._close(reason, done=False)

    def check_motion(self, trace: Trace) -> None:
        """Mark tasks that should have moved the robot, but did not, as not done, regardless of the encoders."""
        for number, result in enumerate(self.results):
            during = (trace.time > result.began - trace.dt / 2) & (trace.time < result.ended + trace.dt / 2)
            poses = trace.pose[during]
            stood = len(poses) > 1 and np.ptp(poses, axis=0).max() < MOTION  # False if the poses are NaN (unknown)
            if stood and result.done and find_task(self.planned[number].task).moves and result.ended > result.began:
                self.results[number] = replace(result, done=False, why=f"did not move: {result.why}")

    def _begin_next(self) -> None:
        number = len(self.results)
        planned = self.planned[number]
        self._drawn = planned.draw(self.seed, *self.key, number)
        self._task = find_task(planned.task)(self._drawn.spec)
        self.view.draw = lambda key: draw_uniform(self.seed, *self.key, number, "while running", key)
        self._task.start(self.view)
        self._began = self._now
        settings = ", ".join(f"{key} = {value}" for key, value in self._drawn.table().items())
        self._note("task", f"task {number + 1}: {self._task.name}" + (f" ({settings})" if settings else ""))

    def _close(self, why: str, *, done: bool) -> None:
        assert self._task is not None
        self.results.append(
            TaskResult(
                robot=self.robot,
                name=self._task.name,
                parameters=self._drawn.table(),
                began=self._began,
                ended=self._now,
                why=why,
                done=done,
            )
        )
        took = self._now - self._began
        self._note("task end", f"task {len(self.results)}: {self._task.name} ended after {took:.2f} s: {why}")
        self._task = None

    def _note(self, kind: Literal["task", "task end"], text: str) -> None:
        self.events.append(Event(time=self._now, kind=kind, robot=self.robot, text=text))
