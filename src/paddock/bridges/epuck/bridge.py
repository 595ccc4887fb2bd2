"""Emulated e-pucks: robots of a world behind serial devices and Wi-Fi ports, for programs that drive real e-pucks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress

import numpy as np

from paddock.arena import Arena
from paddock.arena.devices import Camera
from paddock.bridges.common.bridge import LOOPBACK, Bridge
from paddock.bridges.common.emulator_server import EmulatorServer
from paddock.bridges.common.scene_world import GuestBody
from paddock.bridges.epuck.emulator.emulated_robot import EmulatedEPuck
from paddock.bridges.epuck.emulator.serial_firmware import SerialFirmware
from paddock.bridges.epuck.emulator.wifi_firmware import WifiFirmware
from paddock.bridges.epuck.wire import packets
from paddock.bridges.epuck.wire.pixels import Pixels
from paddock.core.addresses import is_loopback
from paddock.core.argument_checks import HIGHEST_PORT
from paddock.core.errors import PaddockError, Refused, SimulationError, UnknownName, with_article
from paddock.simulation.robots import load_robot
from paddock.simulation.sensors.response import convert_to_raw

NEEDED = {"proximity": 8, "light": 8, "ground": 3, "accelerometer": 3, "encoders": 2}  # channels by device
KIND = "kind"


class SimulatedHardware:
    """A robot of an arena as the hardware of an e-puck's firmware: raw values, steps per second."""

    def __init__(self, arena: Arena, name: str, *, kind: str = "") -> None:
        """
        Args:
            arena: the arena that contains the robot.
            name: name of the robot.
            kind: "e-puck" or "e-puck2", the type that defines the raw values. Default: the robot's own type.
        """
        if name not in arena.numbers:
            raise UnknownName("robot", name, arena.numbers)
        self.arena, self.robot = arena, arena.robots.new_handle(name, GuestBody)
        spec, devices = self.robot.spec, self.robot.devices
        for device, channels in NEEDED.items():
            if device not in devices or devices[device].spec.channels != channels:
                raise SimulationError(
                    f"robot {name!r} is {with_article(spec.name)}, "
                    f"not an e-puck: it has no {device} with {channels} values"
                )
        self.kind = kind or ("e-puck2" if "tof" in devices else "e-puck")
        tables = {sensor.name: sensor for sensor in load_robot(self.kind).sensors}
        self._converted = {  # devices whose raw values are not those of this kind
            device: wanted
            for device, handle in devices.items()
            if (wanted := tables.get(device)) is not None
            and (handle.spec.response, handle.spec.scale) != (wanted.response, wanted.scale)
        }
        self.robot.enable(*(name for name, device in devices.items() if not isinstance(device, Camera)))
        self.robot.wheels.warns = False  # the firmware caps speeds without a warning
        self._step = spec.drive.speed_step or np.pi * spec.drive.wheel_diameter / 1000

    def hold_clock(self) -> AbstractContextManager[object]:
        return self.arena.mutex

    def read(self, device: str) -> tuple[int, ...]:
        handle = self.robot.devices.get(device)
        if handle is None:
            return ()
        wanted = self._converted.get(device)
        values = (
            handle.raw_values() if wanted is None else convert_to_raw(wanted, self.robot.body.read(handle, raw=False))
        )
        return tuple(map(round, values.tolist()))

    def read_heading(self) -> float | None:
        compass = self.robot.devices.get("compass")
        return None if compass is None else float(compass.read())

    def read_picture(self) -> Pixels | None:
        camera = self.robot.devices.get("camera")
        if not isinstance(camera, Camera):
            return None
        if not camera.enabled:
            camera.enable()
        return np.asarray(camera.read())

    def read_leds(self) -> Mapping[str, float]:
        return self.robot.leds.read()

    def set_speeds(self, left: int, right: int) -> None:
        with suppress(Refused):  # a client with a token has the robot; the firmware has no answer for that
            self.robot.wheels.set(left * self._step, right * self._step)

    def set_led(self, name: str, brightness: float) -> None:
        with suppress(Refused):
            self.robot.leds.set(name, brightness)

    def play_tone(self, frequency: float, amplitude: float) -> None:
        if not self.robot.spec.speaker:
            return
        with suppress(Refused):
            if amplitude > 0:
                self.robot.speaker.play(frequency, amplitude)
            else:
                self.robot.speaker.stop()


