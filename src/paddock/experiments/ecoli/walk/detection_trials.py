"""Detections at random poses near walls, robots and a lamp, and the accuracy of each source of evidence."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import paddock
from paddock.arena import Robot, list_walls
from paddock.control.behaviours.avoidance import EPUCK_RING
from paddock.core.errors import PaddockError, SimulationError
from paddock.core.geometry import Point, Pose
from paddock.core.seeds import draw_uniform
from paddock.core.spec import rgb
from paddock.experiments.ecoli.obstacles import (
    CAUSES,
    AmbientLight,
    CameraPicture,
    Cause,
    Detection,
    ObstacleClassifier,
    RobotReports,
    WallMap,
    measure_sensitivity,
)
from paddock.experiments.ecoli.obstacles.obstacle_classifier import EvidenceSource
from paddock.experiments.ecoli.walk.orders_runs import FITTED, RobotErrors, apply_robot_errors
from paddock.report.tables import Table
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.world_spec import Light, WorldSpec

# Assumption: an e-puck that subtracts little of the ambient light. 1 W/m² is measured like a wall 2.6 cm away.
SENSITIVITY = 1500.0  # echo caused by 1 W/m² [1/m²]
LAMP = Light(at=(0.6, -0.25), height=0.3)  # assumption: next to the long wall, nearer to the path of e-puck_2481
NOISY = 0.9  # of the threshold: noise may have caused a detection from here on
# Two of the errors fitted to experiment 1 (e-puck_2479), for all three robots; those of the wheel sizes matter less.
ERRORS = RobotErrors(start_heading=FITTED.start_heading, wheel_ratio=FITTED.wheel_ratio)
POSE_ERROR, HEADING_ERROR = 0.005, 0.035  # standard deviations of estimated poses [m], [rad]
MAX_TRIALS = 100_000
CALIBRATION_LOOKS = 25


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """How often each cause was classified as which cause; the last column is `unknown`."""

    counts: tuple[tuple[int, ...], ...]  # by true and classified cause

    @classmethod
    def of(cls, pairs: Sequence[tuple[Cause, Cause | None]]) -> ConfusionMatrix:
        """Create the matrix from pairs of the true and the classified cause."""
        columns = (*CAUSES, None)
        return cls(tuple(tuple(sum(pair == (c, v) for pair in pairs) for v in columns) for c in CAUSES))

    def share_right(self, cause: Cause) -> float:
        """Return the fraction of the detections with a cause that were classified correctly; NaN without detections."""
        row = self.counts[CAUSES.index(cause)]
        return row[CAUSES.index(cause)] / sum(row) if sum(row) else math.nan

    @property
    def table(self) -> Table:
        """Table with a row for every true cause."""
        heads = ("true cause", *(f"classified: {cause}" for cause in CAUSES), "unknown", "correct")
        rows = [
            (cause, *map(str, row), self._format_share(cause)) for cause, row in zip(CAUSES, self.counts, strict=True)
        ]
        return Table(heads, tuple(rows))

    def _format_share(self, cause: Cause) -> str:
        share = self.share_right(cause)
        return "-" if math.isnan(share) else f"{100 * share:.1f} %"


def make_light_sensitive(robot: RobotSpec, sensitivity: float = SENSITIVITY) -> RobotSpec:
    """Return the robot with proximity sensors in which ambient light causes echoes."""
    sensors = tuple(
        replace(sensor, ambient=sensitivity) if isinstance(sensor, ProximitySpec) else sensor
        for sensor in robot.sensors
    )
    return replace(robot, sensors=sensors)


@functools.cache
def build_lit_dish(level: float, *, noise: bool = True, sensitivity: float = SENSITIVITY) -> WorldSpec:
    """Build the world `petri-dish` with a lamp next to it.

    Args:
        level: irradiance at 1 m from the lamp [W/m²]; 0: no lamp.
        noise: whether the robots' sensors and wheels have noise.
        sensitivity: of their proximity sensors to light [1/m²] per W/m².
    """
    world = load_world("petri-dish")
    kind = make_light_sensitive(load_robot("e-puck-nose"), sensitivity)
    robots = tuple(apply_robot_errors(replace(robot, type=kind, noise=noise), ERRORS) for robot in world.robots)
    lights = (replace(LAMP, intensity=level),) if level > 0 else ()
    return replace(world, name="lit-dish", lights=lights, robots=robots)


def make_sources(world: WorldSpec, sensitivity: float = SENSITIVITY) -> dict[str, EvidenceSource]:
    """Return the four sources of evidence, by name, for robots of a world with an assumed sensitivity to light."""
    return {
        "ambient": AmbientLight(sensitivity=sensitivity),
        "map": WallMap(walls=list_walls(world)),
        "link": RobotReports(),
        "camera": CameraPicture(
            floor=rgb(world.floor.color),
            wall=rgb(world.border.color),
            robots=[rgb(robot.color or "#000000") for robot in world.robots],
        ),
    }


def find_cause(poses: Mapping[str, Pose], robot: str, side: float, threshold: float) -> Cause:
    """Return the true cause of a detection, from counts in the dark without noise, with and without other robots."""
    dark = build_lit_dish(0.0, noise=False)
    if _count_in(dark, {robot: poses[robot]}, robot, side) > NOISY * threshold:
        return "wall"
    return "robot" if _count_in(dark, poses, robot, side) > NOISY * threshold else "light"


def _count_in(world: WorldSpec, poses: Mapping[str, Pose], robot: str, side: float) -> float:
    """Return the counts of a robot's two sensors on a side, for given poses of robots in a world."""
    placed = [
        replace(placed_robot, at=poses[name][:2], heading_deg=math.degrees(poses[name].heading))
        for placed_robot in world.robots
        if (name := placed_robot.name) in poses
    ]
    with paddock.open(world.with_robots(*placed), seed=0) as arena:
        arena[robot].enable("proximity")
        return EPUCK_RING.add_counts(arena[robot].proximity.read(), side)


