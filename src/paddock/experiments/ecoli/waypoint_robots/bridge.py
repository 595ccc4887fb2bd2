"""Robots of a world with the firmware for orders, behind serial devices. The firmware runs once per tick."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from paddock.arena import Arena
from paddock.arena.episode_robot import has_left
from paddock.arena.robot import Robot
from paddock.bridges.common.bridge import Bridge
from paddock.bridges.common.emulator_server import EmulatorServer
from paddock.bridges.epuck.bridge import SimulatedHardware
from paddock.bridges.epuck.emulator.hardware import EPuckHardware
from paddock.control.behaviours.avoidance import AVOIDANCE, ObstacleAvoidance, find_avoidance
from paddock.core.errors import PaddockError, UnknownName
from paddock.core.seeds import draw_uniform
from paddock.experiments.ecoli.waypoint_robots import AvoidanceStrategy, OrderFirmware, SteeredAvoidance
from paddock.network.protocol.messages import OrderState

log = logging.getLogger("paddock.orders")
ALL, CHECKED, LEGACY = "all", "checked", "legacy"
DISTAL = "distal"  # the avoidance of the robot's own program
MakeStrategy = Callable[[], AvoidanceStrategy]


class OrderRobots(Bridge):
    """Robots with the firmware for orders, for the lifetime of a `with` block. They use the arena's time."""

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
            arena: the arena that contains the robots.
            robots: whether each robot supports checked mode, by name.
            avoidance: creates the avoidance strategy of each robot in checked mode; or a mapping from robot names to
                such functions. None: the published avoidance.
            hardware: creates the motors and sensors of a robot.
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
                self._server.open_serial(name, firmware, greet_every_client=True)
                self.firmware[name], self._handles[name] = firmware, arena.robots.new_handle(name)
        except BaseException:
            self._server.close()
            raise
        self._end_ticks = arena.on_tick(self._run_programs)
        self._server.start()

    def _run_programs(self) -> None:
        """Run the firmware of each robot for a tick. Restart it after a reset; drop robots that have left the arena."""
        tick, before = self._arena.tick, self._tick
        self._tick = tick
        for name, firmware in list(self.firmware.items()):
            if has_left(self._handles[name]):  # another robot may have its name now
                log.warning("%s has left the arena and takes no more orders", name)
                del self.firmware[name]
                continue
            try:
                if tick <= before:
                    firmware.restart()
                sent = firmware.tick()
            except Exception:  # for example in a user's avoidance strategy; the other robots continue
                log.exception("%s: its program failed; it is stopped and takes no more orders", name)
                del self.firmware[name]
                with contextlib.suppress(Exception):
                    firmware.abandon()
                continue
            if sent:
                self._server.send(name, sent)

    @property
    def connected(self) -> set[str]:
        """Names of the robots whose serial device is open in a host program."""
        return self._server.connected

    def list_orders(self) -> list[OrderState]:
        """Return the state of each robot. Call it in the thread that advances time."""
        connected = self.connected
        return [
            OrderState(
                robot=name,
                mode=firmware.mode.name,
                connected=name in connected,
                order=firmware.current_order,
                done=firmware.orders_carried_out,
                moving_time=firmware.motion.moving_time,
                detections=firmware.driver.detections,
            )
            for name, firmware in self.firmware.items()
        ]

    def describe(self) -> Iterator[str]:
        """Yield the serial device of each robot."""
        for name, device in self.devices.items():
            kind = "" if self._robots[name] else " without checked mode"
            yield f"{name}: takes orders{kind} at {device}   (orders://{device})"

    def close(self) -> None:
        """Close the serial devices."""
        self._end_ticks()
        self._server.close()


def open_order_robots(arena: Arena, robots: Sequence[str], host: str) -> OrderRobots:
    """Open the bridge `orders=ROBOT|all[=KIND]`: a serial device of this machine for orders to drive to points.

    KIND is legacy (without checked mode), or the obstacle avoidance: planning, another one, module:Name.
    """
    wanted: dict[str, bool] = {}
    avoidance: dict[str, MakeStrategy] = {}
    for text in robots:
        name, _, kind = text.partition("=")
        steering = _find_steering(text, kind)
        if name != ALL and name not in arena.numbers:
            raise UnknownName("robot", name, [*arena.numbers, ALL])
        for robot in arena.numbers if name == ALL and ALL not in arena.numbers else [name]:
            if robot in wanted:
                raise PaddockError(f"orders {text}: robot {robot!r} is listed twice")
            wanted[robot] = kind != LEGACY
            if steering is not None:
                avoidance[robot] = partial(_steer, steering, arena.seed, robot)
    return OrderRobots(arena, wanted, avoidance=avoidance)


def _find_steering(text: str, kind: str) -> type[ObstacleAvoidance] | None:
    """Return the obstacle avoidance of a robot. None: the published avoidance of its own program."""
    if "=" not in text or kind in (CHECKED, LEGACY, DISTAL):
        return None
    if kind not in AVOIDANCE and ":" not in kind:
        raise UnknownName(f"mode or avoidance (orders {text})", kind, [CHECKED, LEGACY, *AVOIDANCE])
    return find_avoidance(kind)


def _steer(kind: type[ObstacleAvoidance], seed: int, robot: str) -> AvoidanceStrategy:
    return SteeredAvoidance(kind(draw=lambda key: draw_uniform(seed, robot, key)))
