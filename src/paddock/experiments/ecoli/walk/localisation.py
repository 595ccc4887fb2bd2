"""Experiment 1 with better localisation: the same 25 targets and the same robot errors, with calibration and a camera.

The robot has the errors that were fitted to the published table: its start heading is off by 3.8°, its wheels differ by
0.147 %, and both the wheels and their separation are smaller than in the data sheet. No noise is added to the end
points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

import paddock
from paddock.arena import Arena, Robot, make_travel_sensors
from paddock.arena.calibration import SquareTest, drive_squares, drive_straight
from paddock.arena.episodes import Episode, Trace
from paddock.core.geometry import Pose, relative, wrap
from paddock.core.observation import Observation, Picture, WheelSpeeds
from paddock.experiments.ecoli.overhead_camera import OverheadCamera, OverheadSpec
from paddock.experiments.ecoli.walk import published
from paddock.experiments.ecoli.walk.orders_runs import FITTED, RobotErrors, apply_robot_errors
from paddock.experiments.ecoli.walk.walk_camera import calibrate_camera
from paddock.perception.estimation import (
    EKF,
    Estimate,
    FixModel,
    Localiser,
    MotionNoise,
    PoseFix,
    SensorModel,
    WheelCalibration,
    consistency_band,
    normalised_errors,
)
from paddock.perception.estimation.odometry import Floats
from paddock.perception.vision import MarkerTracker, find_camera_pose, find_markers
from paddock.perception.vision.opencv import decode_jpeg
from paddock.simulation.worlds.world_spec import RobotPlacement, WorldSpec

SIZE = (1280, 960)
LATENCY, PERIOD = 0.08, 0.1  # [s] from exposure to arrival, and between two pictures
ALIKE = 1.0  # [s] correlation time: the errors of a calibrated camera depend on the position, not on time
NAME, START = published.ROBOT_1, published.START_1
TARGETS = published.to_metres(published.TARGETS_1)
SLIP = 0.01  # of a wheel's travel in a tick
MAX_SECONDS = 600.0
FixSource = Callable[[float], Iterable[PoseFix]]
NEES_BAND = consistency_band(1)  # contains NEES 95 % of the time if the filter is consistent

# The filter's assumptions about its start and its wheels.
START_COVARIANCE = np.diag([0.005, 0.005, math.radians(5.0)]) ** 2
MOTION = MotionNoise(slip=SLIP, wheel=2e-7, turn=2e-5, count=0.041 * math.pi / 1000)


class TargetWalk:
    """A controller: drives to one target after the other with a localiser, slowly at the end, and corrects there."""

    TURN, DRIVE = 3.0, 3.0  # gains [1/s]
    AIMED, THERE, CLOSE = math.radians(1.0), 0.0003, 0.0015  # tolerances: [rad], [m] along the heading, [m] in total
    REST = 0.4  # [s] stop at a target, to receive camera fixes
    TRIES = 4

    def __init__(self, robot: Robot, localiser: Localiser, targets: Sequence[tuple[float, float]]) -> None:
        self.localiser, self.targets = localiser, targets
        drive = robot.spec.drive
        self._separation, self._fastest = drive.wheel_separation, 0.8 * drive.max_speed  # 800 steps/s
        self._slowest = 0.003  # [m/s]
        self.arrivals: list[float] = []  # estimated arrival time at each target [s]
        self.log: list[tuple[float, Estimate]] = []
        self._aiming, self._rested, self._tries = True, 0.0, 0
        self._time = 0.0
        self.done, self.reason = False, ""

    @property
    def estimate(self) -> Estimate:
        """Estimated pose."""
        return self.localiser.estimate

    @property
    def task(self) -> str:
        """Name of the current target; empty at the end."""
        return "" if self.done else f"target {len(self.arrivals)}"

    def act(self, observation: Observation) -> WheelSpeeds:
        """Return the wheel speeds for one observation."""
        passed, self._time = observation.time - self._time, observation.time
        estimate = self.localiser.update(observation, observation.time)
        self.log.append((observation.time, estimate))
        if self.done:
            return WheelSpeeds(0.0, 0.0)
        return self._approach(estimate.pose, passed)

    def _approach(self, pose: Pose, passed: float) -> WheelSpeeds:
        x, y = self.targets[len(self.arrivals)]
        dx, dy = x - pose.x, y - pose.y
        along = dx * math.cos(pose.heading) + dy * math.sin(pose.heading)
        off = wrap(math.atan2(dy, dx) - pose.heading)
        if self._rested > 0 or (not self._aiming and along < self.THERE):
            return self._rest(math.hypot(dx, dy), passed)
        if self._aiming:
            self._aiming = abs(off) > self.AIMED
            turn = self.TURN * abs(off) * self._separation / 2
            wheel = math.copysign(min(0.3 * self._fastest, max(self._slowest, turn)), off)
            return WheelSpeeds(-wheel, wheel)
        speed = min(self._fastest, max(self._slowest, self.DRIVE * along))
        half = self.TURN * (off if along > 0.01 else 0.0) * self._separation / 2
        return WheelSpeeds(speed - half, speed + half)

    def _rest(self, distance: float, passed: float) -> WheelSpeeds:
        """Stop for some time; then accept the arrival, or drive the remaining distance by the last fixes."""
        self._rested += passed
        if self._rested >= self.REST:
            self._rested, self._aiming, self._tries = 0.0, True, self._tries + 1
            if distance < self.CLOSE or self._tries == self.TRIES:
                self._tries = 0
                self.arrivals.append(self._time)
                self.done = len(self.arrivals) == len(self.targets)
                self.reason = "all targets are reached" if self.done else ""
        return WheelSpeeds(0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class CameraErrorModel:
    """Parameters of an overhead camera."""

    latency: float = 0.08  # [s] from exposure to arrival
    period: float = 0.1  # [s] between two pictures
    sigmas: tuple[float, float, float] = (0.001, 0.001, math.radians(1.0))  # [m, m, rad]
    dropped: float = 0.1  # fraction of pictures without a robot
    outliers: float = 0.05  # fraction of poses with a large error
    far: float = 0.2  # [m] standard deviation of large errors


class SimulatedCamera:
    """Measures a simulated robot from above, with latency, noise, gaps and outliers. Call it once per tick."""

    def __init__(self, robot: Robot, model: CameraErrorModel, seed: int) -> None:
        self.robot, self.model, self.seed = robot, model, seed
        self.outliers = 0
        self._pictures = 0
        self._under_way: list[PoseFix] = []

    def take_fixes(self, time: float) -> Iterable[PoseFix]:
        """Return the fixes received by a time [s]."""
        if time >= self._pictures * self.model.period - 1e-9:
            self._expose(time)
        ready = [fix for fix in self._under_way if fix.time_of_exposure + self.model.latency <= time + 1e-9]
        self._under_way = self._under_way[len(ready) :]
        return ready

    def _expose(self, time: float) -> None:
        random = np.random.default_rng(
            [self.seed, self._pictures]
        )  # one generator per picture, so that gaps do not affect other pictures
        self._pictures += 1
        lost, wrong = random.random(2)
        if lost < self.model.dropped:
            return
        sigmas = np.array(self.model.sigmas)
        x, y, heading = np.array(self.robot.pose) + sigmas * random.normal(size=3)
        if wrong < self.model.outliers:
            self.outliers += 1
            x, y = x + self.model.far * random.normal(), y + self.model.far * random.normal()
            heading = random.uniform(-math.pi, math.pi)
        self._under_way.append(PoseFix(time, float(x), float(y), wrap(float(heading)), np.diag(sigmas**2)))


class RenderedCamera:
    """Measures one robot of an arena with latency; lens and pose are calibrated from a board and floor markers."""

    def __init__(self, arena: Arena, robot: str, *, seed: int = 0) -> None:
        self._arena, self._robot = arena, robot
        self._camera = OverheadCamera(arena.world, OverheadSpec(size=SIZE), seed=seed)
        lens, site = calibrate_camera(self._camera, seed=seed).lens, self._camera.site
        markers = find_markers(self._take_picture(), [marker.marker for marker in site.floor])
        self._tracker = MarkerTracker(find_camera_pose(lens, site, markers, tolerance=3.0), site)
        self._pictures, self._under_way = 0, list[PoseFix]()

    def take_fixes(self, time: float) -> Iterable[PoseFix]:
        """Return the fixes received by a time [s]; call once per tick."""
        if time >= self._pictures * PERIOD - 1e-9:
            self._pictures += 1
            sightings = self._tracker.locate(self._take_picture(), time)
            self._under_way += [self._weaken(seen.fix) for seen in sightings if seen.robot == self._robot]
        ready = [fix for fix in self._under_way if fix.time_of_exposure + LATENCY <= time + 1e-9]
        self._under_way = self._under_way[len(ready) :]
        return ready

    def _weaken(self, fix: PoseFix) -> PoseFix:
        """Increase the covariance so that all pictures of a second have the information of one."""
        return replace(fix, covariance=fix.covariance * ALIKE / PERIOD)

    def _take_picture(self) -> Picture:
        return decode_jpeg(self._camera.take_jpeg(self._camera.look_at(self._arena)))


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
    robot = apply_robot_errors(
        RobotPlacement(name=NAME, type="e-puck", at=START[:2], slip_noise=SLIP), errors, START.heading
    )
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
    sensors = make_travel_sensors(robot.spec, START, MOTION)
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
