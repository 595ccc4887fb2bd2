"""Detections at random poses near walls, robots and a lamp, and the accuracy of each source of evidence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import paddock
from paddock.arena import Robot
from paddock.control.behaviours.avoidance import EPUCK_RING
from paddock.core.errors import PaddockError, SimulationError
from paddock.core.geometry import Pose
from paddock.core.keyed_random import draw_uniform
from paddock.experiments.ecoli.obstacles import CAUSES, Cause, Detection, ObstacleClassifier, measure_sensitivity
from paddock.experiments.ecoli.walk.confusion import ConfusionMatrix
from paddock.experiments.ecoli.walk.lit_dish import (
    LAMP,
    SENSITIVITY,
    build_lit_dish,
    find_cause,
    make_sources,
    positions_of,
    turn_to,
)
from paddock.simulation.worlds.world_spec import WorldSpec

POSE_ERROR, HEADING_ERROR = 0.005, 0.035  # standard deviations of estimated poses [m], [rad]
MAX_TRIALS = 100_000
CALIBRATION_LOOKS = 25


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
        others=[(u + err("u", POSE_ERROR), v + err("v", POSE_ERROR)) for u, v in positions_of(poses, robot.name)],
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
