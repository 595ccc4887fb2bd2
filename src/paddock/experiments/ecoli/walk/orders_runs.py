"""Both published experiments: hosts and robots that exchange orders over serial lines, in simulated time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import paddock
from paddock.arena import Arena
from paddock.bridges.epuck.bridge import SimulatedHardware
from paddock.core.geometry import Point, Pose
from paddock.experiments.ecoli.walk import published
from paddock.experiments.ecoli.waypoint_robots import (
    LineQuality,
    LinkStatistics,
    OrderEvent,
    OrderFirmware,
    RobotPlan,
    RobotSession,
    SimulatedLine,
    WalkResult,
)
from paddock.experiments.ecoli.waypoint_robots.texts import CM
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

WHEEL_SEPARATION, WHEEL_DIAMETER = 0.053, 0.041  # [m] of the data sheet
LEGACY_DT = 0.001  # [s] period at which the published program reads its wheels
LONGEST = 900.0  # maximum simulated seconds of an experiment
GOOD_LINE = LineQuality()


@dataclass(frozen=True, kw_only=True, slots=True)
class RobotErrors:
    """Differences of a robot from its data sheet, and of its start heading from the assumed one."""

    start_heading: float = 0.0  # [rad] true heading minus the heading that the robot assumes
    wheel_ratio: float = 1.0  # right wheel over left wheel
    wheel_separation: float = WHEEL_SEPARATION  # [m]
    wheel_diameter: float = WHEEL_DIAMETER  # [m] mean of both wheels


PERFECT = RobotErrors()
FITTED = RobotErrors(start_heading=-0.0663, wheel_ratio=1.00147, wheel_separation=0.0522, wheel_diameter=0.0404)
"""Fitted to the 25 published points of experiment 1: the errors that explain them best, not measurements."""


def apply_robot_errors(robot: RobotPlacement, errors: RobotErrors, heading: float = 0.0) -> RobotPlacement:
    """Return a robot with these errors; it assumes that it has a heading [rad]."""
    scale, ratio = errors.wheel_diameter / WHEEL_DIAMETER, errors.wheel_ratio
    return replace(
        robot,
        heading_deg=math.degrees(heading + errors.start_heading),
        wheel_diameter_error=(2 * scale / (1 + ratio) - 1, 2 * scale * ratio / (1 + ratio) - 1),
        wheel_separation_error=errors.wheel_separation / WHEEL_SEPARATION - 1,
    )


@dataclass(kw_only=True, slots=True)
class RobotRun:
    """The result of one robot's walk."""

    name: str
    walk: WalkResult
    link: LinkStatistics
    targets: list[Point]  # [m]
    positions: list[Point] = field(default_factory=list)  # true position after each completed order [m]
    path: list[Pose] = field(default_factory=list)  # every tenth of a second [m, rad]

    @property
    def errors(self) -> list[Point]:
        """True position minus target, for each completed order [m]."""
        done = [target for target, reached in zip(self.targets, self.walk.reached, strict=False) if reached]
        return [(x - tx, y - ty) for (x, y), (tx, ty) in zip(self.positions, done, strict=True)]

    @property
    def mean_errors(self) -> Point:
        """Mean absolute error along x and y [m]; NaN if no order was completed."""
        if not self.errors:
            return math.nan, math.nan
        x, y = zip(*self.errors, strict=True)
        return sum(map(abs, x)) / len(x), sum(map(abs, y)) / len(y)


@dataclass(kw_only=True, slots=True)
class OrdersRun:
    """The result of an experiment."""

    robots: dict[str, RobotRun]
    seconds: float  # simulated, until all walks had ended or were locked up
    locked: tuple[str, ...]  # robots in a deadlock: they and their host wait for each other
    unfinished: tuple[str, ...] = ()  # robots that were still running when the time was over


