"""Experiment 1 with better localisation: the same 25 targets and the same robot errors, with calibration and a camera.

The robot has the errors that were fitted to the published table: its start heading is off by 3.8°, its wheels differ by
0.147 %, and both the wheels and their separation are smaller than in the data sheet. No noise is added to the end
points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

import paddock
from paddock.arena import Arena, travel_sensors_of
from paddock.arena.calibration import SquareTest, drive_squares, drive_straight
from paddock.arena.episodes import Episode, Trace
from paddock.core.geometry import Pose, relative
from paddock.experiments.ecoli.walk import published
from paddock.experiments.ecoli.walk.faulty_robot import FITTED, RobotErrors, apply_robot_errors
from paddock.experiments.ecoli.walk.rendered_camera import RenderedCamera
from paddock.experiments.ecoli.walk.simulated_camera import CameraErrorModel, SimulatedCamera
from paddock.experiments.ecoli.walk.target_walk import TargetWalk
from paddock.perception.estimation import (
    EKF,
    FixModel,
    MotionNoise,
    PoseFix,
    SensorModel,
    WheelCalibration,
    consistency_band,
    normalised_errors,
)
from paddock.perception.estimation.odometry import Floats
from paddock.simulation.worlds.world_spec import Placed, WorldSpec

NAME, START = published.ROBOT_1, published.START_1
TARGETS = published.to_metres(published.TARGETS_1)
SLIP = 0.01  # of a wheel's travel in a tick
MAX_SECONDS = 600.0
FixSource = Callable[[float], Iterable[PoseFix]]
NEES_BAND = consistency_band(1)  # contains NEES 95 % of the time if the filter is consistent

# The filter's assumptions about its start and its wheels.
START_COVARIANCE = np.diag([0.005, 0.005, math.radians(5.0)]) ** 2
MOTION = MotionNoise(slip=SLIP, wheel=2e-7, turn=2e-5, count=0.041 * math.pi / 1000)


@dataclass(frozen=True, kw_only=True)
class WalkOutcome:
    """The result of a walk."""

    name: str
    wheels: WheelCalibration  # assumed by odometry
    reached: Floats  # true position at each target [m], shape (25, 2)
    nees: Floats  # of each tick
    time: Floats  # [s] of each tick
    episode: Episode
    refused: int = 0  # number of outliers rejected by the gate

    @property
    def trace(self) -> Trace:
        """Trace of the robot, with its estimated pose."""
        return self.episode.trace

    @property
    def errors(self) -> Floats:
        """Distance of each reached position from its target [m]."""
        off: Floats = np.linalg.norm(self.reached - np.array(TARGETS), axis=1)
        return off

    @property
    def mean_error(self) -> float:
        """Mean distance from the targets [m]."""
        return float(self.errors.mean())

    @property
    def share_in_band(self) -> float:
        """Fraction of the time with NEES in its band."""
        return NEES_BAND.share_inside(self.nees)


def faulty_robot_world(errors: RobotErrors = FITTED) -> WorldSpec:
    """Return an open floor with the robot of the experiment, with its true wheels."""
    robot = apply_robot_errors(Placed(name=NAME, type="e-puck", at=START[:2], slip_noise=SLIP), errors, START.heading)
    return WorldSpec(name="experiment-1", bounds=(-0.5, -0.7, 1.2, 1.2), robots=(robot,))


def calibrate_robot(world: WorldSpec, *, seed: int = 0) -> WheelCalibration:
    """Calibrate the robot of a world with UMBmark squares of 0.6 m and straight runs; rounds are averaged."""
    centre = replace(world.robots[0], at=(0.3, 0.2))
    arena = paddock.open(replace(world, robots=(centre,)), seed=seed)
    robot, draws = arena[NAME], iter(range(seed, seed + 1000))
    start = robot.pose

    def prepare(what: str) -> None:
        arena.reset(seed=next(draws))

    def measure(what: str) -> Pose:
        return relative(start, robot.pose)

    found = []
    wheels = WheelCalibration(robot.spec.drive.wheel_separation)
    for _ in range(2):
        wheels = drive_squares(arena, robot, wheels, SquareTest(0.6, 5), measure, prepare).correct(wheels)
        wheels = drive_straight(arena, robot, wheels, 0.6, measure, prepare)
        found.append(wheels)
    return WheelCalibration(*np.mean(found, axis=0).tolist())


def walk(
    name: str,
    wheels: WheelCalibration | None = None,
    *,
    camera: Callable[[Arena], FixSource] | None = None,
    errors: RobotErrors = FITTED,
    seed: int = 0,
) -> WalkOutcome:
    """Drive to all targets.

    Args:
        name: name of the run.
        wheels: wheels assumed by odometry; None: those of the data sheet.
        camera: creates the overhead camera, a function that returns the fixes received by a time; None: no camera.
        errors: errors of the robot.
        seed: determines all noise.
    """
    arena = paddock.open(faulty_robot_world(errors), seed=seed)
    robot = arena[NAME]
    robot.enable("encoders")
    sensors = travel_sensors_of(robot.spec, START, MOTION)
    if wheels is not None:
        sensors.odometry = replace(wheels.odometry(START), noise=MOTION)
    models: list[SensorModel] = [] if camera is None else [FixModel(camera(arena))]
    localiser = EKF(sensors, models, covariance=START_COVARIANCE)
    controller = TargetWalk(robot, localiser, TARGETS)
    episode = arena.run(MAX_SECONDS, controller, every=arena.dt)
    trace = episode.trace
    rows = np.searchsorted(trace.time, np.array(controller.arrivals) - 1e-9)
    ticks = min(len(controller.log), len(trace))
    return WalkOutcome(
        name=name,
        wheels=wheels or WheelCalibration(robot.spec.drive.wheel_separation),
        reached=trace.pose[rows, :2],
        nees=normalised_errors([estimate for _, estimate in controller.log[:ticks]], trace.pose[:ticks]),
        time=trace.time[:ticks],
        episode=episode,
        refused=sum(not step.accepted for step in localiser.innovations),
    )


def walk_with_improved_localisation(seed: int = 0) -> dict[str, WalkOutcome]:
    """Walk with data-sheet wheels, after calibration, with the correct start as well, and with an overhead camera."""
    wheels = calibrate_robot(faulty_robot_world(), seed=seed)
    aligned = replace(FITTED, start_heading=0.0)
    return {
        "nominal": walk("nominal wheels", seed=seed),
        "calibrated": walk("calibrated wheels", wheels, seed=seed),
        "start": walk("calibrated wheels, correct start", wheels, errors=aligned, seed=seed),
        "camera": walk("calibrated wheels and a camera", wheels, camera=see_with_noise(seed), seed=seed),
    }


def see_with_noise(seed: int) -> Callable[[Arena], FixSource]:
    """Return a factory of a simulated camera without pictures."""
    return lambda arena: SimulatedCamera(arena[NAME], CameraErrorModel(), seed).take_fixes


def walk_under_rendered_camera(seed: int = 0) -> WalkOutcome:
    """Walk with a camera whose pictures are rendered and measured, without access to the true pose."""
    wheels = calibrate_robot(faulty_robot_world(), seed=seed)
    return walk(
        "calibrated wheels and pictures",
        wheels,
        camera=lambda arena: RenderedCamera(arena, NAME, seed=seed).take_fixes,
        seed=seed,
    )
