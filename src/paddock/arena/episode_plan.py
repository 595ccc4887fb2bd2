"""EpisodePlan: the checked arguments of `arena.run`; Pacer: simulated time against the wall clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from inspect import isclass, isroutine
from typing import TYPE_CHECKING, Any

from paddock.arena.devices import Camera
from paddock.arena.metrics.metric import Metric
from paddock.arena.metrics.metric_registry import make_metrics
from paddock.arena.robot import Robot
from paddock.control.policies.policy import is_policy
from paddock.core.argument_checks import all_finite, check_arguments
from paddock.core.errors import DeviceRefused, SimulationError, UnknownName, format_value
from paddock.core.observation import acting
from paddock.core.user_code import warn_user

if TYPE_CHECKING:
    from paddock.arena.base_arena import BaseArena

Until = Callable[["BaseArena"], Any]  # a true value ends the run; a str is the reason
OnStep = Callable[["BaseArena"], object]
ROW_PERIOD = 0.1  # default time between two rows of a trace [s]
MAX_ROWS = 10_000  # default maximum number of rows of a trace


@dataclass(frozen=True, kw_only=True)
class EpisodePlan:
    """The arguments of `arena.run`."""

    ticks: int
    controllers: Mapping[Robot, Any]
    recorded: Sequence[Robot]  # robots with traces, the driven ones first
    every: int  # ticks between two rows of a trace
    metrics: Sequence[Metric] = ()
    until: Until | None = None
    on_step: OnStep | None = None
    speed: float | None = None
    renew: Callable[[], Mapping[str, Any]] | None = None  # creates the controllers again after a reset

    @property
    def is_compilable(self) -> bool:
        """Whether the compiled loop can run it: all controllers are policies, and nothing happens between ticks."""
        hooks = self.until or self.on_step or self.speed
        policies = bool(self.controllers) and all(map(is_policy, self.controllers.values()))
        return policies and not hooks and self.ticks > 0


def plan_episode(
    arena: BaseArena,
    seconds: float,
    controllers: Any,
    *,
    until: Until | None,
    every: float | None,
    metrics: Sequence[Metric | str],
    on_step: OnStep | None,
    speed: float | None,
    renew: Callable[[], Mapping[str, Any]] | None,
) -> EpisodePlan:
    """Check the arguments of `arena.run`."""
    if not (all_finite(seconds) and seconds >= 0):
        raise SimulationError(f"run: expected seconds >= 0, got {seconds!r}")
    Pacer(speed)  # raises if it is not a valid speed
    for name, function in (("until", until), ("on_step", on_step), ("renew", renew)):
        if function is not None and not callable(function):
            raise SimulationError(f"run: {name}: expected a function, got {format_value(function)}")
        if function is not None:
            check_arguments(function, f"run: {name}", *(() if name == "renew" else ("arena",)))
    chosen = _by_robot(arena, controllers)
    for controller in chosen.values():
        acting(controller)  # raises before the run starts if it is not a controller
    period = max(ROW_PERIOD, seconds / MAX_ROWS) if every is None else every
    plan = EpisodePlan(
        ticks=max(round(seconds / arena.dt), 1 if seconds > 0 else 0),
        controllers=chosen,
        recorded=arena.choose_recorded(chosen, all_robots=every is not None),
        every=ticks_between_rows(period, arena.dt),
        metrics=make_metrics(metrics, "run"),
        until=until,
        on_step=on_step,
        speed=speed,
        renew=renew,
    )
    _check_devices_of_metrics(plan, arena.robots)
    return plan


def _by_robot(arena: BaseArena, controllers: Any) -> dict[Robot, Any]:
    if controllers is None:
        return {}
    if isinstance(controllers, Mapping):
        _warn_of_shared_state(controllers)
        return {arena[name]: controller for name, controller in controllers.items()}
    if len(arena.robots) != 1:
        raise SimulationError(
            f"run: there are {len(arena.robots)} robots: expected a dict of controllers by robot name"
        )
    return {next(iter(arena.robots.values())): controllers}


def _warn_of_shared_state(controllers: Mapping[str, Any]) -> None:
    """Warn of a controller with state that drives several robots."""
    robots: dict[int, list[str]] = {}
    for name, controller in controllers.items():
        robots.setdefault(id(controller), []).append(name)
    for names in robots.values():
        shared = controllers[names[0]]
        if len(names) > 1 and _get_variables(shared) and not is_policy(shared):
            warn_user(
                f"run: {', '.join(names)} have the same {type(shared).__name__} as their controller. If it keeps "
                "state, each robot continues with the state of the others: create one for each robot"
            )


def _get_variables(controller: Any) -> Mapping[str, Any]:
    """Return the attributes that a controller may change; empty for functions, classes and frozen dataclasses."""
    parameters = getattr(type(controller), "__dataclass_params__", None)
    frozen = parameters is not None and parameters.frozen
    return {} if frozen or isroutine(controller) or isclass(controller) else getattr(controller, "__dict__", {})


def _check_devices_of_metrics(plan: EpisodePlan, robots: Collection[str]) -> None:
    """Warn once of robots that lack the device of a metric. Raise if no robot has it, or if it is a camera."""
    for metric in plan.metrics:
        if metric.robot is not None and metric.robot not in robots:
            raise UnknownName("robot", metric.robot, robots)
        device = metric.required_device()
        concerned = [robot for robot in plan.recorded if metric.robot in (None, robot.name)]
        if device is None or not concerned:
            continue
        lacking = [robot.name for robot in concerned if device not in robot.devices]
        if len(lacking) == len(concerned):
            concerned[0].device(device)  # raises, with the available devices
        if lacking:
            warn_user(f"{type(metric).__name__}: no figures for {', '.join(lacking)}: no device {device!r}")
        for robot in concerned:
            if isinstance(robot.devices.get(device), Camera):
                raise DeviceRefused(f"{robot.devices[device]} is a camera: policies and metrics cannot use images")


def ticks_between_rows(every: float, dt: float) -> int:
    """Return the number of ticks between two rows of a trace, for a period `every` [s] and a tick of `dt` [s]."""
    if not (all_finite(every) and every > 0):
        raise SimulationError(f"run: every: expected seconds > 0 between two rows of a trace, got {every!r}")
    return max(1, math.floor(every / dt + 0.5))


class Pacer:
    """Waits so that simulated time advances at `speed` × real time; None never waits."""

    def __init__(
        self,
        speed: float | None,
        *,
        now: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if speed is not None and not (all_finite(speed) and speed > 0):
            raise SimulationError(f"speed: expected a factor > 0, or None for as fast as possible, got {speed!r}")
        self.speed, self._now, self._sleep = speed, now, sleep
        self._start: float | None = None
        self._simulated = 0.0

    def wait(self, simulated: float) -> None:
        """Sleep until the wall clock has caught up with the simulated time [s]; the first call sets the reference."""
        if self.speed is None:
            return
        if self._start is None:
            self._start, self._simulated = self._now(), simulated
        ahead = (simulated - self._simulated) / self.speed - (self._now() - self._start)
        if ahead > 0:
            self._sleep(ahead)
