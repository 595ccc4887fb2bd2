"""A short solver for each environment, driving an e-puck, which proves that it is solvable."""

from __future__ import annotations

from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]


def turn_away(near: Floats) -> Floats:
    """Return the direction to turn away from near obstacles ahead; 0: none, positive: left."""
    right = near[:, 0] * 1.5 + near[:, 1] + 0.3 * near[:, 2]
    left = near[:, 7] * 1.5 + near[:, 6] + 0.3 * near[:, 5]
    in_corner = np.minimum(right, left) > 0.2  # there, always to the left
    turn: Floats = np.where(in_corner | (right >= left), np.maximum(right, 0.3 * in_corner), -left)
    return turn


def wheels(forward: Floats, turn: Floats) -> Floats:
    return np.clip(np.stack([forward - turn, forward + turn], axis=1), -1.0, 1.0)


def avoid(seen: Floats) -> Floats:
    turn = turn_away(seen)
    return wheels(np.clip(1.0 - 1.6 * abs(turn), -0.1, 1.0), 1.2 * turn)


def go_to(seen: Floats) -> Floats:
    """Turn to the goal, unless an obstacle is on that side."""
    cosine, sine = seen[:, 9], seen[:, 10]
    bearing = np.arctan2(sine, cosine)
    away = turn_away(seen)
    turn = np.where(abs(away) > 0.15, 1.5 * away, np.clip(1.2 * bearing, -0.6, 0.6))
    return wheels(np.where(abs(away) > 0.15, 0.45 - 0.5 * abs(away), 0.9 - 0.6 * abs(turn)), turn)


def follow_wall(seen: Floats) -> Floats:
    """Keep the wall on the right at about three centimetres."""
    ahead = np.maximum(np.maximum(seen[:, 0], seen[:, 7]), 0.6 * seen[:, 6])
    beside = np.maximum(seen[:, 2], 0.9 * seen[:, 1])
    turn = np.where(ahead > 0.25, 0.9, np.where(beside > 0.02, 1.2 * (beside - 0.5), -0.26))
    return wheels(np.where(ahead > 0.25, 0.05, 0.8 - 0.5 * abs(turn)), turn)


def follow_line(seen: Floats) -> Floats:
    """Turn to the side of the darker ground sensor."""
    turn = 0.8 * (seen[:, 2] - seen[:, 0])
    return wheels(0.7 - 0.4 * abs(turn), turn)


def explore(seen: Floats) -> Floats:
    """Turn to unvisited floor, else drive straight; avoid near obstacles."""
    news = seen[:, 8:16]
    angles = 2.0 * np.pi * np.arange(8) / 8
    bearing = np.arctan2((news * np.sin(angles)).sum(axis=1), (news * (0.3 + np.cos(angles))).sum(axis=1))
    bearing = np.where(news.sum(axis=1) == 0, 0.0, bearing)
    away = turn_away(seen)
    turn = np.where(abs(away) > 0.15, 1.5 * away, np.clip(bearing, -0.6, 0.6))
    return wheels(np.where(abs(away) > 0.15, 0.4 - 0.4 * abs(away), 0.9 - 0.6 * abs(turn)), turn)


SOLVERS = {
    "Avoid": avoid,
    "GoTo": go_to,
    "Maze": follow_wall,
    "LineFollow": follow_line,
    "WallFollow": follow_wall,
    "Explore": explore,
}
