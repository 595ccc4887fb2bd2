"""Kinematics of drives: wheel speeds, and the displacement of a robot in a tick.

In a tick, every drive moves with a constant twist. It is written as the travels of the left and right side, which are
those of the wheels of a differential drive, and the travel sideways.
"""

from __future__ import annotations

import math

from paddock.core.jit import kernel


@kernel
def wheel_speed(now, command, most, step, gain):
    """Return the wheel speed of the next tick [m/s]: capped, in whole motor steps, and changed by at most `gain`."""
    speed = min(most, max(-most, command))
    if step > 0.0:
        steps = math.floor(most / step + 1e-6)  # stay within the cap
        speed = min(steps, max(-steps, math.floor(speed / step + 0.5))) * step
    return min(now + gain, max(now - gain, speed))


@kernel
def arc(left, right, sideways, wheel_separation):
    """Return the exact displacement along and across [m] and the turn [rad] for travels left, right, sideways [m]."""
    turn = (right - left) / wheel_separation
    half = 0.5 * turn
    chord = 0.5 * (left + right)
    if abs(half) > 1e-4:
        shortened = math.sin(half) / half
    else:
        shortened = 1.0 - half * half / 6.0  # equal to double precision
    chord *= shortened
    along, across = chord * math.cos(half), chord * math.sin(half)
    if sideways != 0.0:
        along, across = along - shortened * sideways * math.sin(half), across + shortened * sideways * math.cos(half)
    return along, across, turn


@kernel
def find_travels(along, across, turn, wheel_separation):
    """Return the travels left, right, sideways [m] of the twist with this displacement: the inverse of `arc`."""
    half = 0.5 * turn
    stretched = half / math.sin(half) if abs(half) > 1e-4 else 1.0 + half * half / 6.0
    c, s = stretched * math.cos(half), stretched * math.sin(half)
    forward, side = c * along + s * across, half * wheel_separation
    return forward - side, forward + side, c * across - s * along


@kernel
def fit_sideways(left, right, sideways, most):
    """Return the factor by which speeds of an omnidirectional drive are reduced, so that no wheel exceeds `most`.

    The fastest of four mecanum wheels has exactly this sum of speeds. With three wheels, none is faster.
    """
    fastest = max(abs(left), abs(right)) + abs(sideways)
    return most / fastest if fastest > most else 1.0


@kernel
def steer(angle, target, limit, gain):
    """Return the steering angle after a tick [rad]: within ±`limit`, changed by at most `gain`."""
    return min(angle + gain, max(angle - gain, min(limit, max(-limit, target))))


# Nodes and weights of the Gauss-Legendre rule of order 5 on 0 … 1.
NODES = (0.046910077030668, 0.2307653449471585, 0.5, 0.7692346550528415, 0.953089922969332)
WEIGHTS = (0.1184634425280945, 0.2393143352496832, 0.2844444444444444, 0.2393143352496832, 0.1184634425280945)


@kernel
def swerve(travel, first, last, wheelbase):
    """Return the displacement of a car whose steering angle changes evenly from `first` to `last` [rad] on its way [m].

    Its heading follows in closed form, its position by quadrature, whose error is below rounding for a tick.
    """
    change = last - first
    along, across = 0.0, 0.0
    for k in range(len(NODES)):
        heading = swerve_turn(NODES[k] * travel, first, first + NODES[k] * change, wheelbase)
        along += WEIGHTS[k] * travel * math.cos(heading)
        across += WEIGHTS[k] * travel * math.sin(heading)
    return along, across, swerve_turn(travel, first, last, wheelbase)


@kernel
def swerve_turn(travel, first, last, wheelbase):
    """Return the turn [rad] of a car on a way [m] on which its steering angle changes evenly."""
    change = last - first
    if abs(change) < 1e-5:  # the mean curvature is that of the mean angle; equal to double precision
        return travel * math.tan(0.5 * (first + last)) / wheelbase
    return travel * math.log(math.cos(first) / math.cos(last)) / (change * wheelbase)


@kernel
def arc_length(along, across, turn):
    """Return the length of an arc that ends at (along, across) [m], positive forwards, ignoring lateral motion."""
    half = 0.5 * turn
    chord = along * math.cos(half) + across * math.sin(half)
    return chord * half / math.sin(half) if abs(half) > 1e-4 else chord * (1.0 + half * half / 6.0)


@kernel
def wrap_angle(angle):
    """Wrap an angle to (-pi, pi] [rad]."""
    if angle > math.pi:
        angle -= 2.0 * math.pi * math.ceil((angle - math.pi) / (2.0 * math.pi))
    elif angle <= -math.pi:
        angle += 2.0 * math.pi * (math.floor((-math.pi - angle) / (2.0 * math.pi)) + 1.0)
    return angle
