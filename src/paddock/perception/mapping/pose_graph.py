"""Pose graph: poses and measured steps between them, solved by any installed solver."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.geometry import Pose, compose, relative, wrap
from paddock.core.packages import install_extra
from paddock.perception.mapping.method import rotate_covariance, subtract
from paddock.perception.mapping.scan import Floats

TOLERATED = 4.0  # squared normalised error of a loop above which it loses weight (Cauchy)
MAX_POSES_OF_OWN = 500
ROUNDS = 60
STUCK = 0.5  # error per edge, half of chi², that a graph of true edges does not exceed
ENOUGH = 1e-6  # relative change of the error at which to stop


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
        if self.steps:
            self.poses = choose_solver(solver)(self.poses, [*self.steps, *self.loops])


def edge_error(first: Pose, second: Pose, step: Pose) -> Floats:
    """Return the difference between the step of two poses and a measured one, in the frame of the first."""
    return subtract(relative(first, second), step)


def solve_with_gtsam(poses: Sequence[Pose], edges: Sequence[PoseEdge]) -> list[Pose]:
    """Solve by Levenberg-Marquardt from the poses; in a local minimum, also from headings solved first (LAGO)."""
    import gtsam

    graph, plain = gtsam.NonlinearFactorGraph(), gtsam.NonlinearFactorGraph()
    fixed = gtsam.noiseModel.Diagonal.Sigmas(np.full(3, 1e-6))
    for each in (graph, plain):
        each.add(gtsam.PriorFactorPose2(0, gtsam.Pose2(*poses[0]), fixed))
    kernel = gtsam.noiseModel.mEstimator.Cauchy.Create(TOLERATED**0.5)
    for edge in edges:
        step = gtsam.Pose2(*edge.step)
        turned = rotate_covariance(edge.covariance, edge.step.heading)  # gtsam's errors are in the second's frame
        noise = gtsam.noiseModel.Gaussian.Covariance(turned)
        robust = gtsam.noiseModel.Robust.Create(kernel, noise) if edge.is_loop else noise
        graph.add(gtsam.BetweenFactorPose2(edge.first, edge.second, step, robust))
        deviations = np.sqrt(np.diag(turned))
        diagonal = gtsam.noiseModel.Diagonal.Sigmas(deviations)
        plain.add(gtsam.BetweenFactorPose2(edge.first, edge.second, step, diagonal))
    start = gtsam.Values()
    for k, pose in enumerate(poses):
        start.insert(k, gtsam.Pose2(*pose))
    best = minimise(gtsam, graph, start)
    if graph.error(best) > STUCK * len(edges):
        best = min((best, minimise(gtsam, graph, gtsam.lago.initialize(plain))), key=graph.error)
    return [Pose(at.x(), at.y(), at.theta()) for at in map(best.atPose2, range(len(poses)))]


def minimise(gtsam: Any, graph: Any, start: Any) -> Any:
    """Return the minimum found by Levenberg-Marquardt."""
    parameters = gtsam.LevenbergMarquardtParams()
    parameters.setMaxIterations(ROUNDS)
    parameters.setRelativeErrorTol(ENOUGH)
    return gtsam.LevenbergMarquardtOptimizer(graph, start, parameters).optimize()


def solve_with_g2o(poses: Sequence[Pose], edges: Sequence[PoseEdge]) -> list[Pose]:
    """Solve by Levenberg-Marquardt from the poses."""
    import g2opy

    optimiser = g2opy.SparseOptimizer()
    optimiser.set_algorithm(g2opy.OptimizationAlgorithmLevenberg(g2opy.BlockSolverSE2(g2opy.LinearSolverEigenSE2())))
    for k, pose in enumerate(poses):
        vertex = g2opy.VertexSE2()
        vertex.set_id(k)
        vertex.set_estimate(g2opy.SE2(*pose))
        vertex.set_fixed(k == 0)
        optimiser.add_vertex(vertex)
    for each in edges:
        edge = g2opy.EdgeSE2()
        edge.set_vertex(0, optimiser.vertex(each.first))
        edge.set_vertex(1, optimiser.vertex(each.second))
        edge.set_measurement(g2opy.SE2(*each.step))
        edge.set_information(np.linalg.inv(rotate_covariance(each.covariance, each.step.heading)))
        if each.is_loop:
            edge.set_robust_kernel(g2opy.RobustKernelCauchy(TOLERATED**0.5))
        optimiser.add_edge(edge)
    optimiser.initialize_optimization()
    optimiser.optimize(ROUNDS)
    found = [optimiser.vertex(k).estimate().to_vector() for k in range(len(poses))]
    return [Pose(float(x), float(y), float(heading)) for x, y, heading in found]


def solve_dense(poses: Sequence[Pose], edges: Sequence[PoseEdge]) -> list[Pose]:
    """Solve by damped Gauss-Newton with dense matrices, for small graphs without an installed solver."""
    if len(poses) > MAX_POSES_OF_OWN:
        raise PaddockError(
            f"a graph of {len(poses)} poses needs a solver for large graphs (the built-in one takes at most "
            f"{MAX_POSES_OF_OWN} poses): {install_extra('slam')}"
        )
    present, damping = np.array(poses, float), 1e-4
    error, matrix, slope = linearise(present, edges)
    for _ in range(ROUNDS):
        step = np.linalg.solve(matrix + damping * np.diag(np.diag(matrix)), -slope)
        trial = present.copy()
        trial[1:] += step.reshape(-1, 3)
        reached, *system = linearise(trial, edges)
        if reached >= error:
            damping *= 10.0
            if damping > 1e6:
                break
            continue
        gained, error, present, damping = error - reached, reached, trial, damping / 10
        matrix, slope = system
        if gained < ENOUGH * error:
            break
    return [Pose(float(x), float(y), wrap(float(heading))) for x, y, heading in present]


def linearise(poses: Floats, edges: Sequence[PoseEdge]) -> tuple[float, Floats, Floats]:
    """Return the robust error and the normal equations of all poses except the first."""
    size = 3 * len(poses)
    total, matrix, slope = 0.0, np.zeros((size, size)), np.zeros(size)
    for edge in edges:
        first, second = Pose(*poses[edge.first]), Pose(*poses[edge.second])
        error = edge_error(first, second, edge.step)
        c, s = np.cos(first.heading), np.sin(first.heading)
        dx, dy = second.x - first.x, second.y - first.y
        by_second = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        by_first = -by_second
        by_first[:2, 2] = -s * dx + c * dy, -c * dx - s * dy
        information = np.linalg.inv(edge.covariance)
        squared = float(error @ information @ error)
        total += TOLERATED * np.log1p(squared / TOLERATED) if edge.is_loop else squared
        information = information / (1 + squared / TOLERATED) if edge.is_loop else information
        both = np.hstack((by_first, by_second))
        rows = np.r_[3 * edge.first : 3 * edge.first + 3, 3 * edge.second : 3 * edge.second + 3]
        matrix[np.ix_(rows, rows)] += both.T @ information @ both
        slope[rows] += both.T @ information @ error
    return total, matrix[3:, 3:], slope[3:]


Solver = Callable[[Sequence[Pose], Sequence[PoseEdge]], list[Pose]]
SOLVERS: dict[str, tuple[str, Solver]] = {
    "gtsam": ("gtsam", solve_with_gtsam),
    "g2o": ("g2opy", solve_with_g2o),
    "own": ("numpy", solve_dense),
}
"""Solvers by name, the best first, with the required package."""


def choose_solver(name: str | None) -> Solver:
    """Return the named solver; None for the best installed one."""
    if name is None:
        return next(solve for package, solve in SOLVERS.values() if importlib.util.find_spec(package))
    if name not in SOLVERS:
        raise UnknownName("solver", name, SOLVERS)
    package, solve = SOLVERS[name]
    if importlib.util.find_spec(package) is None:
        raise PaddockError(f"solver {name!r} needs the package {package}: {install_extra('slam')}")
    return solve