def turn_to(pose: Pose, bearing: float) -> Pose:
    """Return the pose turned to the left by a bearing [rad]."""
    return pose._replace(heading=math.remainder(pose.heading + bearing, math.tau))


def list_positions(poses: Mapping[str, Pose], but: str) -> Sequence[Point]:
    """Return the positions of all robots except one."""
    return [pose[:2] for name, pose in poses.items() if name != but]


@dataclass(frozen=True, kw_only=True, slots=True)
class DetectionTrial:
    """Random detections: the pose of one robot is set near walls, near another robot, and in the light of a lamp."""

    each: int = 200  # detections of every cause
    level: float = 0.5  # of the lamp [W/m²] at 1 m
    threshold: float = 480.0
    sensitivity: float = SENSITIVITY  # of the robots to light [1/m²] for each W/m²
    seed: int = 0

    @property
    def world(self) -> WorldSpec:
        """World of the trial."""
        return build_lit_dish(self.level, sensitivity=self.sensitivity)


def sample_detections(trial: DetectionTrial) -> list[tuple[Cause, Detection]]:
    """Sample detections at random poses, with their true causes; the same number of every cause."""
    world = trial.world
    mine, other = world.robots[0].name, world.robots[1].name
    wanted = dict.fromkeys(CAUSES, trial.each)
    found: list[tuple[Cause, Detection]] = []
    with paddock.open(world.with_robots(*world.robots[:2]), seed=trial.seed) as arena:
        robot = arena[mine]
        robot.enable("proximity", "light", "camera")
        for number in range(MAX_TRIALS):
            if not wanted[CAUSES[number % 3]]:
                continue
            draw = partial(draw_uniform, trial.seed, "detections", number)
            try:
                arena[other].set_pose(0.3 + 1.4 * draw("x"), 0.2 + 0.6 * draw("y"), math.tau * draw("turn"))
                robot.set_pose(*choose_pose(arena[other].pose, CAUSES[number % 3], draw))
            except SimulationError:  # no room there
                continue
            arena.step()  # every tick has different noise
            poses = {name: handle.pose for name, handle in arena.robots.items()}
            distances = robot.proximity.read().tolist()
            side = EPUCK_RING.find_obstacle(distances, trial.threshold)
            cause = find_cause(poses, mine, side, trial.threshold) if side else None
            if cause is not None and wanted[cause] > 0:
                wanted[cause] -= 1
                found.append((cause, _describe(robot, poses, distances, side, trial.threshold, draw)))
            if not any(wanted.values()):
                return found
    lacking = ", ".join(f"{count} of {cause}" for cause, count in wanted.items() if count)
    raise PaddockError(f"DetectionTrial: {lacking} not found in {MAX_TRIALS} trials: try another level or threshold")


