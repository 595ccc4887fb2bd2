"""Checks for every sensor kind and every robot, built-in or not. Each check raises AssertionError."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from paddock.arena import Arena
from paddock.core.spec import is_color
from paddock.core.toml import read_toml
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.robots.drives import DifferentialDrive
from paddock.simulation.robots.robot_spec import BodySpec
from paddock.simulation.sensors.appearance import Gauge, Rays, appearance_table
from paddock.simulation.sensors.camera import CameraSpec
from paddock.simulation.sensors.compass import CompassSpec
from paddock.simulation.sensors.sensor_spec import SensorSpec
from paddock.simulation.worlds.build import build
from paddock.simulation.worlds.world_spec import Border, Cylinder, Field, Light, RobotPlacement, Sound, WorldSpec

WITNESS = "witness_of_noise"


def check_sensor(sensor: SensorSpec) -> None:
    """Check a sensor: its table, its appearance, its readings, and that it does not change other sensors' noise.

    Its kind may be registered, or come from a file.
    """
    other = CompassSpec(name=WITNESS, noise=0.1)
    _check_appearance(sensor)
    _check_table(_robot_with(sensor))
    with_it, alone = _arena_with(_robot_with(other, sensor)), _arena_with(_robot_with(other))
    for arena in (with_it, alone):
        arena["it"].enable()
        arena["it"].drive(0.1, 0.5)
        arena.step(10)
    _check_readings(with_it)
    assert with_it["it"].device(WITNESS).read() == alone["it"].device(WITNESS).read(), (
        f"{sensor.kind}: this sensor changes the noise of other sensors of the robot"
    )


def check_robot(robot: str | Path | RobotSpec) -> None:
    """Check a robot: its table, its sensors, its readings, its maximum speed."""
    spec = robot if isinstance(robot, RobotSpec) else load_robot(robot)
    _check_table(spec)
    for sensor in spec.sensors:
        _check_appearance(sensor)
    arena = _arena_with(spec)
    arena["it"].enable()
    arena["it"].drive(0.1, 0.5)
    arena.step(50)
    _check_readings(arena)
    gain = math.inf if spec.drive.max_acceleration is None else spec.drive.max_acceleration * arena.dt
    arena.reset()
    arena["it"].wheels.set(spec.drive.max_speed, spec.drive.max_speed)
    arena.step(max(1, math.ceil(spec.drive.max_speed / gain)))
    speed = arena["it"].wheels.speeds.left
    assert math.isclose(speed, spec.drive.max_speed, rel_tol=1e-6), f"{spec.name}: its maximum speed is {speed} m/s"


def furnished_room(
    robot: str | RobotSpec, *, x: float = 1.5, heading_deg: float = 0.0, noise: bool = True
) -> WorldSpec:
    """Create a room of 3 × 2 m with walls of 0.8 m and an object for every kind of sensor; its robot is named `it`."""
    return WorldSpec(
        name="room",
        bounds=(0, 0, 3, 2),
        border=Border(height=0.8),
        cylinders=(Cylinder(at=(2.6, 1.6), radius=0.1, height=0.6),),
        lights=(Light(at=(0.3, 1.7)),),
        sounds=(Sound(at=(0.4, 0.3), amplitude=0.2),),
        fields=(Field(name="food", shape="radial", at=(2, 1), radius=1),),
        robots=(RobotPlacement(name="it", type=robot, at=(x, 1.0), heading_deg=heading_deg, noise=noise),),
    )


def _arena_with(robot: RobotSpec) -> Arena:
    return Arena(build(furnished_room(robot)), seed=3)


def _robot_with(*sensors: SensorSpec) -> RobotSpec:
    drive = DifferentialDrive(wheel_separation=0.1, wheel_diameter=0.04, max_speed=1.0)
    return RobotSpec(name="tester", body=BodySpec(radius=0.1, height=0.2), drive=drive, sensors=sensors)


def _check_table(robot: RobotSpec) -> None:
    if any(type(sensor).__module__ == "__main__" for sensor in robot.sensors):
        return  # reading its file would run the program again
    again = RobotSpec.from_table(read_toml(robot.to_toml()), folder=".")
    assert again == robot, f"{robot.name}: reading its own TOML gives another robot"


def _check_appearance(sensor: SensorSpec) -> None:
    look = appearance_table(sensor)
    assert is_color(look["color"]), f"{sensor.kind}: {look['color']!r} is not a colour"
    assert look["gauge"] in get_args(Gauge), f"{sensor.kind}: unknown gauge {look['gauge']!r}"
    assert look["rays"] in get_args(Rays), f"{sensor.kind}: unknown rays {look['rays']!r}"
    assert look["rays"] == sensor.look.rays, f"{sensor.kind}: only a sensor with a `range` has {sensor.look.rays}"
    assert look["low"] < look["high"], f"{sensor.kind}: the range of its gauge is {look['low']} to {look['high']}"
    if look["gauge"] not in ("scan", "image"):
        assert len(look["labels"]) == sensor.channels, f"{sensor.kind}: {look['labels']} for {sensor.channels} channels"


def _check_readings(arena: Arena) -> None:
    """Check that readings are finite, have the right shape, and repeat within a tick and after a restore."""
    robot = arena["it"]
    seen = robot.sense()
    for sensor in robot.spec.sensors:
        device = robot.device(sensor.name)
        reading = np.asarray(device.read())
        wanted = _shape(sensor)
        assert reading.shape == wanted, f"{sensor.name}: expected a reading of shape {wanted}, got {reading.shape}"
        assert np.isfinite(reading).all(), f"{sensor.name}: expected finite numbers, got {reading}"
        np.testing.assert_array_equal(reading, device.read(), err_msg=f"{sensor.name}: second reading differs")
        if not device.polled:
            np.testing.assert_array_equal(reading, getattr(seen, sensor.name), err_msg=f"{sensor.name} in sense()")
        if sensor.response or sensor.scale is not None:
            _check_raw(sensor, np.atleast_1d(device.raw()))
    snapshot, before = arena.snapshot(), {name: np.asarray(robot.device(name).read()) for name in robot.devices}
    arena.step(7)
    arena.restore(snapshot)
    for name, reading in before.items():
        np.testing.assert_array_equal(reading, robot.device(name).read(), err_msg=f"{name} after a restore")


def _check_raw(sensor: SensorSpec, raw: NDArray[Any]) -> None:
    assert raw.shape == (sensor.channels,), f"{sensor.name}: raw() has shape {raw.shape}"
    if sensor.response:
        low, high = sorted((sensor.response[0][1], sensor.response[-1][1]))
        assert ((raw >= min(low, sensor.nothing_raw)) & (raw <= max(high, sensor.nothing_raw))).all(), sensor.name


def _shape(sensor: SensorSpec) -> tuple[int, ...]:
    if isinstance(sensor, CameraSpec):
        return (sensor.height, sensor.width, 3)
    return () if sensor.channels == 1 and sensor.shows == "values" else (sensor.channels,)
