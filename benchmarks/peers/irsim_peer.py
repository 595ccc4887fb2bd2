"""IR-SIM (PyPI ir-sim), with its rigid `contact` collisions and its own lidar2d.

Deviations: lidar2d has no angle per ray, so the 8 rays spread evenly over 315 degrees, and they
start at the robot's centre (their range is body radius + 0.1 m); the drive takes (forward, turn).
"""

import math
import tempfile
from pathlib import Path
from typing import Any

import irsim
import yaml
from scenario import (
    BEAMS,
    DT,
    DT_LASER,
    IR_RANGE,
    LASER_RANGE,
    OBSTACLE_RADIUS,
    PIONEER_RADIUS,
    PIONEER_SEPARATION,
    RADIUS,
    ROOM,
    ROOM_CENTRE,
    WHEEL_SEPARATION,
    Pose,
    Segment,
    Simulation,
    arena,
    avoid,
    avoid_laser,
    forward_and_turn,
    main,
    room,
)

SCAN_TO_IR = [3, 2, 1, 0, 7, 6, 5, 4]  # the scan runs right to left, ps0 .. ps7 clockwise


def swarm(robots: int) -> Simulation:
    scene = arena(robots)
    lidar = {"range_max": RADIUS + IR_RANGE, "angle_range": math.radians(315), "number": 8}
    env = load(
        world(scene.side, DT),
        [robot(pose, RADIUS, lidar) for pose in scene.poses],
        [wall(w) for w in scene.walls]
        + [{"shape": {"name": "circle", "radius": OBSTACLE_RADIUS}, "state": [x, y, 0]} for x, y in scene.obstacles],
    )
    everyone = list(range(robots))

    def step() -> None:
        actions = []
        for body in env.robot_list:
            ranges = body.get_lidar_scan()["ranges"]
            speeds = avoid([ranges[i] - RADIUS for i in SCAN_TO_IR])
            actions.append(list(forward_and_turn(speeds, WHEEL_SEPARATION)))
        env.step(actions, action_id=everyone)

    return Simulation(step, lambda: env.robot_list[0].state[:2, 0].tolist())


def laser(_robots: int) -> Simulation:
    lidar = {"range_max": LASER_RANGE, "angle_range": math.pi, "number": BEAMS}
    env = load(
        world(ROOM, DT_LASER),
        [robot(ROOM_CENTRE, PIONEER_RADIUS, lidar)],
        [wall(w) for w in room()],
    )

    def step() -> None:
        speeds = avoid_laser(min(env.get_lidar_scan()["ranges"]))
        env.step(list(forward_and_turn(speeds, PIONEER_SEPARATION)))

    return Simulation(step, lambda: env.robot.state[:2, 0].tolist())


def world(side: float, dt: float) -> dict[str, Any]:
    return {
        "width": side,
        "height": side,
        "step_time": dt,
        "sample_time": 1e9,  # never draw
        "collision_mode": "contact",
    }


def robot(pose: Pose, radius: float, lidar: dict[str, float]) -> dict[str, Any]:
    return {
        "kinematics": {"name": "diff"},
        "shape": {"name": "circle", "radius": radius},
        "state": list(pose),
        "vel_max": [2, 20],
        "vel_min": [-2, -20],
        "sensors": [{"name": "lidar2d", **lidar}],
    }


def wall(segment: Segment) -> dict[str, Any]:
    x1, y1, x2, y2 = map(float, segment)
    return {
        "shape": {"name": "linestring", "vertices": [[x1, y1], [x2, y2]]},
        "state": [0, 0, 0],
    }


def load(world: dict[str, Any], robots: list[Any], obstacles: list[Any]) -> Any:
    """IR-SIM reads its world from a file only."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "world.yaml"
        path.write_text(
            yaml.safe_dump({"world": world, "robot": robots, "obstacle": obstacles}),
            encoding="utf-8",
        )
        return irsim.make(str(path), display=False, log_level="ERROR")


main("ir-sim", {"S1": swarm, "S2": swarm, "S3": laser}, package="ir-sim")