def choose_pose(other: Pose, cause: Cause, draw: Callable[[str], float]) -> Pose:
    """Choose a pose at which a detection with a cause is likely."""
    gap, off = 0.038 + 0.035 * draw("gap"), 1.6 * (draw("off") - 0.5)
    if cause == "wall":
        along, wall = 0.1 + 1.8 * draw("along"), int(4 * draw("wall"))
        x, y = ((along, gap), (along, 1.0 - gap), (gap, along / 2), (2.0 - gap, along / 2))[wall]
        return Pose(x, y, (-math.pi / 2, math.pi / 2, math.pi, 0.0)[wall] + off)
    if cause == "robot":
        angle, away = math.tau * draw("angle"), 0.037 + gap
        return Pose(other.x - away * math.cos(angle), other.y - away * math.sin(angle), angle + off)
    x, y = 0.1 + 1.8 * draw("x of mine"), 0.1 + 0.8 * draw("y of mine")
    return Pose(x, y, math.atan2(LAMP.at[1] - y, LAMP.at[0] - x) + off)


def _describe(
    robot: Robot,
    poses: dict[str, Pose],
    distances: list[float],
    side: float,
    threshold: float,
    draw: Callable[[str], float],
) -> Detection:
    """Return the detection with uncertain poses; the picture is taken after the robot has turned to the detection."""

    def err(key: str, spread: float) -> float:
        return spread * (sum(draw(f"{key} {k}") for k in range(12)) - 6)  # approximately normal

    x, y, heading = poses[robot.name]
    light = robot.light.read().tolist()
    detection = Detection(distances=distances, side=side, threshold=threshold)
    robot.set_pose(*turn_to(poses[robot.name], EPUCK_RING.mounts[detection.sensor][2]))
    return replace(
        detection,
        pose=Pose(x + err("x", POSE_ERROR), y + err("y", POSE_ERROR), heading + err("heading", HEADING_ERROR)),
        light=light,
        others=[(u + err("u", POSE_ERROR), v + err("v", POSE_ERROR)) for u, v in list_positions(poses, robot.name)],
        picture=robot.camera.read(),
    )


def calibrate(trial: DetectionTrial) -> float:
    """Return the sensitivity to light that a robot of the trial measures at its start."""
    with paddock.open(trial.world, seed=trial.seed) as arena:
        robot = next(iter(arena.robots.values()))
        robot.enable("proximity", "light")
        looks = []
        for _ in range(CALIBRATION_LOOKS):
            arena.step()
            looks.append((robot.proximity.read().tolist(), robot.light.read().tolist()))
    distances, light = zip(*looks, strict=True)
    return measure_sensitivity(distances, light)


def confuse(trial: DetectionTrial | None = None) -> dict[str, ConfusionMatrix]:
    """Return the confusion matrix of each source of evidence alone, and of all together, by name.

    The sensitivity of a real robot to light is not exactly known. All sources together are therefore also evaluated
    with a sensitivity that is wrong by one fifth, and with the one that the robot measures itself.
    """
    trial = trial or DetectionTrial()
    found, sources = sample_detections(trial), make_sources(trial.world, trial.sensitivity)
    classifiers = {name: ObstacleClassifier(chosen) for name, chosen in sources.items()}
    for name, sensitivity in (
        ("all four", trial.sensitivity),
        ("all four, sensitivity 20 % too low", 0.8 * trial.sensitivity),
        ("all four, sensitivity 20 % too high", 1.2 * trial.sensitivity),
        ("all four, light calibrated", calibrate(trial)),
    ):
        classifiers[name] = ObstacleClassifier(*make_sources(trial.world, sensitivity).values())
    return {
        name: ConfusionMatrix.of([(cause, classifier.classify(detection).cause) for cause, detection in found])
        for name, classifier in classifiers.items()
    }
