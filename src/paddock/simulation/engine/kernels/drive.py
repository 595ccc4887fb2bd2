"""Kinematics of a differential drive: wheel speeds and arcs."""

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
def arc(left, right, wheel_separation):
    """Return the exact displacement along and across [m] and the turn [rad] for wheel travels left and right [m]."""
    turn = (right - left) / wheel_separation
    half = 0.5 * turn
    chord = 0.5 * (left + right)
    if abs(half) > 1e-4:
        chord *= math.sin(half) / half
    else:
        chord *= 1.0 - half * half / 6.0  # equal to double precision
    return chord * math.cos(half), chord * math.sin(half), turn


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
