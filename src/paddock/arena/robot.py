"""Robot: the handle to one robot of an arena."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import Body, PoseSource
from paddock.arena.devices import Camera, Device, Leds, Speaker, make_devices
from paddock.arena.observers import Watches
from paddock.core.argument_checks import all_finite, check_arguments, check_heading
from paddock.core.display import display_html
from paddock.core.errors import DeviceRefused, PaddockError, SimulationError, UnknownName, nearest, with_article
from paddock.core.geometry import Pose
from paddock.core.observation import Command, Observation, Slot, WheelSpeeds
from paddock.core.user_code import users_code, warn_user
from paddock.simulation.engine.model import OMNI
from paddock.simulation.robots.drives import AckermannDrive, Drive

if TYPE_CHECKING:
    from paddock.arena.base_arena import BaseArena


# Method to call instead of assigning to a part of a robot.
INSTEAD = {"wheels": "set(left, right)", "leds": "set(name, brightness)", "speaker": "play(frequency)"}

# Names that programs often use, and what robots have instead.
USUAL_NAMES = {
    **dict.fromkeys(("speed", "speeds", "velocity"), "wheels.speeds"),
    **dict.fromkeys(("set_speed", "set_speeds", "set_velocity", "set_wheels", "motors"), "wheels.set(left, right)"),
    **dict.fromkeys(("forward", "turn", "rotate"), "drive(linear, angular)"),
    **dict.fromkeys(("heading", "angle", "theta", "orientation"), "pose.heading"),
    "x": "pose.x",
    "y": "pose.y",
    "teleport": "set_pose(x, y, heading)",
    "sensors": "devices",
    "read": "sense()",
    "run": "arena.run(seconds)",
    "step": "arena.step()",
    "time": "arena.time",
}

FAR_BEYOND = 2.0  # times the maximum speed; a faster command is probably a mistaken unit


class Wheels:
    """The wheels of both sides. Speeds are at the rim and capped at the data sheet's maximum."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.limit_to(robot.spec.drive)
        self.capped = 0  # number of commands above it; set to 0 at the start of a run
        self.warns = True  # warn once per run of speeds that look like a mistaken unit
        self._warned = False

    def limit_to(self, drive: Drive) -> None:
        """Use the limits of a drive."""
        self.max_speed, self._most, self._third = drive.max_speed, drive.max_side_speed, drive.third

    def set(self, left: float, right: float, third: float = 0.0, *, author: Callable[..., Any] | None = None) -> None:
        """Set both speeds [m/s]; they stay until set again.

        `third` is the speed to the left of an omnidirectional drive [m/s], or the steering angle of a car [rad].
        `author` is the controller function that returned them.
        """
        most = self._most
        if third != 0.0:
            third = self._check_third(third)
        try:
            within = -most <= left <= most and -most <= right <= most
            left, right = float(left), float(right)
        except (OverflowError, TypeError, ValueError):
            within = False  # not numbers; refused below
        if not within:
            if not all_finite(left, right):
                raise PaddockError(
                    f"{self.robot.name}.wheels.set({left!r}, {right!r}): expected two finite speeds in m/s"
                )
            if self.count_capped(left, right, author):
                what = f"{self.robot.name}.wheels.set({left:g}, {right:g})"
                if author is not None:
                    what = f"the command ({left:g}, {right:g}) of the controller of {self.robot.name!r}"
                self.warn(what, "speeds are in m/s at the rim, not in mm/s or steps", author)
            left, right = min(most, max(-most, left)), min(most, max(-most, right))
        self.robot.body.set_wheels(left, right, third)

    def _check_third(self, third: float) -> float:
        """Return the third number of a command; raise if it is none, or if the drive has none."""
        if not all_finite(third):
            raise PaddockError(f"{self.robot.name}.wheels.set(…, {third!r}): expected a finite number")
        if not self._third:
            drive = with_article(f"{self.robot.spec.drive.kind} drive")
            raise DeviceRefused(f"{self.robot.name} has {drive}: its commands are two numbers, left and right")
        return float(third)

    def set_rad_s(self, left: float, right: float) -> None:
        """Set both speeds as turn rates of the wheels [rad/s]; they stay until set again."""
        if not all_finite(left, right):
            raise PaddockError(
                f"{self.robot.name}.wheels.set_rad_s({left!r}, {right!r}): expected two finite speeds in rad/s"
            )
        self.set(left * self._radius, right * self._radius)

    def count_capped(self, left: float, right: float, author: Callable[..., Any] | None = None) -> bool:
        """Count a capped command. Return True, once per run, if it looks like a mistaken unit in user code."""
        self._warned = self._warned and self.capped > 0
        self.capped += 1
        if self._warned or not self.warns or max(abs(left), abs(right)) <= FAR_BEYOND * self._most:
            return False
        self._warned = author is None or users_code(author) is not None
        return self._warned

    def warn(self, what: str, units: str, author: Callable[..., Any] | None = None) -> None:
        """Warn the user that a command is capped, with the units of speeds."""
        wheels = f"the wheels of {self.robot.name!r} turn at most at {self.max_speed:g} m/s"
        warn_user(f"{what} is capped: {wheels}; {units} (this warning is shown once per run)", author=author)

    @property
    def speeds(self) -> WheelSpeeds:
        """Actual wheel speeds [m/s]."""
        return self.robot.body.wheel_speeds

    @property
    def speeds_rad_s(self) -> WheelSpeeds:
        """Actual turn rates of the wheels [rad/s]."""
        return WheelSpeeds(*(speed / self._radius for speed in self.speeds))

    @property
    def commanded(self) -> WheelSpeeds:
        """Commanded wheel speeds [m/s], after capping; NaN while another client drives the robot instead."""
        return self.robot.body.command

    @property
    def _radius(self) -> float:
        return self.robot.spec.drive.wheel_diameter / 2


