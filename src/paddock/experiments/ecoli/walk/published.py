"""Published data of both experiments: targets, starts, thresholds and results, in centimetres as printed."""

from __future__ import annotations

from collections.abc import Iterable

from paddock.core.geometry import Point, Pose
from paddock.experiments.ecoli.waypoint_robots.texts import CM

Centimetres = tuple[float, float]

TARGETS_1: tuple[Centimetres, ...] = (
    (39, 95), (26, 91), (33, 92), (45, 87), (55, 74), (41, 60), (27, 59), (25, 52), (26, 47), (31, 46), (26, 44),
    (56, 32), (54, 45), (41, 50), (38, 63), (51, 64), (33, 58), (36, 68), (41, 79), (49, 64), (42, 79), (29, 89),
    (21, 96), (19, 88), (24, 87),
)  # fmt: skip
REACHED_1: tuple[Centimetres, ...] = (
    (43.0, 93.0), (30.5, 89.5), (37.0, 90.5), (48.5, 84.5), (58.5, 71.5), (44.5, 57.5), (30.5, 56.0), (28.5, 49.5),
    (29.5, 44.2), (34.5, 43.1), (29.5, 41.0), (59.0, 28.6), (56.5, 41.5), (43.5, 46.2), (40.0, 59.2), (53.0, 61.0),
    (35.0, 54.5), (38.0, 64.7), (43.0, 75.7), (51.0, 60.5), (43.5, 75.4), (30.7, 85.5), (22.9, 92.2), (20.5, 85.0),
    (25.7, 84.0),
)  # fmt: skip
ROBOT_1, START_1, THRESHOLD_1 = "e-puck_2479", Pose(4.00 * CM, 3.50 * CM, 0.0), 6000.0
MEAN_ERROR_1 = (2.752, 2.988)  # [cm] of the absolute values, x and y
MOVING_TIME_1 = 54.914  # [s]

TARGETS_2: dict[str, tuple[Centimetres, ...]] = {
    "e-puck_2478": (
        (184, 27), (134, 11), (129, 9), (125, 12), (127, 20), (118, 24), (108, 13), (104, 22), (98, 36), (93, 18),
        (101, 27), (87, 18), (93, 29), (93, 13), (101, 19), (96, 30), (89, 45), (95, 41), (94, 20), (105, 13), (95, 14),
        (101, 7), (106, 12), (100, 20), (91, 32),
    ),
    "e-puck_2479": TARGETS_1,
    "e-puck_2481": (
        (38, 31), (38, 26), (24, 19), (59, 18), (66, 21), (76, 22), (84, 31), (88, 15), (97, 11), (88, 8), (87, 10),
        (80, 13), (75, 7), (75, 12),
        (67, 24),  # ours, half-way between its neighbours: this failed order is illegible in the publication
        (59, 35), (57, 49), (73, 47), (83, 65), (83, 71), (83, 65), (80, 71), (78, 76), (72, 77), (68, 73),
    ),
}  # fmt: skip
STARTS_2 = {
    "e-puck_2478": Pose(90 * CM, 60 * CM, 0.0),
    "e-puck_2479": Pose(90 * CM, 50 * CM, 0.0),
    "e-puck_2481": Pose(100 * CM, 55 * CM, 0.0),
}
THRESHOLDS_2 = {"e-puck_2478": 650.0, "e-puck_2479": 480.0, "e-puck_2481": 620.0}
DONE_2 = {"e-puck_2478": 25, "e-puck_2479": 7, "e-puck_2481": 24}
MOVING_TIME_2 = {"e-puck_2478": 61.532501, "e-puck_2481": 60.659618}  # [s]
FAILED_2 = {"e-puck_2478": (), "e-puck_2479": range(7, 25), "e-puck_2481": (14,)}  # orders that were not carried out
DETECTIONS_2 = {"e-puck_2478": 3, "e-puck_2481": 11}
BY_LIGHT_2 = {"e-puck_2478": 2, "e-puck_2481": 7}  # of these


def to_metres(points: Iterable[Centimetres]) -> list[Point]:
    """Convert published points [cm] to metres."""
    return [(x * CM, y * CM) for x, y in points]


def targets_done(robot: str) -> list[Point]:
    """Return the targets of experiment 2 that a robot reached [m]."""
    return to_metres(target for n, target in enumerate(TARGETS_2[robot]) if n not in FAILED_2[robot])