class EPuckEmulators(Bridge):
    """Emulators of several robots, for the lifetime of a `with` block. They do not advance time."""

    def __init__(
        self,
        arena: Arena,
        *,
        serial: Iterable[str] = (),
        wifi: Mapping[str, int] | None = None,
        kind: Collection[str] = (),
        host: str = LOOPBACK,
    ) -> None:
        """
        Args:
            arena: the arena that contains the robots.
            serial: names of robots that get a serial device.
            wifi: TCP ports of emulated e-puck2s on Wi-Fi, by robot name; 0 for any free port.
            kind: names of robots on Wi-Fi that send packets only on request and stop when their client disconnects.
                Others behave like a public copy of the firmware: they send packets without a request, and the wheels
                continue to turn.
            host: the address of those ports. The e-puck's protocols have no token authentication: any client that
                reaches a port can drive its robot. Use an address other than loopback only on a trusted network.
        """
        self.kinds: dict[str, str] = {}  # "e-puck" or "e-puck2", by the name of a robot with a serial device
        self._server = EmulatorServer()
        self.devices, self.addresses = self._server.devices, self._server.addresses
        try:
            for name in serial:
                robot = emulate(arena, name)
                self._server.open_serial(name, SerialFirmware(robot))
                self.kinds[name] = robot.kind
            for name, port in (wifi or {}).items():
                firmware = WifiFirmware(emulate(arena, name, kind="e-puck2"), kind=name in kind)
                self._server.listen(name, firmware, host, port)
        except BaseException:
            self.close()
            raise
        self._server.start()

    def describe(self) -> Iterator[str]:
        """Yield the address of each robot, and how access to it is protected."""
        for name, device in self.devices.items():
            yield f"{name}: an {self.kinds[name]} at {device}   (epuck://{device})"
        for name, (host, port) in self.addresses.items():
            guard = "" if is_loopback(host) else "   no token required: any client of this port can drive the robot"
            yield f"{name}: an e-puck2 at {host}, port {port}   (epuck2://{host}:{port}){guard}"

    def close(self) -> None:
        """Close all devices and ports."""
        self._server.close()


def emulate(arena: Arena, name: str, *, kind: str = "") -> EmulatedEPuck:
    """Return an emulated e-puck for a robot of an arena; see `SimulatedHardware`."""
    return EmulatedEPuck(SimulatedHardware(arena, name, kind=kind))


def open_serial_emulators(arena: Arena, robots: Sequence[str], host: str) -> EPuckEmulators:
    """Open the bridge `epuck-serial=ROBOT`: the robot as an e-puck on a serial device of this machine."""
    return EPuckEmulators(arena, serial=robots)


def open_wifi_emulators(arena: Arena, robots: Sequence[str], host: str) -> EPuckEmulators:
    """Open the bridge `epuck2=ROBOT[=PORT][,kind]`: the robot as an e-puck2 on Wi-Fi, by default at port 1000.

    With kind, it sends only when polled, and stops when its client disconnects.
    """
    ports: dict[str, int] = {}
    kind: set[str] = set()
    for text in robots:
        robot, comma, manner = text.partition(",")
        name, equals, port = robot.partition("=")
        if comma and manner != KIND:
            raise PaddockError(f"epuck2 {text}: expected {KIND!r} after the comma, got {manner!r}")
        if equals and not (port.isdecimal() and int(port) <= HIGHEST_PORT):
            raise PaddockError(
                f"epuck2 {text}: expected a robot's name, or name=port with a port from 0 to {HIGHEST_PORT}"
            )
        if name in ports:
            raise PaddockError(f"epuck2 {text}: robot {name!r} is listed twice")
        ports[name] = int(port) if equals else packets.PORT
        if comma:
            kind.add(name)
    return EPuckEmulators(arena, wifi=ports, kind=kind, host=host)
