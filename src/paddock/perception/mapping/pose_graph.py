"""Pose graph: poses and measured steps between them, solved by any installed solver."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from paddock.core.geometry import Pose, compose, relative
from paddock.perception.mapping.motion_step import subtract
from paddock.perception.mapping.scan import Floats

TOLERATED = 4.0  # squared normalised error of a loop above which it loses weight (Cauchy)


class PoseEdge(NamedTuple):
    """A measured step between two poses."""

    first: int
    second: int
    step: Pose  # pose of the second in the frame of the first
    covariance: Floats  # in the frame of the first [m, m, rad], shape (3, 3)
    is_loop: bool = False  # a loop may be false, so its weight decreases with its error


@dataclass
class PoseGraph:
    """A chain of poses with steps between successive poses, and loops. The first pose is fixed."""

    poses: list[Pose] = field(default_factory=list)
    steps: list[PoseEdge] = field(default_factory=list)  # from each pose to the next
    loops: list[PoseEdge] = field(default_factory=list)
    travelled: list[float] = field(default_factory=lambda: [0.0])  # path length up to each pose, by the steps [m]

    def extend(self, step: Pose, covariance: Floats) -> None:
        """Add a pose, a step from the last one."""
        self.steps.append(PoseEdge(len(self.poses) - 1, len(self.poses), step, covariance))
        self.poses.append(compose(self.poses[-1], step))
        self.travelled.append(self.travelled[-1] + math.hypot(step.x, step.y))

    def squared_error(self, edge: PoseEdge) -> float:
        """Return the squared error of an edge, normalised by its covariance (chi², 3 dimensions)."""
        error = edge_error(self.poses[edge.first], self.poses[edge.second], edge.step)
        return float(error @ np.linalg.solve(edge.covariance, error))

    def solve(self, solver: str | None = None) -> None:
        """Optimise the poses for all edges, with a solver of `SOLVERS`; None for the best installed one."""
        from paddock.perception.mapping.graph_solvers import choose_solver

        if self.steps:
            self.poses = choose_solver(solver)(self.poses, [*self.steps, *self.loops])


def edge_error(first: Pose, second: Pose, step: Pose) -> Floats:
    """Return the difference between the step of two poses and a measured one, in the frame of the first."""
    return subtract(relative(first, second), step)


def rotation(angle: float) -> Floats:
    """Return the matrix that converts x, y, heading to a frame turned by an angle [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def rotate_covariance(covariance: Floats, angle: float) -> Floats:
    """Return a covariance of x, y, heading in a frame turned by an angle [rad]."""
    turned = rotation(angle)
    rotated: Floats = turned @ covariance @ turned.T
    return rotated
