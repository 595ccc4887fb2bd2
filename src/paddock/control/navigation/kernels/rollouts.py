"""Rollouts of twists on the map: all twists of a dynamic window, or many random plans."""

from __future__ import annotations

import math

from paddock.control.navigation.kernels.body import NEEDED, body_clearance, free_time, roll_on
from paddock.core.jit import kernel
from paddock.core.rng import chain_key, gauss

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
