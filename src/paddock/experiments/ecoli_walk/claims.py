"""Claims: what must hold, with the thesis' numbers beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from paddock.control.obstacles import CAUSES
from paddock.experiments.ecoli_walk import published
from paddock.experiments.ecoli_walk.orders_runs import OrdersRun, mean_errors_in_cm
from paddock.experiments.ecoli_walk.population import Population, compare_populations
from paddock.experiments.rows import Row
from paddock.orders.texts import CM

if TYPE_CHECKING:
    from paddock.experiments.ecoli_walk.reproduce import EColiFindings

ORDERS = 25  # of each robot
REST_BIAS, BIAS_MARGIN = 0.138, 0.005


def check_claims(findings: EColiFindings) -> tuple[Row, ...]:
    """All claims."""
    parts = (_network, _walk, _experiment_1, _localisation, _experiment_2, _detections, _camera)
    return (*(row for part in parts for row in part(findings)), *findings.avoidance.rows)


def at_least(row: str, metric: str, ours: float, bound: float, paper: float | None = None) -> Row:
    """A claim that a number is not smaller than a bound."""
    return Row(row, metric, paper, ours, ours >= bound, f">= {bound:g}")


def at_most(row: str, metric: str, ours: float, bound: float, paper: float | None = None) -> Row:
    """A claim that a number is not greater than a bound."""
    return Row(row, metric, paper, ours, ours <= bound, f"<= {bound:g}")


def within(row: str, metric: str, ours: float, middle: float, margin: float, paper: float | None = None) -> Row:
    """A claim that a number is near another."""
    return Row(row, metric, paper, ours, abs(ours - middle) <= margin, f"{middle:g} ± {margin:g}")


def _network(findings: EColiFindings) -> Iterator[Row]:
    found = findings.network
    yield within("network", "clockwise bias at rest", found.rest_bias, REST_BIAS, BIAS_MARGIN)
    slowest = max(step.response_time for step in found.adaptations)
    yield at_most("network", "slowest response to a step [s]", slowest, 0.2)
    worst = 100 * max(abs(step.error) for step in found.adaptations)
    yield at_most("network", "error 60 s after steps by 0.1 to 10 [%]", worst, 1.0)
    worst = 100 * max(abs(change.error) for change in found.robustness)
    yield at_most("network", "error of adaptation with 0.5 to 50 times the CheR [%]", worst, 1.0)
    yield at_most("network", "difference of responses to equal ratios", found.fold_change, 1e-6)
    yield at_most("network", "drift of conserved sums, relative", max(map(abs, found.drifts.values())), 1e-9)


def _walk(findings: EColiFindings) -> Iterator[Row]:
    def population(world: str, walker: str = "normal") -> Population:
        return findings.populations[world, walker]

    cone = compare_populations(population("petri-dish"), population("petri-dish", "none"))
    gauss = compare_populations(population("petri-dish-gauss"), population("petri-dish-gauss", "none"))
    yield at_least("walk, cone", "concentration over that of unbiased walkers", cone.gain, 1.5)
    yield at_most("walk, cone", "distance from the centre over that of unbiased walkers", cone.approach, 0.55)
    yield at_least("walk, Gaussian", "concentration over that of unbiased walkers", gauss.gain, 3.0)
    for name, comparison in (("walk, cone", cone), ("walk, Gaussian", gauss)):
        yield at_most(name, "probability that this is chance", comparison.p, 1e-6)
        yield at_least(name, "mean run up the gradient over that down", comparison.run_ratio, 1.5)
    flees = compare_populations(population("petri-dish", "inverted"), population("petri-dish", "none"))
    yield at_most("walk, inverted sensor", "concentration over that of unbiased walkers", flees.gain, 0.9)
    clamped = compare_populations(population("petri-dish", "no-methylation"), population("petri-dish", "none"))
    yield within("walk, no methylation", "concentration over that of unbiased walkers", clamped.gain, 1.0, 0.15)


def _experiment_1(findings: EColiFindings) -> Iterator[Row]:
    run = findings.experiment_1.robots[published.ROBOT_1]
    yield Row("experiment 1", "orders done", ORDERS, run.walk.done, run.walk.done == ORDERS, f"{ORDERS}")
    for axis, paper, ours in zip("xy", published.MEAN_ERROR_1, mean_errors_in_cm(run), strict=True):
        yield within("experiment 1", f"mean absolute error along {axis} [cm]", ours, round(paper, 2), 0.4, paper)
    time = run.walk.moving_time or math.nan
    margin = 0.05 * published.MOVING_TIME_1
    yield within("experiment 1", "moving time [s]", time, published.MOVING_TIME_1, margin, published.MOVING_TIME_1)
    told = max(math.dist(told, target) / CM for told, target in zip(run.walk.reached, run.targets, strict=True) if told)
    yield at_most("experiment 1", "largest error that the robot itself tells [cm]", told, 0.001, 0.0)


def _localisation(findings: EColiFindings) -> Iterator[Row]:
    walks = [outcomes["camera"] for outcomes in findings.knowledge]
    error = float(np.mean([walk.mean_error for walk in walks])) / CM
    yield at_most("calibration, EKF and camera", "mean error at the targets [cm]", error, 0.3)
    share = 100 * float(np.mean([walk.share_in_band for walk in walks]))
    yield at_least("calibration, EKF and camera", "share of the time with NEES in its band [%]", share, 90.0)


def is_complete(run: OrdersRun) -> bool:
    """Whether all robots carried out all orders."""
    return all(robot.walk.done == ORDERS for robot in run.robots.values())


def _experiment_2(findings: EColiFindings) -> Iterator[Row]:
    for condition, runs in findings.experiment_2.items():
        complete, metric = sum(map(is_complete, runs)), f"runs of {len(runs)} in which all robots do all orders"
        if condition.startswith("checked"):
            yield at_least(f"experiment 2, {condition}", metric, complete, len(runs))
        elif condition.startswith("2012, "):
            yield Row(f"experiment 2, {condition}", metric, 0, complete, complete == 0, "0: it locks up")
            locked = sum(bool(run.locked) for run in runs)
            yield Row(f"experiment 2, {condition}", "… in which a robot locks up", 1, locked, locked > 0, "> 0")


def _detections(findings: EColiFindings) -> Iterator[Row]:
    matrix = findings.confusion["all four"]
    for cause in CAUSES:
        share = 100 * matrix.share_right(cause)
        yield at_least("detections told apart", f"{cause}: told right [%]", share, 95.0)
    dark = min(findings.detections.levels)
    for name in published.DETECTIONS_2:
        by_light = findings.detections.count(name, dark, "light")
        yield at_most("experiment 2, lamp off", f"{name}: detections by light", by_light, 0.5)


def _camera(findings: EColiFindings) -> Iterator[Row]:
    camera = next(camera for camera in findings.cameras if camera.size == (1280, 960))
    yield at_most("overhead camera, 1280 × 960", "mean error of a position [mm]", camera.mean, 1.0)
    yield at_least("overhead camera, 1280 × 960", "markers found [%]", 100 * camera.found, 95.0)
    for metric, error in (
        ("error in the plane of the floor over that in the marker's own", camera.floor_plane_mean),
        ("error without undistorting over that with it", camera.distorted_mean),
    ):
        yield at_least("overhead camera, 1280 × 960", metric, error / camera.mean, 5.0)
