"""The robots of a local arena: their bodies, the mapping of handles by name, and teleporting several at once."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from paddock.arena.body import Body, RemovedBody
from paddock.arena.devices import Camera, Device
from paddock.arena.robot import Robot
from paddock.core.errors import SimulationError, UnknownName
from paddock.core.geometry import Pose, wrap
from paddock.core.motion import Motion, States
from paddock.core.observation import Observation, Readings, WheelSpeeds
from paddock.simulation.engine import state as column
from paddock.simulation.engine.model import FIRST_DEVICE, PAN, THIRD, TYPE

if TYPE_CHECKING:
    from paddock.arena.arena import Arena


class LocalBody(Body):
    """Reads and writes the arrays of an arena."""

    def __init__(self, arena: Arena, index: int) -> None:
        self.arena = arena
        self.name = arena.world.robots[index].name
        self.spec = arena.built.robots[index]
        self._depths: dict[str, NDArray[np.float64]] = {}
        self.bind(index)

    def bind(self, index: int) -> None:
        """Use a row of the arena's arrays. Rows change when robots are added or removed."""
        model = self.arena.model
        self.index = index
        self.first_device = int(model.types[int(model.robots[model.robot_variant[index], TYPE]), FIRST_DEVICE])
        self._command = self.arena.commands[0, index]
        self._third = column.COMMAND_PANS + int(model.robots[model.robot_variant[index], THIRD])

    @property
    def _row(self) -> Readings:
        with self.arena.mutex:
            row: Readings = self.arena.motion[self.index]
        return row

    def set_wheels(self, left: float, right: float, third: float = 0.0) -> None:
        if self.arena.recorder is not None:  # not during a tick, so that the recorded command is the executed one
            with self.arena.mutex:
                self._write_command(self._command, left, right, third)
            return
        command = self._command
        self._write_command(command, left, right, third)
        if command is not self._command:  # another thread added or removed robots in the meantime
            self.set_wheels(left, right, third)

    def _write_command(self, command: Readings, left: float, right: float, third: float) -> None:
        command[column.COMMAND_LEFT] = left
        command[column.COMMAND_RIGHT] = right
        if self._third >= column.COMMAND_PANS:
            command[self._third] = third

    def set_pan(self, device: Device, angle: float) -> None:
        with self.arena.mutex:
            self.arena.commands[0, self.index, column.COMMAND_PANS + self._pan(device)] = angle

    def set_led(self, number: int, brightness: float) -> None:
        with self.arena.mutex:
            row = self._row
            row[len(row) - self.arena.built.led_count + number] = brightness

    def set_tone(self, frequency: float, amplitude: float) -> None:
        with self.arena.mutex:
            self._row[[column.FREQUENCY, column.AMPLITUDE]] = frequency, amplitude

    def switch(self, device: Device, on: bool) -> None:
        if on:
            camera = isinstance(device, Camera)
            self.arena.prepare_sensing(camera=self._get_depth(device) if camera else None)

    def poll_only(self, device: Device, on: bool) -> None:
        """Do nothing; `Robot.chosen` has this setting."""

    def set_pose(self, pose: Pose) -> None:
        place_robots(self.arena, {self.name: pose})

    def sense(self, robot: Robot) -> Observation:
        slots, length, mask, cameras = robot.chosen
        readings = np.empty(length)
        with self.arena.mutex:  # the row must not move between lookup and reading
            if slots:
                self.arena.read(self.index, mask, readings)
            pictures = {camera.name: self.picture(camera) for camera in cameras} if cameras else None
            return Observation(self.arena.time, readings, slots, pictures)

    def read(self, device: Device, *, raw: bool) -> Readings:
        only = np.zeros(len(device.robot.devices), np.uint8)
        only[device.number] = 1
        readings = np.empty(device.slot.last)
        with self.arena.mutex:
            self.arena.read(self.index, only, readings, raw=raw)
        return readings[device.slot.first :]

    def picture(self, camera: Camera) -> NDArray[np.uint8]:
        depth = self._get_depth(camera)
        picture = np.empty((*depth.shape, 3), np.uint8)
        with self.arena.mutex:
            self.arena.take_picture(self.index, self.first_device + camera.number, depth, picture)
        return picture

    def depth(self, camera: Camera) -> NDArray[np.float64]:
        with self.arena.mutex:
            self.picture(camera)
            return self._get_depth(camera).copy()

    def _get_depth(self, device: Device) -> NDArray[np.float64]:
        assert isinstance(device, Camera)
        if device.name not in self._depths:
            self._depths[device.name] = np.empty((device.height, device.width))
        return self._depths[device.name]

    @property
    def pose(self) -> Pose:
        return Pose(*self._row[column.X : column.HEADING + 1].tolist())

    @property
    def contacts(self) -> tuple[float, ...]:
        row = self._row
        return tuple(row[column.BEARINGS : column.BEARINGS + int(row[column.CONTACTS])].tolist())

    @property
    def wheel_speeds(self) -> WheelSpeeds:
        return WheelSpeeds(*self._row[column.LEFT_SPEED : column.RIGHT_SPEED + 1].tolist())

    @property
    def command(self) -> WheelSpeeds:
        return WheelSpeeds(*self._command[:2].tolist())

    def motion(self) -> Motion:
        with self.arena.mutex:  # not while another thread moves the robot
            row = self.arena.motion[self.index].tolist()
        wheels = WheelSpeeds(*row[column.LEFT_SPEED : column.RIGHT_SPEED + 1])
        return Motion(Pose(*row[column.X : column.HEADING + 1]), wheels, row[column.CONTACTS])

    def states(self, *, everyone: bool) -> States:
        with self.arena.mutex:
            rows = self.arena.motion
            return States(rows.copy(), self.index) if everyone else States(rows[self.index : self.index + 1].copy(), 0)

    def pan_angle(self, device: Device) -> float:
        return float(self._row[column.PANS + self._pan(device)])

    def _pan(self, device: Device) -> int:
        return int(self.arena.model.devices[self.first_device + device.number, PAN])

    @property
    def leds(self) -> tuple[float, ...]:
        row = self._row
        leds = row[len(row) - self.arena.built.led_count :][: len(self.spec.leds)]
        return tuple(leds.tolist())

    @property
    def tone(self) -> tuple[float, float]:
        row = self._row
        return float(row[column.FREQUENCY]), float(row[column.AMPLITUDE])


