"""Experiment 2 of the E. coli thesis with a lamp: the dish, its robots, and the true causes of detections."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import paddock
from paddock.control.behaviours.avoidance import EPUCK_RING
from paddock.core.geometry import Point, Pose
from paddock.core.spec import rgb
from paddock.experiments.ecoli.obstacles import AmbientLight, CameraPicture, Cause, RobotReports, WallMap
from paddock.experiments.ecoli.obstacles.evidence import EvidenceSource
from paddock.experiments.ecoli.walk.faulty_robot import FITTED, RobotErrors, apply_robot_errors
from paddock.simulation.robots import RobotSpec, load_robot
from paddock.simulation.sensors.proximity import ProximitySpec
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.solids import solids
from paddock.simulation.worlds.world_spec import Light, WorldSpec

# Assumption: an e-puck that subtracts little of the ambient light. 1 W/m² is measured like a wall 2.6 cm away.
SENSITIVITY = 1500.0  # echo caused by 1 W/m² [1/m²]
LAMP = Light(at=(0.6, -0.25), height=0.3)  # assumption: next to the long wall, nearer to the path of e-puck_2481
NOISY = 0.9  # of the threshold: noise may have caused a detection from here on
# Two of the errors fitted to experiment 1 (e-puck_2479), for all three robots; those of the wheel sizes matter less.
ERRORS = RobotErrors(start_heading=FITTED.start_heading, wheel_ratio=FITTED.wheel_ratio)


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


def list_walls(world: WorldSpec) -> NDArray[np.float64]:
    """Return all edges of a world as segments x0, y0, x1, y1 [m], shape (n, 4)."""
    return np.array([[*a, *b] for solid in solids(world) for a, b in solid.edges]).reshape(-1, 4)


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


def positions_of(poses: Mapping[str, Pose], but: str) -> Sequence[Point]:
    """Return the positions of all robots except one."""
    return [pose[:2] for name, pose in poses.items() if name != but]
