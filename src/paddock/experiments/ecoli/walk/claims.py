"""Claims, with the thesis' numbers next to ours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from paddock.experiments.ecoli.obstacles import CAUSES
from paddock.experiments.ecoli.walk import published
from paddock.experiments.ecoli.walk.network import NetworkResults
from paddock.experiments.ecoli.walk.orders_runs import OrdersRun, mean_errors_in_cm
from paddock.experiments.ecoli.walk.tumble_rates import HELD, INTACT, MARGIN, MethylationResults
from paddock.experiments.ecoli.walk.walks import NOSES, SEEDS, Dish, WalkStatistics
from paddock.experiments.ecoli.waypoint_robots.texts import CM
from paddock.experiments.reproductions.rows import Row, at_least, at_most, equals, require_seeds, within

if TYPE_CHECKING:
    from paddock.experiments.ecoli.walk.reproduce import EColiFindings


ORDERS = 25  # of each robot
REST_BIAS, BIAS_MARGIN = 0.138, 0.005


def check_claims(findings: EColiFindings) -> tuple[Row, ...]:
    """Evaluate all claims."""
    parts = (_networks, _walk, _experiment_1, _localisation, _experiment_2, _detections, _camera)
    return (*(row for part in parts for row in part(findings)), *findings.avoidance.rows)


def _networks(findings: EColiFindings) -> Iterator[Row]:
    for name, found in findings.networks.items():
        yield from _network(f"network {name}", found)


def _walk(findings: EColiFindings) -> Iterator[Row]:
    return check_walks(findings.walks)


def _network(name: str, results: NetworkResults) -> Iterator[Row]:
    yield within(name, "clockwise bias at rest", results.rest_bias, REST_BIAS, BIAS_MARGIN)
    slowest = max(step.response_time for step in results.adaptations)
    yield at_most(name, "slowest response to a step [s]", slowest, 0.2)
    worst = 100 * max(abs(step.error) for step in results.adaptations)
    yield at_most(name, "error 60 s after steps by 0.1 to 10 [%]", worst, 1.0)
    worst = 100 * max(abs(change.error) for change in results.robustness)
    yield at_most(name, "error of adaptation with 0.5 to 50 times the CheR [%]", worst, 1.0)
    yield at_most(name, "difference of responses to equal ratios", results.fold_change, 1e-6)
    yield at_most(name, "drift of conserved sums, relative", max(map(abs, results.drifts.values())), 1e-9)


def check_walks(walks: WalkStatistics) -> Iterator[Row]:
    """Evaluate how walkers gather, with and without sensing and methylation."""
    gain, chance = "concentration over that of unbiased walkers", "p-value (Mann-Whitney)"
    for field, world, least in (("cone", "petri-dish", 1.5), ("Gaussian", "petri-dish-gauss", 3.0)):
        for nose, where in NOSES.items():
            dish = Dish(world, "normal", nose)
            found, runs = walks.compare(dish), walks.runs[dish]
            name = f"walk, {field}, nose {where}, worst of {len(found)} populations"
            yield at_least(name, gain, min(it.gain for it in found), least)
            if field == "cone":
                far = max(it.approach for it in found)
                yield at_most(name, "distance from the centre over that of unbiased walkers", far, 0.55)
            yield at_most(name, chance, max(it.p for it in found), 1e-6)
            yield at_least(name, "mean run up the gradient over that down", min(it.run_ratio for it in runs), 1.5)
    # A nose in front of the wheels attracts slightly without any network, so these claims use the nose in the centre.
    flees, fixed = (
        max(it.gain for it in walks.compare(Dish("petri-dish", walker, "centre")))
        for walker in ("inverted", "no-methylation")
    )
    yield at_most("walk, inverted sensor, nose between the wheels", f"repulsion: {gain}", flees, 0.9)
    yield at_most("walk, no methylation, nose between the wheels", f"no attraction: {gain}", fixed, 1.0)
    yield from check_methylation(walks.methylation)


def check_methylation(results: MethylationResults) -> Iterator[Row]:
    """Evaluate the bias of walkers in a weak gradient, with methylation and with methylation held."""
    rates, places = "tumble rate down the gradient over that up", "distance from the food over that of unbiased walkers"
    name = "bias in a weak gradient"
    intact = results.compare_rates(INTACT), results.compare_distances(INTACT)
    yield at_least(f"{name}, with methylation", f"{rates}, lower end of 95 %", intact[0].low, 1.0 + MARGIN)
    yield at_most(f"{name}, with methylation", f"{places}, upper end of 95 %", intact[1].high, 1.0 - MARGIN)
    for trial in HELD:
        for metric, interval in ((rates, results.compare_rates(trial)), (places, results.compare_distances(trial))):
            wanted = f"95 % within 1 ± {MARGIN:g}: {interval.low:.3f} … {interval.high:.3f}"
            held = f"{name}, methylation held at {trial.level:g}"
            row = Row(held, metric, None, interval.ratio, interval.is_within(MARGIN), wanted)
            # With fewer populations the interval is wider than the margin. An interval outside of it decides the claim.
            yield row if interval.is_outside(MARGIN) else require_seeds(row, len(results.counts[trial]), len(SEEDS))


def _experiment_1(findings: EColiFindings) -> Iterator[Row]:
    run = findings.experiment_1.robots[published.ROBOT_1]
    yield equals("experiment 1", "orders done", run.walk.done, ORDERS, ORDERS)
    for axis, paper, ours in zip("xy", published.MEAN_ERROR_1, mean_errors_in_cm(run), strict=True):
        yield within("experiment 1", f"mean absolute error along {axis} [cm]", ours, round(paper, 2), 0.4, paper)
    time = run.walk.moving_time or math.nan
    margin = 0.05 * published.MOVING_TIME_1
    yield within("experiment 1", "moving time [s]", time, published.MOVING_TIME_1, margin, published.MOVING_TIME_1)
    errors = [math.dist(at, target) / CM for at, target in zip(run.walk.reached, run.targets, strict=True) if at]
    yield at_most("experiment 1", "largest error reported by the robot [cm]", max(errors), 0.001, 0.0)


def _localisation(findings: EColiFindings) -> Iterator[Row]:
    for name, walks in (
        ("calibration, EKF and camera", [outcomes["camera"] for outcomes in findings.knowledge]),
        ("calibration, EKF and rendered pictures", findings.pictures),
    ):
        error = float(np.mean([walk.mean_error for walk in walks])) / CM
        yield at_most(name, "mean error at the targets [cm]", error, 0.3)
        share = 100 * float(np.mean([walk.share_in_band for walk in walks]))
        yield at_least(name, "time with NEES in its band [%]", share, 90.0)


def is_complete(run: OrdersRun) -> bool:
    """Return whether all robots carried out all orders."""
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
    for sources, name in (("all four", ""), ("all four, light calibrated", ", sensitivity to light measured")):
        for cause in CAUSES:
            share = 100 * findings.confusion[sources].share_right(cause)
            yield at_least(f"classification of detections{name}", f"{cause}: correct [%]", share, 95.0)
    counts = findings.detections
    weak, strong = sorted(published.BY_LIGHT_2, key=published.BY_LIGHT_2.__getitem__)
    lit = [level for level in counts.levels if counts.count(strong, level, "light") >= 1]
    ordered = sum(counts.count(strong, level, "light") >= counts.count(weak, level, "light") for level in lit)
    metric = f"light levels of {len(lit)} at which {strong} has at least as many detections by light as {weak}"
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
    yield at_least("overhead camera, 1280 × 960", "markers found [%]", 100 * camera.detected, 95.0)
    for metric, error in (
        ("error in the plane of the floor over that in the plane of the marker", camera.floor_plane_mean),
        ("error without undistortion over that with it", camera.distorted_mean),
    ):
        yield at_least("overhead camera, 1280 × 960", metric, error / camera.mean, 5.0)
