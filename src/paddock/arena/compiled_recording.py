"""CompiledRecording: traces and metrics of an arena's run in the compiled loop, handed over to the episode."""

from __future__ import annotations

import numpy as np

from paddock.arena.episode_loop import EpisodeLoop
from paddock.arena.robot import Robot
from paddock.core.errors import DeviceNotEnabled, DeviceRefused
from paddock.core.geometry import Pose
from paddock.core.motion import Motion
from paddock.core.observation import WheelSpeeds
from paddock.engine.model import Bytes, Floats
from paddock.engine.state import HEADING, X
from paddock.metrics.base import RunTime
from paddock.policies.policy import Policy
from paddock.rollouts.metric_sums import figures_of, metric_sums_of, write_first_rows
from paddock.rollouts.tables import ROW_COLUMNS, ROW_COMMAND_LEFT, ROW_CONTACTS, ROW_LEFT, ROW_RIGHT, ROW_X
from paddock.worlds.build import BuiltWorld


def check_devices(robot: Robot, policy: Policy) -> None:
    """Refuse what a policy cannot see."""
    for device in (robot.device(name) for name in policy.devices):
        if not device.enabled:
            raise DeviceNotEnabled(robot.name, device.name)
        if device.some_are_off:
            raise DeviceRefused(f"{device}: a policy sees the whole ring: call {device}.enable()")
        if device.polled:
            raise DeviceRefused(f"{device} is polled only, so that no policy can see it: call poll_only(False)")


class CompiledRecording:
    """The tables that the compiled loop writes to, for the robots of an episode."""

    def __init__(self, loop: EpisodeLoop, built: BuiltWorld, motion: Floats, enabled: Bytes) -> None:
        self.loop = loop
        plan = loop.plan
        self._numbers = {robot.name: i for i, robot in enumerate(built.spec.robots)}
        values = max((robot.robot.chosen.length for robot in loop.robots), default=0)
        rows = -(-plan.ticks // plan.every) + 1
        poses, ticks = motion[None, :, X : HEADING + 1].copy(), np.array([loop.start])
        self.sums = metric_sums_of([built], plan.metrics, enabled, poses, ticks, rows, plan.every, values)
        write_first_rows(self.sums, motion[None])

    def hand_over(self) -> None:
        """Give the rows and figures of the run to the episode's robots; the last row is theirs."""
        loop, plan = self.loop, self.loop.plan
        run = RunTime(np.array([[loop.passed]]), loop.arena.dt)
        figures = figures_of(self.sums, plan.metrics, run)
        rows = -(-loop.passed // plan.every)
        for robot in loop.robots:
            number = self._numbers[robot.name]
            slots = robot.robot.chosen.slots
            for i, row in enumerate(self.sums.trace[0, :rows, number]):
                readings = {
                    name: slot.show(row[ROW_COLUMNS + slot.first : ROW_COLUMNS + slot.last])
                    for name, slot in slots.items()
                }
                tick = loop.start + i * plan.every
                robot.add_row(tick * loop.arena.dt, _motion(row), row[ROW_COMMAND_LEFT:ROW_LEFT].tolist(), readings)
            mine = [name for metric in plan.metrics if metric.robot in (None, robot.name) for name in metric.names()]
            robot.computed = {name: float(figures[name][0, number]) for name in mine}


def _motion(row: Floats) -> Motion:
    wheels = WheelSpeeds(float(row[ROW_LEFT]), float(row[ROW_RIGHT]))
    return Motion(Pose(*row[ROW_X : ROW_X + 3].tolist()), wheels, int(row[ROW_CONTACTS]))
