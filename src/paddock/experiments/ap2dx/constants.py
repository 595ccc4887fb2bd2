"""The constants of AP2DX's planner and reflex: as its report prints them, and as its last program had them."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class BehaviourConstants:
    """Names as in the report, lengths in metres; speeds as a share of `full_speed`."""

    name: str
    wall_distance: float  # nearer than this, and closing, the reflex stops the robot
    angle_uncertain: float  # [rad] within which a turn is done
    turn_threshold: float  # a side sonar that jumps by this much may have passed a hole
    needed_depth: float  # that a way must have
    pass_hole_distance: float  # to drive on beyond a hole that was none
    pass_hole_corner: float  # to drive past the corner of a hole before turning into it
    ignore_distance: float  # a wall at the side that is farther away is not followed
    movement_threshold: float  # less than this between two readings of the INS is no movement
    no_move_count: int  # of such readings, one after the other: stuck
    backward_distance: float  # to back up when stuck
    backs_up: bool  # after each stop, before it turns
    forward_speed: float = 0.10  # the report has no speeds
    backward_speed: float = 0.03
    turn_speed: float = 0.02
    full_speed: float = 5.0  # [m/s] of USARSim's P2DX is not known; 10 % of it was walking pace


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
