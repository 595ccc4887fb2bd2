"""Followers that compare predicted motions by their costs: the dynamic window approach and MPPI."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from paddock.control.navigation.costmap import CostMap
from paddock.control.navigation.followers import (
    POINTS_AHEAD,
    PredictingFollower,
    drive_numbers,
    get_spacing,
)
from paddock.control.navigation.vehicle import NEEDED, STILL, Twist, body_clearance, free_time, roll_on
from paddock.core.argument_checks import check_seed
from paddock.core.geometry import Pose
from paddock.core.jit import kernel
from paddock.core.rng import chain_key, gauss
from paddock.perception.mapping.occupancy import Points
from paddock.perception.mapping.scan import Floats

SEPARATION, TOP, ACCELERATION, REACTION = range(4)  # of a drive's limits
OFF, REMAINING, HEADING, CLEARANCE, COMFORT, SPEED = range(6)  # weights; COMFORT is a distance [m]
COLLISION = 1e4


@kernel
def place_cost(path, spacing, x, y, heading, weights):
    """Return the cost of a pose: distance from the path, remaining path length, and heading error."""
    nearest, place = math.inf, 0
    for k in range(path.shape[0]):
        dx, dy = path[k, 0] - x, path[k, 1] - y
        if dx * dx + dy * dy < nearest:
            nearest, place = dx * dx + dy * dy, k
    last = path.shape[0] - 1
    ahead = min(last, place + 6)
    dx, dy = path[ahead, 0] - x, path[ahead, 1] - y
    cost = weights[OFF] * math.sqrt(nearest) + weights[REMAINING] * spacing * (last - place)
    if dx * dx + dy * dy > 0.0025:
        off = math.atan2(dy, dx) - heading
        off -= 2.0 * math.pi * math.floor((off + math.pi) / (2.0 * math.pi))
        cost += weights[HEADING] * abs(off)
    return cost


@kernel
def choose_twist(distance, origin, outline, body, pose, window, counts, drive, path, spacing, seconds, weights, best):
    """Find the best twist of a window from which the robot can stop in time; return whether there is one.

    Args:
        window: minimum and maximum linear [m/s] and angular speed [rad/s].
        counts: number of linear and angular speeds to try.
        drive: limits of the wheels.
        seconds: prediction horizon [s].
        best: receives the twist.
    """
    lowest = math.inf
    for i in range(counts[0]):
        linear = window[0] + (window[1] - window[0]) * i / max(1, counts[0] - 1)
        for k in range(counts[1]):
            angular = window[2] + (window[3] - window[2]) * k / max(1, counts[1] - 1)
            fastest = abs(linear) + abs(angular) * drive[SEPARATION] / 2.0
            if fastest > drive[TOP]:
                continue
            stop = drive[REACTION] + 0.5 * fastest / drive[ACCELERATION]
            free = free_time(distance, origin, outline, body, pose, linear, angular, max(seconds, stop))
            if free < stop:
                continue
            free = min(free, seconds)
            x, y, heading = roll_on(pose[0], pose[1], pose[2], linear, angular, free)
            cost = place_cost(path, spacing, x, y, heading, weights) + weights[SPEED] * (seconds - free)
            clearance = body_clearance(distance, origin, outline, body, x, y, heading)
            cost += weights[CLEARANCE] * max(0.0, weights[COMFORT] - clearance)
            if cost < lowest:
                lowest, best[0], best[1] = cost, linear, angular
    return lowest < math.inf


@kernel
def roll_plan(place, task, plan, key, draws):
    """Return the cost of a plan of twists with noise added to each; `draws` receives the noisy twists."""
    distance, origin, outline, body, pose, now = place
    drive, most, spread, step, path, spacing, weights = task
    x, y, heading = pose[0], pose[1], pose[2]
    linear, angular = now[0], now[1]
    allowed = min(body[NEEDED], body_clearance(distance, origin, outline, body, x, y, heading) - 1e-9)
    limit = drive[ACCELERATION] * step
    cost = 0.0
    for k in range(plan.shape[0]):
        wanted = min(most[0], max(0.0, plan[k, 0] + spread[0] * gauss(key, 2 * k)))
        turning = min(most[1], max(-most[1], plan[k, 1] + spread[1] * gauss(key, 2 * k + 1)))
        change = abs(wanted - linear) + abs(turning - angular) * drive[SEPARATION] / 2.0
        share = min(1.0, limit / change) if change > 0.0 else 1.0
        linear, angular = linear + share * (wanted - linear), angular + share * (turning - angular)
        draws[k, 0], draws[k, 1] = linear, angular
        x, y, heading = roll_on(x, y, heading, linear, angular, step)
        clearance = body_clearance(distance, origin, outline, body, x, y, heading)
        if clearance < allowed:
            cost += COLLISION
        cost += weights[CLEARANCE] * max(0.0, weights[COMFORT] - clearance)
        cost += place_cost(path, spacing, x, y, heading, weights)
    return cost / plan.shape[0]


@kernel
def improve_plan(place, task, plan, key, temperature, draws, costs):
    """Run one iteration of MPPI: random plans around the current one, and their mean, weighted by cost.

    Args:
        place: distances, origin, outline and numbers of a body, pose, current twist.
        task: limits of the drive, maximum twist, spread of the noise, seconds of a step, path, its spacing, weights.
        plan: twists, shape (steps, 2); it is updated.
        key: key of the random noise.
        temperature: a lower value gives more weight to the best plans.
        draws: scratch, shape (plans, steps, 2).
        costs: scratch, shape (plans,).
    """
    lowest = math.inf
    for i in range(costs.shape[0]):
        costs[i] = roll_plan(place, task, plan, chain_key(key, i), draws[i])
        lowest = min(lowest, costs[i])
    total = 0.0
    for i in range(costs.shape[0]):
        costs[i] = math.exp((lowest - costs[i]) / temperature)
        total += costs[i]
    for k in range(plan.shape[0]):
        linear, angular = 0.0, 0.0
        for i in range(costs.shape[0]):
            linear += costs[i] * draws[i, k, 0]
            angular += costs[i] * draws[i, k, 1]
        plan[k, 0], plan[k, 1] = linear / total, angular / total
    return lowest


@dataclass(kw_only=True)
class DynamicWindow(PredictingFollower):
    """The dynamic window approach (Fox, Burgard and Thrun 1997), with costs of the path instead of a bearing."""

    seconds: float = 1.2  # prediction horizon of a twist [s]
    window: float = 0.25  # time in which the wheel speeds may change [s]
    speeds: int = 7  # number of forward speeds tried
    turns: int = 21  # number of turn rates tried
    blocked: float = 1.0  # cost of a second of the horizon that is not free

    def weights(self, size: float) -> Floats:
        return np.array([*super().weights(size)[:-1], self.blocked])

    def decide(self, pose: Pose, now: Twist, path: Points, local: CostMap) -> Twist:
        limits = self.limits
        near = path[:POINTS_AHEAD]
        change = limits.max_acceleration * self.window
        turn = 2 * change / limits.wheel_separation
        window = np.array(
            [
                max(0.0, now.linear - change),
                min(limits.speed, max(0.0, now.linear + change)),
                max(-limits.turn_rate, now.angular - turn),
                min(limits.turn_rate, now.angular + turn),
            ]
        )
        weights = self.weights(local.footprint.circumscribed)
        counts, best = np.array([self.speeds, self.turns]), np.zeros(2)
        found = choose_twist(
            *local.tables, np.array(pose), window, counts, drive_numbers(limits), near, get_spacing(near), self.seconds,
            weights, best,
        )  # fmt: skip
        return Twist(*best.tolist()) if found else STILL


@dataclass(kw_only=True)
class MPPI(PredictingFollower):
    """Model predictive path integral control (Williams and others 2017). The same seed gives the same drive."""

    plans: int = 200  # number of random plans
    steps: int = 15  # of a plan
    step: float = 0.1  # duration of a step [s]; also the required period of decisions
    spread: float = 0.15  # standard deviation of the noise on forward speeds [m/s]
    turn_spread: float = 0.5  # standard deviation of the noise on turn rates [rad/s]
    temperature: float = 0.05  # a lower value gives more weight to the best plans

    def __post_init__(self) -> None:
        check_seed(self.seed)
        self._draws, self._costs = np.empty((self.plans, self.steps, 2)), np.empty(self.plans)
        self.reset()

    def reset(self) -> None:
        self._decisions = 0  # with the seed, this number determines the noise, so that each decision has its own
        super().reset()

    def begin_path(self) -> None:
        self._plan = np.zeros((self.steps, 2))

    def decide(self, pose: Pose, now: Twist, path: Points, local: CostMap) -> Twist:
        near = path[:POINTS_AHEAD]
        self._plan[:-1] = self._plan[1:].copy()
        self._decisions += 1
        weights = self.weights(local.footprint.circumscribed)
        most, spread = [self.limits.speed, self.limits.turn_rate], [self.spread, self.turn_spread]
        place = (*local.tables, np.array(pose), np.array(now))
        task = drive_numbers(self.limits), np.array(most), np.array(spread), self.step, near, get_spacing(near), weights
        key = np.uint64(chain_key(np.uint64(self.seed), self._decisions))
        improve_plan(place, task, self._plan, key, self.temperature, self._draws, self._costs)
        return Twist(*self._plan[0].tolist())
