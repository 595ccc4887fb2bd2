"""How wheels turn and how a robot rolls on them."""

from __future__ import annotations

import math

from paddock.core.jit import kernel


@kernel
def wheel_speed(now, command, most, step, gain):
    """Wheel speed in the next tick [m/s]: capped, in whole motor steps, and at most `gain` away from now."""
    speed = min(most, max(-most, command))
    if step > 0.0:
        steps = math.floor(most / step + 1e-6)  # never more than the cap allows
        speed = min(steps, max(-steps, math.floor(speed / step + 0.5))) * step
    return min(now + gain, max(now - gain, speed))


@kernel
def arc(left, right, wheel_separation):
    """Displacement along, across and turn after the wheels rolled `left` and `right` [m]: an exact arc."""
    turn = (right - left) / wheel_separation
    half = 0.5 * turn
    chord = 0.5 * (left + right)
    if abs(half) > 1e-4:
        chord *= math.sin(half) / half
    else:
        chord *= 1.0 - half * half / 6.0  # the same to the last bit
    return chord * math.cos(half), chord * math.sin(half), turn


@kernel
def arc_length(along, across, turn):
    """How far an arc led that ended at (along, across) [m], forward positive; the part across it does not count."""
    half = 0.5 * turn
    chord = along * math.cos(half) + across * math.sin(half)
    return chord * half / math.sin(half) if abs(half) > 1e-4 else chord * (1.0 + half * half / 6.0)


@kernel
def wrap_angle(angle):
    """The same direction in (-pi, pi]."""
    if angle > math.pi:
        angle -= 2.0 * math.pi * math.ceil((angle - math.pi) / (2.0 * math.pi))
    elif angle <= -math.pi:
        angle += 2.0 * math.pi * (math.floor((-math.pi - angle) / (2.0 * math.pi)) + 1.0)
    return angle
