"""Pose and covariance of a cloud of weighted particles, and the number of particles needed."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.jit import kernel
from paddock.perception.estimation.odometry import Floats, wrap_angles

Pick = Literal["mean", "best", "robust"]
"""Weighted mean of all particles (wrong with two peaks), best particle, or mean of the particles near the best."""
CELL, TURN_CELL = 0.05, math.radians(15)  # [m], [rad] size of cells for counting particles
WINDOW, TURN_WINDOW = 0.15, math.radians(30)  # [m], [rad] minimum window around the best particle


def normalise(log_weights: Floats) -> Floats:
    """Return weights with a sum of 1 from their logarithms."""
    raw = np.exp(log_weights - log_weights.max())
    weights: Floats = raw / raw.sum()
    return weights


def effective_count(weights: Floats) -> float:
    """Return the effective number of particles, N_eff."""
    return float(1 / np.sum(weights**2))


def weighted_mean(poses: Floats, weights: Floats) -> Pose:
    """Return the weighted mean of poses, with the circular mean of headings."""
    x, y = (weights @ poses[:, :2]).tolist()
    return Pose(x, y, math.atan2(weights @ np.sin(poses[:, 2]), weights @ np.cos(poses[:, 2])))


def best_particle(poses: Floats, weights: Floats) -> Pose:
    """Return the particle with the largest weight in the cell with the largest total weight."""
    _, cell = find_cells(poses)
    masses = np.bincount(cell, weights)
    inside = np.flatnonzero(cell == np.argmax(masses))
    return Pose(*poses[inside[np.argmax(weights[inside])]].tolist())


def near_particles(poses: Floats, weights: Floats, pose: Pose) -> tuple[Floats, Floats]:
    """Return the particles of the peak around a pose, and their weights with a sum of 1.

    The window grows with the spread of its particles, so that it contains a single wide peak completely, but no other
    peak.
    """
    centre, reach, turn = pose, WINDOW, TURN_WINDOW
    while True:
        off = differences(poses, centre)
        near = (np.hypot(off[:, 0], off[:, 1]) < reach) & (np.abs(off[:, 2]) < turn)
        inside, shares = poses[near], weights[near] / weights[near].sum()
        centre = weighted_mean(inside, shares)
        spread = np.sqrt(shares @ differences(inside, centre) ** 2)
        wider = 3 * float(np.hypot(spread[0], spread[1])), 3 * float(spread[2])
        if wider[0] < 1.05 * reach and wider[1] < 1.05 * turn:
            return inside, shares
        reach, turn = max(reach, wider[0]), max(turn, wider[1])


def summarise(poses: Floats, weights: Floats, pick: Pick) -> tuple[Pose, Floats]:
    """Return the selected pose and the covariance of the particles around it, shape (3, 3)."""
    if not (len(poses) and np.isfinite(poses).all() and np.isfinite(weights).all()):
        raise PaddockError("particles: expected at least one, with finite poses and weights: no pose can be estimated")
    if pick != "mean":
        best = best_particle(poses, weights)
        poses, weights = near_particles(poses, weights, best)
    pose = best if pick == "best" else weighted_mean(poses, weights)
    off = differences(poses, pose)
    covariance: Floats = (off * weights[:, None]).T @ off
    return pose, covariance


def differences(poses: Floats, pose: Pose) -> Floats:
    """Return poses minus a pose, with wrapped headings, shape (n, 3)."""
    off: Floats = poses - np.array(pose)
    off[:, 2] = wrap_angles(off[:, 2])
    return off


def find_cells(poses: Floats) -> tuple[int, NDArray[np.int64]]:
    """Return the number of cells that contain particles, and the cell of each particle."""
    x, y = np.floor(poses[:, :2] / CELL).astype(np.int64).T
    turn = np.floor(poses[:, 2] / TURN_CELL).astype(np.int64)
    cells, cell = np.unique((x * 1_000_003 + y) * 101 + turn, return_inverse=True)
    return len(cells), cell.reshape(-1)


def particles_needed(cells: int, error: float, sigmas: float) -> float:
    """Return the number of particles that bounds the error of a histogram (KLD sampling, Fox 2003).

    Args:
        cells: number of cells that contain particles.
        error: maximum Kullback-Leibler distance between the true and the sampled distribution.
        sigmas: upper quantile of the normal distribution; 2.33 keeps the bound 99 % of the time.
    """
    if cells < 2:
        return 1.0
    part = 2 / (9 * (cells - 1))
    return float((cells - 1) / (2 * error) * (1 - part + math.sqrt(part) * sigmas) ** 3)


def carry_along(poses: Floats, start: Pose, end: Pose) -> Floats:
    """Move poses by the motion of a robot from start to end, each in its own frame; also backwards in time."""
    c, s = math.cos(start.heading), math.sin(start.heading)
    dx, dy = end.x - start.x, end.y - start.y
    along, across = c * dx + s * dy, c * dy - s * dx
    moved = poses.copy()
    moved[:, 0] += np.cos(poses[:, 2]) * along - np.sin(poses[:, 2]) * across
    moved[:, 1] += np.sin(poses[:, 2]) * along + np.cos(poses[:, 2]) * across
    moved[:, 2] += end.heading - start.heading
    return moved


@kernel
def move_particles(poses, left, right, noise, separation):
    """Turn, drive and turn each particle by the wheels' travel [m] and its own noise.

    Poses are rows x, y, heading. Noise has a row for each particle: of the right and left wheel's travel [m], and of a
    turn that the encoders do not measure [rad].
    """
    for i in range(poses.shape[0]):
        rolled_right, rolled_left = right + noise[i, 0], left + noise[i, 1]
        half = 0.5 * ((rolled_right - rolled_left) / separation + noise[i, 2])
        chord = 0.5 * (rolled_right + rolled_left)
        if abs(half) > 1e-4:
            chord *= math.sin(half) / half
        heading = poses[i, 2] + half
        poses[i, 0] += chord * math.cos(heading)
        poses[i, 1] += chord * math.sin(heading)
        heading += half
        poses[i, 2] = heading - 2.0 * math.pi * math.floor((heading + math.pi) / (2.0 * math.pi))


@kernel
def draw_systematically(weights, start, chosen):
    """Resample systematically: equal steps over the sum of weights, the first at `start`, 0 … 1 of a step."""
    count = chosen.shape[0]
    place, total = 0, weights[0]
    for k in range(count):
        mark = (k + start) / count
        while total < mark and place < weights.shape[0] - 1:
            place += 1
            total += weights[place]
        chosen[k] = place
