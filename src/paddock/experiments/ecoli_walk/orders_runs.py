"""Both experiments of the publication: hosts and robots that exchange orders over lines, all in simulated time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import paddock
from paddock.arena import Arena
from paddock.bridges.epuck import SimulatedHardware
from paddock.core.geometry import Point, Pose
from paddock.experiments.ecoli_walk import published
from paddock.experiments.ecoli_walk.faulty_robot import FITTED, PERFECT, RobotErrors, place_faulty
from paddock.orders import (
    AvoidanceStrategy,
    LineQuality,
    LinkStatistics,
    OrderEvent,
    OrderFirmware,
    RobotPlan,
    RobotSession,
    SimulatedLine,
    WalkResult,
)
from paddock.orders.texts import CM
from paddock.worlds import load_world
from paddock.worlds.spec import Placed, WorldSpec

LEGACY_DT = 0.001  # [s] how often the published program looks at its wheels
LONGEST = 900.0  # simulated seconds of an experiment
GOOD_LINE = LineQuality()


@dataclass(kw_only=True, slots=True)
class RobotRun:
    """What came of one robot's walk."""

    name: str
    walk: WalkResult
    link: LinkStatistics
    targets: list[Point]  # [m]
    places: list[Point] = field(default_factory=list)  # where it really was after each order that was done [m]
    path: list[Pose] = field(default_factory=list)  # every tenth of a second [m, rad]

    @property
    def errors(self) -> list[Point]:
        """Where it really was less where it was to be, for each order that was done [m]."""
        done = [target for target, reached in zip(self.targets, self.walk.reached, strict=False) if reached]
        return [(x - tx, y - ty) for (x, y), (tx, ty) in zip(self.places, done, strict=True)]

    @property
    def mean_errors(self) -> Point:
        """Mean absolute error along x and y [m]; NaN where nothing was done."""
        if not self.errors:
            return math.nan, math.nan
        x, y = zip(*self.errors, strict=True)
        return sum(map(abs, x)) / len(x), sum(map(abs, y)) / len(y)


@dataclass(kw_only=True, slots=True)
class OrdersRun:
    """What came of an experiment."""

    robots: dict[str, RobotRun]
    seconds: float  # simulated, until all had ended or nothing could happen any more
    locked: tuple[str, ...]  # robots that wait for their host, which waits for them, for ever
    unfinished: tuple[str, ...] = ()  # robots that were still at it when time was over


class OrdersSimulation:
    """Sessions of a host, and robots of an arena with their firmware, with a line in each direction between them."""

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
        on_event: Callable[[OrderEvent], object] = lambda event: None,
    ) -> None:
        """Let a host walk a robot of the arena; see `RobotSession` and `OrderFirmware`."""

        def note(event: OrderEvent) -> None:
            if event.kind == "done":
                self._runs[plan.name].places.append(self.arena[plan.name].pose[:2])
            on_event(event)

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
        """Let time pass until all walks have ended."""
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
        """Whether nothing can happen any more."""
        return all(session.over or self._is_locked(name) for name, (session, *_) in self._parts.items())

    def _is_locked(self, name: str) -> bool:
        session, firmware, down, up = self._parts[name]
        return not session.over and session.deadline == math.inf and firmware.idle and down.empty and up.empty


def run_experiment_1(
    *,
    errors: RobotErrors = FITTED,
    mode: str = "legacy",
    quality: LineQuality = GOOD_LINE,
    seed: int = 0,
    dt: float = LEGACY_DT,
) -> OrdersRun:
    """One robot, 25 orders, on an open floor: the published start is nearer to the walls than a robot's radius.

    Args:
        errors: of the robot; by default those fitted to the published points.
        mode: "legacy" or "checked".
        quality: of both directions of the line.
        seed: of the line and of the sensors.
        dt: length of a tick [s].
    """
    start, name = published.START_1, published.ROBOT_1
    robot = place_faulty(Placed(name=name, type="e-puck-nose", at=(start.x, start.y)), errors, start.heading)
    world = WorldSpec(name="open-floor", bounds=(-0.5, -0.5, 2.0, 1.5), open=True, robots=(robot,))
    arena = paddock.open(world, seed=seed, dt=dt)
    plan = RobotPlan(
        name=name, start=start, threshold=published.THRESHOLD_1, targets=published.to_metres(published.TARGETS_1)
    )
    firmware = OrderFirmware(SimulatedHardware(arena, name), dt, knows_checked=mode == "checked")
    simulation = OrdersSimulation(arena, seed=seed)
    simulation.add(plan, firmware, quality, checked=mode == "checked")
    return simulation.run()


def run_experiment_2(
    *,
    mode: str = "checked",
    seed: int = 0,
    quality: LineQuality | Mapping[str, LineQuality] = GOOD_LINE,
    patient: bool = False,
    errors: RobotErrors = PERFECT,
    avoidance: Callable[[], AvoidanceStrategy] | None = None,
    world: WorldSpec | None = None,
    dt: float | None = None,
    longest: float = LONGEST,
) -> OrdersRun:
    """Three robots at once, 25 orders each.

    Args:
        mode: "legacy": robots that do not know checked mode; "checked": robots and a host that use it.
        seed: of the lines and of the sensors.
        quality: of all lines, or of each robot's by its name; both directions alike.
        patient: the host of 2012, which has no time-outs.
        errors: of all robots.
        avoidance: makes a strategy for each robot in checked mode; None: as published.
        world: another dish, for instance with lamps; it has the same robots.
        dt: length of a tick [s]; None: 0.005, or 0.001 in legacy mode, as the published program has it.
        longest: simulated seconds after which the experiment ends.
    """
    world = load_world("petri-dish") if world is None else world
    dt = dt or (LEGACY_DT if mode == "legacy" else 0.005)
    robots = [place_faulty(robot, errors) for robot in world.robots]
    arena = paddock.open(world.with_robots(*robots), seed=seed, dt=dt)
    simulation = OrdersSimulation(arena, seed=seed)
    for name, targets in published.TARGETS_2.items():
        firmware = OrderFirmware(
            SimulatedHardware(arena, name),
            dt,
            knows_checked=mode == "checked",
            avoidance=avoidance() if avoidance else None,
        )
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
    """Mean absolute error along x and y [cm], as published."""
    x, y = run.mean_errors
    return x / CM, y / CM
