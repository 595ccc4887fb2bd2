"""The constants of AP2DX's planner and reflex, from its report and from its last program."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class BehaviourConstants:
    """Constants with the names of the report; lengths in metres, speeds as fractions of `full_speed`."""

    name: str
    wall_distance: float  # the reflex stops the robot if an obstacle is nearer than this and approaching
    angle_uncertain: float  # [rad] tolerance of a turn
    turn_threshold: float  # increase of a side sonar's reading that indicates a hole
    needed_depth: float  # minimum depth of a free path
    pass_hole_distance: float  # distance to drive past a hole that turned out to be blocked
    pass_hole_corner: float  # distance to drive past the corner of a hole before turning into it
    ignore_distance: float  # walls at the side farther away than this are not followed
    movement_threshold: float  # minimum distance between two readings of the INS that counts as movement
    no_move_count: int  # number of consecutive readings without movement after which the robot is stuck
    backward_distance: float  # distance to back up when stuck
    backs_up: bool  # whether the robot backs up after each stop, before it turns
    forward_speed: float = 0.10  # the report has no speeds
    backward_speed: float = 0.03
    turn_speed: float = 0.02
    full_speed: float = 5.0  # [m/s] that of USARSim's P2DX is unknown; 10 % of it was walking speed


REPORT = BehaviourConstants(
    name="report", wall_distance=0.3, angle_uncertain=math.radians(5), turn_threshold=1.0, needed_depth=0.5,
    pass_hole_distance=0.3, pass_hole_corner=0.3, ignore_distance=0.8, movement_threshold=0.2, no_move_count=100,
    backward_distance=0.3, backs_up=False,
)  # fmt: skip
FINAL = BehaviourConstants(
    name="final", wall_distance=0.3, angle_uncertain=math.radians(5), turn_threshold=0.75, needed_depth=0.4,
    pass_hole_distance=0.3, pass_hole_corner=0.4, ignore_distance=0.5, movement_threshold=0.01, no_move_count=10,
    backward_distance=0.15, backs_up=True,
)  # fmt: skip
CONSTANTS = {constants.name: constants for constants in (REPORT, FINAL)}