class SensedDevices(NamedTuple):
    """The devices that `sense` reads: enabled, and not polled only."""

    slots: dict[str, Slot]  # positions of their values in a row of readings
    length: int  # of that row
    mask: NDArray[np.uint8]  # one flag per device of the robot
    cameras: tuple[Camera, ...]


class Robot:
    """Handle to a robot: `robot.wheels`, `robot.leds`, and every sensor of its spec by name."""

    if TYPE_CHECKING:  # so that editors complete the devices of shipped robots; a robot has those of its spec
        accelerometer: Device
        back_laser: Device
        battery: Device
        bumper: Device
        camera: Camera
        compass: Device
        distance: Device
        encoders: Device
        front_laser: Device
        ground: Device
        gyroscope: Device
        inertial: Device
        infrared: Device
        ins: Device
        laser: Device
        light: Device
        line: Device
        microphone: Device
        microphones: Device
        nose: Device
        orientation: Device
        position: Device
        proximity: Device
        range: Device
        selector: Device
        sonar: Device
        temperature: Device
        tof: Device
        turret: Device
        vision: Camera

    def __init__(self, arena: BaseArena, body: Body) -> None:
        self.arena, self.body, self.name, self.spec = arena, body, body.name, body.spec
        self.wheels = Wheels(self)
        self.leds = Leds(self, self.spec.leds)
        if self.spec.speaker:
            self.speaker = Speaker(self)
        self.watches = Watches(self)
        self.lost_devices: dict[str, str] = {}  # devices of a former world, with the available ones
        self.devices = make_devices(self, self.spec.sensors)
        self.__dict__.update(self.devices)
        self.refresh()

    def take_body(self, body: Body, why: str = "") -> None:
        """Continue as a robot of another type with the same name. Devices that both types have keep their state.

        `why` is added to the error message on access to a device that no longer exists.
        """
        former = dict(self.devices)
        self.body, self.spec = body, body.spec
        self.wheels.limit_to(body.spec.drive)
        self.leds.names = body.spec.leds
        self.__dict__.pop("speaker", None)
        if body.spec.speaker:
            self.speaker = Speaker(self)
        self.devices = {
            name: device.replace(former.pop(name, None))
            for name, device in make_devices(self, body.spec.sensors).items()
        }
        self.__dict__.update(self.devices)  # without a gap, since other threads may access them
        for name, gone in former.items():
            gone.enabled = False
            self.__dict__.pop(name, None)
        lost = {*self.lost_devices, *former} - self.devices.keys()
        self.lost_devices = dict.fromkeys(lost, f"{' or '.join(self.devices) or 'none'}, {why}" if why else "")
        self.refresh()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "devices" not in self.__dict__:
            raise AttributeError(name)
        public = [attribute for attribute in dir(self) if not attribute.startswith("_")]
        meant = nearest(name, public, cutoff=0.75)
        expected = f"{self.name}.{USUAL_NAMES[name]}" if name in USUAL_NAMES else self.lost_devices.get(name, "")
        raise UnknownName(f"device of {self.name}", name, [meant] if meant else self.devices, expected=expected)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__ and (name in INSTEAD or name in self.devices):
            instead = INSTEAD.get(name, "read()")
            raise PaddockError(f"{self.name}.{name} cannot be replaced: call {self.name}.{name}.{instead}")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"<Robot {self.name} ({self.spec.name})>"

    def _repr_html_(self) -> str | None:
        return display_html("robot", self)

    def drive(self, linear: float, angular: float) -> None:
        """Drive with a twist: linear [m/s] and angular [rad/s] speed, both scaled down to the maximum wheel speed."""
        if not all_finite(linear, angular):
            raise PaddockError(
                f"{self.name}.drive({linear!r}, {angular!r}): "
                "expected finite linear and angular speeds in m/s and rad/s"
            )
        drive = self.spec.drive
        if isinstance(drive, AckermannDrive) and linear == 0.0 and angular != 0.0:
            raise DeviceRefused(
                f"{self.name}.drive(0, {angular:g}): a car cannot turn on the spot; it needs a linear speed"
            )
        left, right = WheelSpeeds.of_twist(linear, angular, drive.wheel_separation)
        fastest, most = max(abs(left), abs(right)), drive.max_side_speed
        if fastest > most:
            if self.wheels.count_capped(left, right):
                units = "speeds are in m/s and rad/s, not in mm/s or degrees"
                self.wheels.warn(f"{self.name}.drive({linear:g}, {angular:g})", units)
            shrink = most / fastest
            left, right = left * shrink, right * shrink
        self.wheels.set(left, right)

    def move(self, forward: float, sideways: float, angular: float = 0.0) -> None:
        """Move with an omnidirectional drive: speeds forward and to the left [m/s], and turn rate [rad/s]."""
        drive = self.spec.drive
        if drive.kinematics != OMNI:
            raise DeviceRefused(
                f"{self.name}.move: {with_article(drive.kind)} drive cannot move sideways; use drive(linear, angular)"
            )
        if not all_finite(forward, sideways, angular):
            raise PaddockError(
                f"{self.name}.move({forward!r}, {sideways!r}, {angular!r}): expected finite speeds in m/s and rad/s"
            )
        left, right = WheelSpeeds.of_twist(forward, angular, drive.wheel_separation)
        fit = min(1.0, drive.max_speed / max(1e-9, max(abs(left), abs(right)) + abs(sideways)))
        self.wheels.set(left * fit, right * fit, sideways * fit)

    def steer(self, speed: float, angle: float) -> None:
        """Drive a car: speed [m/s], and steering angle [rad], positive to the left."""
        if not isinstance(self.spec.drive, AckermannDrive):
            raise DeviceRefused(
                f"{self.name}.steer: {with_article(self.spec.drive.kind)} drive has no steered wheels; "
                "use drive(linear, angular)"
            )
        self.wheels.set(speed, speed, angle)

    def stop(self) -> None:
        """Stop all wheels."""
        self.wheels.set(0.0, 0.0)

    def apply(self, command: Any, author: Callable[..., Any] | None = None) -> None:
        """Execute the return value of a controller: wheel speeds, a Command, or None for no change.

        `author` is the controller function, for warnings.
        """
        if command is None:
            return
        try:
            wheels = self._apply_to_devices(command) if isinstance(command, Command) else command
            if wheels is None:
                return
            left, right, *third = (float(speed + 0.0) for speed in wheels)  # any type of number, but not str
            if len(third) > bool(self.spec.drive.third):
                raise ValueError(wheels)
        except PaddockError:
            raise
        except (AttributeError, LookupError, OverflowError, TypeError, ValueError):
            raise PaddockError(
                f"the controller of {self.name!r} returned {command!r}: "
                "expected (left, right) in m/s, a Command, or None"
            ) from None
        self.wheels.set(left, right, *third, author=author)

    def _apply_to_devices(self, command: Command) -> tuple[float, ...] | None:
        """Set pivots, LEDs and speaker, and return the wheel speeds."""
        for name, angle in command.pans.items():
            self.device(name).pan(angle)
        for name, brightness in command.leds.items():
            self.leds.set(name, brightness)
        if command.tone is not None:
            self.speaker.play(*command.tone) if command.tone[1] > 0 else self.speaker.stop()
        return command.wheels if command.wheels is None or not command.third else (*command.wheels, command.third)

    def device(self, name: str) -> Device:
        """Return the sensor with this name."""
        device = self.devices.get(name) if isinstance(name, str) else None
        if device is None:
            expected = self.lost_devices.get(str(name), "")
            raise UnknownName(f"device of {self.name}", name, self.devices, expected=expected)
        return device

    def enable(self, *names: str) -> None:
        """Enable the named devices, or all."""
        for device in [self.device(name) for name in names] or self.devices.values():
            device.enable()

    def disable(self, *names: str) -> None:
        """Disable the named devices, or all."""
        for device in [self.device(name) for name in names] or self.devices.values():
            device.disable()

    def refresh(self) -> None:
        """Update the devices that `sense` reads, after a device was enabled or disabled."""
        devices = [device for device in self.devices.values() if device.enabled and not device.polled]
        slots = {device.name: device.slot for device in devices if not isinstance(device, Camera)}
        mask = np.zeros(len(self.devices), np.uint8)
        mask[[device.number for device in devices]] = 1
        cameras = tuple(device for device in devices if isinstance(device, Camera))
        self.chosen = SensedDevices(slots, max((slot.last for slot in slots.values()), default=0), mask, cameras)

    def sense(self) -> Observation:
        """Read all enabled devices at once, except those that are polled only."""
        return self.body.sense(self)

    def watch(self, period: float = 0.1) -> None:
        """Read the enabled devices once per period of simulated time [s], for the observers of `on_sense`."""
        self.watches.every(period)

    def on_sense(self, observer: Callable[[Observation], object], *devices: str) -> Callable[[], None]:
        """Call `observer(observation)` with the changed devices, among the named ones or all.

        It is called at most once per period of `watch`, or every tick without one. Returns a function that ends it.
        """
        if not callable(observer):
            raise PaddockError(f"{self.name}.on_sense: expected a function that takes an observation, got {observer!r}")
        check_arguments(observer, f"{self.name}.on_sense", "observation")
        return self.watches.on_sense(observer, devices)

    @property
    def pose(self) -> Pose:
        """Current pose: x, y [m], heading [rad]. True pose of a simulated robot, odometry estimate of a real one."""
        return self.body.pose

    @property
    def pose_source(self) -> PoseSource:
        """Source of `pose`: "truth" in a simulation, "odometry" on a real robot."""
        return self.body.pose_source

    @property
    def contacts(self) -> tuple[float, ...]:
        """Bearings on the body [rad] of the contacts in the last tick."""
        return self.body.contacts

    def set_pose(self, x: float, y: float, heading: float = 0.0) -> None:
        """Teleport the robot to x, y [m], heading [rad]. A pose that is not free is refused."""
        if not all_finite(x, y, heading):
            raise SimulationError(
                f"robot {self.name!r} cannot be moved to ({x!r}, {y!r}, {heading!r}): expected finite numbers"
            )
        check_heading(f"robot {self.name!r} cannot be moved to ({x:g}, {y:g})", heading)
        self.body.set_pose(Pose(x, y, heading))

    # ---- methods of real robots, so that one program runs on both

    def version(self) -> str:
        """Return the firmware version of a real robot; here the type of the simulated one."""
        return f"simulated {self.spec.name}"

    def calibrate(self) -> None:
        """Calibrate a real robot's proximity sensors to read nothing at present; no effect on a simulated robot."""
        _ = self.body.sense  # raises if the robot was removed
