"""Claims: what must hold, with the thesis' numbers beside ours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from paddock.control.obstacles import CAUSES
from paddock.experiments.ecoli_walk import published
from paddock.experiments.ecoli_walk.orders_runs import OrdersRun, mean_errors_in_cm
from paddock.experiments.ecoli_walk.population import Comparison, compare_populations
from paddock.experiments.rows import Row
from paddock.orders.texts import CM

if TYPE_CHECKING:
    from paddock.experiments.ecoli_walk.reproduce import EColiFindings


class Dish(NamedTuple):
    """A population: its world, the kind of its walkers, and where their nose is."""

    world: str
    walker: str
    nose: str = "front"


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
    def compare(world: str, walker: str = "normal", nose: str = "front") -> Comparison:
        chosen = (findings.populations[Dish(world, kind, nose)] for kind in (walker, "none"))
        return compare_populations(*chosen)

    gain, chance = "concentration over that of unbiased walkers", "probability that this is chance"
    cone, gauss = compare("petri-dish"), compare("petri-dish-gauss")
    yield at_least("walk, cone", gain, cone.gain, 1.5)
    yield at_most("walk, cone", "distance from the centre over that of unbiased walkers", cone.approach, 0.55)
    yield at_least("walk, Gaussian", gain, gauss.gain, 3.0)
    for name, comparison in (("walk, cone", cone), ("walk, Gaussian", gauss)):
        yield at_most(name, chance, comparison.p, 1e-6)
        yield at_least(name, "mean run up the gradient over that down", comparison.run_ratio, 1.5)
    for name, world in (("walk, cone", "petri-dish"), ("walk, Gaussian", "petri-dish-gauss")):
        yield at_most(f"{name}, nose between the wheels", chance, compare(world, nose="centre").p, 1e-6)
    # A nose in front of the wheels leads uphill a little, without any network: these need the other one.
    flees, fixed = (compare("petri-dish", walker, "centre") for walker in ("inverted", "no-methylation"))
    yield at_most("walk, inverted sensor, nose between the wheels", f"it flees: {gain}", flees.gain, 0.9)
    yield at_most("walk, no methylation, nose between the wheels", f"it is not attracted: {gain}", fixed.gain, 1.0)


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
    for name, walks in (
        ("calibration, EKF and camera", [outcomes["camera"] for outcomes in findings.knowledge]),
        ("calibration, EKF and rendered pictures", findings.pictures),
    ):
        error = float(np.mean([walk.mean_error for walk in walks])) / CM
        yield at_most(name, "mean error at the targets [cm]", error, 0.3)
        share = 100 * float(np.mean([walk.share_in_band for walk in walks]))
        yield at_least(name, "share of the time with NEES in its band [%]", share, 90.0)


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
    for means, name in (("all four", ""), ("all four, light calibrated", ", sensitivity to light measured")):
        for cause in CAUSES:
            share = 100 * findings.confusion[means].share_right(cause)
            yield at_least(f"detections told apart{name}", f"{cause}: told right [%]", share, 95.0)
    counts = findings.detections
    weak, strong = sorted(published.BY_LIGHT_2, key=published.BY_LIGHT_2.__getitem__)
    lit = [level for level in counts.levels if counts.count(strong, level, "light") >= 1]
    ordered = sum(counts.count(strong, level, "light") >= counts.count(weak, level, "light") for level in lit)
    metric = f"light levels of {len(lit)} at which {strong} is misled as often as {weak} or more often"
    yield Row(
        "experiment 2 with a lamp", metric, 1, ordered, bool(lit) and ordered == len(lit), f"{len(lit)}: as published"
    )
    for name, wanted in published.BY_LIGHT_2.items():
        most = max(counts.count(name, level, "light") for level in counts.levels)
        yield at_least(
            "experiment 2 with a lamp", f"{name}: most detections by light at any level", most, wanted, wanted
        )


def _camera(findings: EColiFindings) -> Iterator[Row]:
    camera = next(camera for camera in findings.cameras if camera.size == (1280, 960))
    yield at_most("overhead camera, 1280 × 960", "mean error of a position [mm]", camera.mean, 1.0)
    yield at_least("overhead camera, 1280 × 960", "markers found [%]", 100 * camera.found, 95.0)
    for metric, error in (
        ("error in the plane of the floor over that in the marker's own", camera.floor_plane_mean),
        ("error without undistorting over that with it", camera.distorted_mean),
    ):
        yield at_least("overhead camera, 1280 × 960", metric, error / camera.mean, 5.0)
