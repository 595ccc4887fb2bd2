"""Robots of a world that drive to points on orders, behind serial devices. Their programs run with its ticks."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from paddock.arena import Arena
from paddock.arena.episode_robot import has_left
from paddock.arena.robot import Robot
from paddock.bridges.base import Bridge
from paddock.bridges.epuck import SimulatedHardware
from paddock.control.avoidance import AVOIDANCE, ObstacleAvoidance, find_avoidance
from paddock.core.chance import chance
from paddock.core.errors import PaddockError, UnknownName
from paddock.epuck.emulator.hardware import EPuckHardware
from paddock.epuck.emulator.server import EmulatorServer
from paddock.orders import AvoidanceStrategy, OrderFirmware, SteeredAvoidance
from paddock.protocol.messages import OrderState

log = logging.getLogger("paddock.orders")
ALL, CHECKED, LEGACY = "all", "checked", "legacy"
DISTAL = "distal"  # what the robot's own program does
MakeStrategy = Callable[[], AvoidanceStrategy]


class OrderRobots(Bridge):
    """Robots with the firmware for orders, for the lifetime of a `with` block. Time is the arena's."""

    def __init__(
        self,
        arena: Arena,
        robots: Mapping[str, bool],
        *,
        avoidance: MakeStrategy | Mapping[str, MakeStrategy] | None = None,
        hardware: Callable[[Arena, str], EPuckHardware] = SimulatedHardware,
    ) -> None:
        """
        Args:
            arena: where the robots are.
            robots: whether a robot knows checked mode, by its name.
            avoidance: makes a strategy for each robot in checked mode, or for those that it names; None: as published.
            hardware: makes the motors and sensors of a robot.
        """
        self._arena, self._tick, self._server = arena, arena.tick, EmulatorServer()
        self.devices = self._server.devices  # paths of the serial devices by robot
        self.firmware: dict[str, OrderFirmware] = {}
        self._robots, self._handles = dict(robots), dict[str, Robot]()
        try:
            for name, checked in robots.items():
                make = avoidance.get(name) if isinstance(avoidance, Mapping) else avoidance
                strategy = make() if make else None
                firmware = OrderFirmware(hardware(arena, name), arena.dt, knows_checked=checked, avoidance=strategy)
                self._server.open_serial(name, firmware, greets_all=True)
                self.firmware[name], self._handles[name] = firmware, arena.robots.new_handle(name)
        except BaseException:
            self._server.close()
            raise
        self._end_ticks = arena.on_tick(self._run_programs)
        self._server.start()

    def _run_programs(self) -> None:
        """A tick has passed. Robots begin anew when the arena does; one that left the arena is silent from then on."""
        tick, before = self._arena.tick, self._tick
        self._tick = tick
        for name, firmware in list(self.firmware.items()):
            if has_left(self._handles[name]):  # another may have its name by now
                log.warning("%s has left the arena, and takes no more orders", name)
                del self.firmware[name]
                continue
            try:
                if tick <= before:
                    firmware.restart()
                sent = firmware.tick()
            except Exception:  # such as of a strategy that somebody is writing: time goes on for the others
                log.exception("%s: its program failed; it stands, and takes no more orders", name)
                del self.firmware[name]
                with contextlib.suppress(Exception):
                    firmware.abandon()
                continue
            if sent:
                self._server.send(name, sent)

    @property
    def connected(self) -> set[str]:
        """Robots whose device a host has open."""
        return self._server.connected

    def list_orders(self) -> list[OrderState]:
        """How each robot is; in the thread in which time passes."""
        connected = self.connected
        return [
            OrderState(
                robot=name,
                mode=firmware.mode.name,
                connected=name in connected,
                order=firmware.order_under_way,
                done=firmware.orders_carried_out,
                moving_time=firmware.motion.moving_time,
                detections=firmware.driver.detections,
            )
            for name, firmware in self.firmware.items()
        ]

    def describe(self) -> Iterator[str]:
        """Where each robot is."""
        for name, device in self.devices.items():
            kind = "" if self._robots[name] else " without checked mode"
            yield f"{name}: takes orders{kind} at {device}   (orders://{device})"

    def close(self) -> None:
        """The devices vanish."""
        self._end_ticks()
        self._server.close()


def open_order_robots(arena: Arena, robots: Sequence[str], host: str) -> OrderRobots:
    """The bridge `orders`: robots as `name`, `name=legacy`, `name=planning` or `all`. They are on this machine only."""
    wanted: dict[str, bool] = {}
    avoidance: dict[str, MakeStrategy] = {}
    for text in robots:
        name, _, kind = text.partition("=")
        steering = _find_steering(text, kind)
        if name != ALL and name not in arena.numbers:
            raise UnknownName("robot", name, [*arena.numbers, ALL])
        for robot in arena.numbers if name == ALL and ALL not in arena.numbers else [name]:
            if robot in wanted:
                raise PaddockError(f"orders {text}: robot {robot!r} was to take orders twice")
            wanted[robot] = kind != LEGACY
            if steering is not None:
                avoidance[robot] = partial(_steer, steering, arena.seed, robot)
    return OrderRobots(arena, wanted, avoidance=avoidance)


def _find_steering(text: str, kind: str) -> type[ObstacleAvoidance] | None:
    """What steers a robot around obstacles; None: its own program does, as published."""
    if "=" not in text or kind in (CHECKED, LEGACY, DISTAL):
        return None
    if kind not in AVOIDANCE and ":" not in kind:
        raise UnknownName(f"mode or avoidance (orders {text})", kind, [CHECKED, LEGACY, *AVOIDANCE])
    return find_avoidance(kind)


def _steer(kind: type[ObstacleAvoidance], seed: int, robot: str) -> AvoidanceStrategy:
    return SteeredAvoidance(kind(chance=lambda key: chance(seed, robot, key)))