class OrdersSimulation:
    """Sessions of a host and robots of an arena with their firmware, with a serial line in each direction."""

    def __init__(self, arena: Arena, *, seed: int = 0) -> None:
        self.arena, self.seed = arena, seed
        self._parts: dict[str, tuple[RobotSession, OrderFirmware, SimulatedLine, SimulatedLine]] = {}
        self._runs: dict[str, RobotRun] = {}

    def add(
        self,
        plan: RobotPlan,
        firmware: OrderFirmware,
        quality: LineQuality = GOOD_LINE,
        *,
        checked: bool = True,
        patient: bool = False,
    ) -> None:
        """Add a session that sends a robot of the arena to its targets; see `RobotSession` and `OrderFirmware`."""

        def note(event: OrderEvent) -> None:
            if event.kind == "done":
                self._runs[plan.name].positions.append(self.arena[plan.name].pose[:2])

        number = len(self._parts)
        session = RobotSession(
            plan, self.arena.time, session=self.seed + 1, checked=checked, patient=patient, on_event=note
        )
        lines = [SimulatedLine(quality, seed=self.seed, key=2 * number + i) for i in (0, 1)]
        lines[1].send(firmware.welcome(), self.arena.time)
        self._parts[plan.name] = session, firmware, lines[0], lines[1]
        self._runs[plan.name] = RobotRun(
            name=plan.name, walk=session.result, link=session.statistics, targets=list(plan.targets)
        )

    def run(self, longest: float = LONGEST) -> OrdersRun:
        """Run the simulation until all walks have ended."""
        arena, ticks_per_row = self.arena, max(1, round(0.1 / self.arena.dt))
        end = arena.on_tick(self._tick)
        try:
            while arena.time < longest and not self._is_over():
                if arena.tick % ticks_per_row == 0:
                    for name, run in self._runs.items():
                        run.path.append(arena[name].pose)
                arena.step()
        finally:
            end()
        locked = tuple(name for name in self._parts if self._is_locked(name))
        under_way = (name for name, (session, *_) in self._parts.items() if not session.over)
        unfinished = tuple(name for name in under_way if name not in locked)
        return OrdersRun(robots=self._runs, seconds=arena.time, locked=locked, unfinished=unfinished)

    def _tick(self) -> None:
        now = self.arena.time
        for session, firmware, down, up in self._parts.values():
            if not up.empty and (data := up.receive(now)):
                session.receive(data, now)
            if now >= session.deadline:
                session.wake(now)
            if session.wants_reopening:
                session.note_reopened(now)
            down.send(session.take_output(), now)
            if not down.empty and (data := down.receive(now)):
                firmware.receive(data)
            up.send(firmware.tick(), now)

    def _is_over(self) -> bool:
        """Return whether all walks have ended or are locked up."""
        return all(session.over or self._is_locked(name) for name, (session, *_) in self._parts.items())

    def _is_locked(self, name: str) -> bool:
        session, firmware, down, up = self._parts[name]
        return not session.over and session.deadline == math.inf and firmware.idle and down.empty and up.empty


def run_experiment_1(*, errors: RobotErrors = FITTED, mode: str = "legacy", dt: float = LEGACY_DT) -> OrdersRun:
    """Run one robot with 25 orders on an open floor: the published start is nearer to the walls than a robot's radius.

    Args:
        errors: errors of the robot; by default those fitted to the published points.
        mode: "legacy" or "checked".
        dt: length of a tick [s].
    """
    start, name = published.START_1, published.ROBOT_1
    robot = apply_robot_errors(
        RobotPlacement(name=name, type="e-puck-nose", at=(start.x, start.y)), errors, start.heading
    )
    world = WorldSpec(name="open-floor", bounds=(-0.5, -0.5, 2.0, 1.5), open=True, robots=(robot,))
    arena = paddock.open(world, dt=dt)
    plan = RobotPlan(
        name=name, start=start, threshold=published.THRESHOLD_1, targets=published.to_metres(published.TARGETS_1)
    )
    firmware = OrderFirmware(SimulatedHardware(arena, name), dt, knows_checked=mode == "checked")
    simulation = OrdersSimulation(arena)
    simulation.add(plan, firmware, checked=mode == "checked")
    return simulation.run()


def run_experiment_2(
    *,
    mode: str = "checked",
    seed: int = 0,
    quality: LineQuality | Mapping[str, LineQuality] = GOOD_LINE,
    patient: bool = False,
    dt: float | None = None,
    longest: float = LONGEST,
) -> OrdersRun:
    """Run three robots at once, with 25 orders each.

    Args:
        mode: "legacy": robots without checked mode; "checked": robots and a host that use it.
        seed: seed of the lines and of the sensors.
        quality: quality of all lines, or of each robot's line by its name; the same in both directions.
        patient: use the host of 2012, which has no time-outs.
        dt: length of a tick [s]; None: 0.005, or 0.001 in legacy mode, as in the published program.
        longest: simulated seconds after which the experiment ends.
    """
    world = load_world("petri-dish")
    dt = dt or (LEGACY_DT if mode == "legacy" else 0.005)
    robots = [apply_robot_errors(robot, PERFECT) for robot in world.robots]
    arena = paddock.open(world.with_robots(*robots), seed=seed, dt=dt)
    simulation = OrdersSimulation(arena, seed=seed)
    for name, targets in published.TARGETS_2.items():
        firmware = OrderFirmware(SimulatedHardware(arena, name), dt, knows_checked=mode == "checked")
        plan = RobotPlan(
            name=name,
            start=published.STARTS_2[name],
            threshold=published.THRESHOLDS_2[name],
            targets=published.to_metres(targets),
        )
        chosen = quality if isinstance(quality, LineQuality) else quality.get(name, GOOD_LINE)
        simulation.add(plan, firmware, chosen, checked=mode == "checked", patient=patient)
    return simulation.run(longest)


def mean_errors_in_cm(run: RobotRun) -> Point:
    """Return the mean absolute error along x and y [cm], as published."""
    x, y = run.mean_errors
    return x / CM, y / CM