def place_robots(arena: Arena, poses: Mapping[str, Pose]) -> None:
    """Teleport robots and stop them. If the target pose of one of them is not free, none is moved."""
    with arena.mutex:
        room = arena.room(without=poses)
        for name, pose in poses.items():
            spec = arena.built.robots[arena.numbers[name]]
            if problem := room.problem(spec, pose):
                raise SimulationError(f"robot {name!r} cannot be moved to ({pose.x:g}, {pose.y:g}): it {problem}")
            room.add(spec, pose, f"robot {name!r}")
        for name, pose in poses.items():
            past = arena.state.motion[0, :, arena.numbers[name]]
            for columns in (slice(column.X, column.HEADING + 1), slice(column.ESTIMATE_X, column.ESTIMATE_HEADING + 1)):
                past[:, columns] = pose.x, pose.y, wrap(pose.heading)
            past[:, column.FORWARD : column.ACCELERATION + 1] = 0.0
            past[:, [column.LEFT_SPEED, column.RIGHT_SPEED, column.CONTACTS]] = 0.0
        arena.index()
        arena.on_change()
        for name, pose in poses.items():
            arena.note_event("teleport", name, f"moved by hand to ({pose.x:.3f}, {pose.y:.3f})")


class Robots(Mapping[str, Robot]):
    """Mapping of the robots of an arena by name. Handles are created on first access."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._handles: dict[str, Robot] = {}
        self._all: weakref.WeakSet[Robot] = weakref.WeakSet()

    def __getitem__(self, name: str) -> Robot:
        handle = self._handles.get(name) if isinstance(name, str) else None
        if handle is None:
            with self._arena.mutex:  # another thread may create the same handle, or remove the robot
                if isinstance(name, str) and name in self._handles:
                    return self._handles[name]
                handle = self._handles[name] = self.new_handle(name)
                handle.wheels.warns = True
        return handle

    def new_handle(self, name: str, body_class: type[LocalBody] | None = None) -> Robot:
        """Return another handle to a robot, with its own set of enabled devices; `body_class` may restrict commands."""
        with self._arena.mutex:  # another thread may be adding or removing robots
            numbers = self._arena.numbers
            if not isinstance(name, str) or name not in numbers:
                raise UnknownName("robot", name, numbers)
            handle = Robot(self._arena, (body_class or self._arena.body_class)(self._arena, numbers[name]))
            handle.wheels.warns = False  # the owner of the handle reports problems
            self._all.add(handle)
        return handle

    def __iter__(self) -> Iterator[str]:
        return iter(self._arena.numbers)

    def __len__(self) -> int:
        return len(self._arena.numbers)

    def rebind(self) -> None:
        """Update the rows of all handles and invalidate those of removed robots, after a change of robots or world."""
        numbers = self._arena.numbers
        for handle in list(self._all):
            assert isinstance(handle.body, LocalBody)
            if handle.name in numbers:
                self._bind(handle, handle.body, numbers[handle.name])
            else:
                handle.watches.end()
                handle.body = cast(Body, RemovedBody(handle.body))
                self._all.discard(handle)
                self._handles.pop(handle.name, None)

    def _bind(self, handle: Robot, body: LocalBody, row: int) -> None:
        if self._arena.built.robots[row] == body.spec:
            body.bind(row)
        else:  # in the new world, a robot of another type has this name
            handle.take_body(type(body)(self._arena, row))

    def __repr__(self) -> str:
        more = ", …" if len(self) > 12 else ""
        return f"<Robots {', '.join(islice(self, 12))}{more}>"
