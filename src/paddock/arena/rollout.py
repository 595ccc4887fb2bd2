"""Rollout: sense, act and step fused into one compiled loop, for controllers that are policies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.control.policy import Policy, act
from paddock.core.errors import DeviceNotEnabled, DeviceRefused
from paddock.core.jit import kernel
from paddock.engine.model import MAX_SPEED
from paddock.engine.state import WANT_LEFT, WANT_RIGHT, types_of_robots
from paddock.engine.step import step_world
from paddock.sensors.sense import sense

if TYPE_CHECKING:
    from paddock.arena.arena import Arena
    from paddock.arena.robot import Robot


@dataclass(frozen=True)
class Policies:
    """The policies of some robots, as arrays."""

    arrays: tuple[Any, ...]

    @classmethod
    def of(cls, arena: Arena, chosen: Mapping[Robot, Any]) -> Policies | None:
        """None unless every controller is a policy, and there is one."""
        distinct = {id(controller): controller for controller in chosen.values()}
        if not distinct or not all(isinstance(controller, Policy) for controller in distinct.values()):
            return None
        robots = len(arena.robots)
        numbers = np.full(robots, -1, np.int64)
        firsts = np.zeros(robots, np.int64)
        enabled = np.zeros((robots, max((len(robot.devices) for robot in chosen), default=0)), np.uint8)
        parameters: list[float] = []
        types = types_of_robots(arena.model).tolist()
        known: dict[tuple[int, int], int] = {}  # robots of one type share a policy's numbers
        for robot, policy in chosen.items():
            device = robot.device(policy.device)
            if not device.enabled:
                raise DeviceNotEnabled(robot.name, device.name)
            if device.polled:
                raise DeviceRefused(f"{device} is polled only, so that no policy can see it: call poll_only(False)")
            row = arena.numbers[robot.name]
            kind = (id(policy), types[row])
            first = known.get(kind)
            if first is None:
                policy.check(str(device), device.slot.last - device.slot.first)
                first = known[kind] = len(parameters)
                parameters += policy.parameters(device.slot.first)
            numbers[row], firsts[row] = policy.number, first
            mask = robot.chosen.mask  # all that sense() would read, whether the policy looks at it or not
            enabled[row, : len(mask)] = mask
        readings = np.zeros(max(1, arena.built.values))
        return cls((numbers, firsts, np.array(parameters), enabled, readings))


@kernel
def run_policies(model, state, commands, space, numbers, firsts, parameters, enabled, readings, ticks):
    """Advance the first world by whole ticks; robots without a policy (-1) keep their commands."""
    robots = numbers.shape[0]
    listed = space.crowd.shape[0] - robots
    for _ in range(ticks):
        for k in range(robots):
            # Neighbours one after the other: what they see is still in the processor's cache.
            robot = space.crowd[listed + k] if robots > 1 else k
            if numbers[robot] >= 0:
                sense(model, state, space, 0, robot, enabled[robot], False, readings)
                wanted, most = commands[0, robot], model.robots[model.makes[robot], MAX_SPEED]
                act(numbers[robot], parameters[firsts[robot] :], readings, wanted)
                wanted[WANT_LEFT] = min(most, max(-most, wanted[WANT_LEFT]))
                wanted[WANT_RIGHT] = min(most, max(-most, wanted[WANT_RIGHT]))
        step_world(model, state, commands, space, 0)
