"""Experiment 2 of the E. coli thesis with a lamp: the dish, its robots, their way-points, and what they really met."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import paddock
from paddock.control.avoidance import EPUCK_RING
from paddock.control.obstacles import AmbientLight, CameraPicture, Cause, RobotReports, WallMap
from paddock.control.obstacles.means import Means
from paddock.core.geometry import Point, Pose
from paddock.core.spec import rgb
from paddock.experiments.ecoli_walk.faulty_robot import FITTED, RobotErrors, place_faulty
from paddock.robots import RobotSpec, load_robot
from paddock.sensors.proximity import ProximitySpec
from paddock.worlds import load_world
from paddock.worlds.solids import solids
from paddock.worlds.spec import Light, WorldSpec

# assumed: an e-puck that subtracts little of the ambient light. 1 W/m² looks like a wall 2.6 cm away.
SENSITIVITY = 1500.0  # echo that 1 W/m² feigns [1/m²]
LAMP = Light(at=(0.6, -0.25), height=0.3)  # assumed: beside the long wall, nearer to where e-puck_2481 walks
NOISY = 0.9  # of the threshold: noise may have carried a detection over it
# Of the errors fitted to experiment 1 (e-puck_2479), for all three robots; their sizes matter less to what they meet.
ERRORS = RobotErrors(start_heading=FITTED.start_heading, wheel_ratio=FITTED.wheel_ratio)


def make_light_sensitive(robot: RobotSpec, sensitivity: float = SENSITIVITY) -> RobotSpec:
    """The same robot; ambient light feigns echoes to its proximity sensors."""
    sensors = tuple(
        replace(sensor, ambient=sensitivity) if isinstance(sensor, ProximitySpec) else sensor
        for sensor in robot.sensors
    )
    return replace(robot, sensors=sensors)


@functools.cache
def build_lit_dish(level: float, *, noise: bool = True, sensitivity: float = SENSITIVITY) -> WorldSpec:
    """The world `petri-dish` with a lamp beside it.

    Args:
        level: irradiance at 1 m from the lamp [W/m²]; 0: no lamp.
        noise: of the robots' sensors and wheels.
        sensitivity: of their proximity sensors to light [1/m²] for each W/m².
    """
    world = load_world("petri-dish")
    kind = make_light_sensitive(load_robot("e-puck-nose"), sensitivity)
    robots = tuple(place_faulty(replace(robot, type=kind, noise=noise), ERRORS) for robot in world.robots)
    lights = (replace(LAMP, intensity=level),) if level > 0 else ()
    return replace(world, name="lit-dish", lights=lights, robots=robots)


def list_walls(world: WorldSpec) -> NDArray[np.float64]:
    """All edges of a world as segments x0, y0, x1, y1 [m], shape (n, 4)."""
    return np.array([[*a, *b] for solid in solids(world) for a, b in solid.edges]).reshape(-1, 4)


def make_means(world: WorldSpec, sensitivity: float = SENSITIVITY) -> dict[str, Means]:
    """The four means to tell detections apart, for robots of this world, taken for so sensitive to light."""
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
    """What a detection really was: what is left of it in the dark, without noise, and without the other robots."""
    dark = build_lit_dish(0.0, noise=False)
    if _count_in(dark, {robot: poses[robot]}, robot, side) > NOISY * threshold:
        return "wall"
    return "robot" if _count_in(dark, poses, robot, side) > NOISY * threshold else "light"


def _count_in(world: WorldSpec, poses: Mapping[str, Pose], robot: str, side: float) -> float:
    """The counts of a robot's two sensors on a side, where these robots stand in a world."""
    placed = [
        replace(placed_robot, at=poses[name][:2], heading_deg=math.degrees(poses[name].heading))
        for placed_robot in world.robots
        if (name := placed_robot.name) in poses
    ]
    with paddock.open(world.with_robots(*placed), seed=0) as arena:
        arena[robot].enable("proximity")
        return EPUCK_RING.add_counts(arena[robot].proximity.read(), side)


def turn_to(pose: Pose, bearing: float) -> Pose:
    """The same place, looking that far to the left [rad]."""
    return pose._replace(heading=math.remainder(pose.heading + bearing, math.tau))


def positions_of(poses: Mapping[str, Pose], but: str) -> Sequence[Point]:
    """Where the other robots are."""
    return [pose[:2] for name, pose in poses.items() if name != but]
