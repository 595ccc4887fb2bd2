"""Compiled loops of a particle filter: motion and systematic resampling of particles."""

from __future__ import annotations

import math

from paddock.core.jit import kernel


@kernel
def move_particles(poses, left, right, noise, separation):
    """Turn, drive and turn each particle by the wheels' travel [m] and its own noise.

    Poses are rows x, y, heading. Noise has a row for each particle: of the right and left wheel's travel [m], and of a
    turn that the encoders do not measure [rad].
    """
    for i in range(poses.shape[0]):
        rolled_right, rolled_left = right + noise[i, 0], left + noise[i, 1]
        half = 0.5 * ((rolled_right - rolled_left) / separation + noise[i, 2])
        chord = 0.5 * (rolled_right + rolled_left)
        if abs(half) > 1e-4:
            chord *= math.sin(half) / half
        heading = poses[i, 2] + half
        poses[i, 0] += chord * math.cos(heading)
        poses[i, 1] += chord * math.sin(heading)
        heading += half
        poses[i, 2] = heading - 2.0 * math.pi * math.floor((heading + math.pi) / (2.0 * math.pi))


@kernel
def draw_systematically(weights, start, chosen):
    """Resample systematically: equal steps over the sum of weights, the first at `start`, 0 … 1 of a step."""
    count = chosen.shape[0]
    place, total = 0, weights[0]
    for k in range(count):
        mark = (k + start) / count
        while total < mark and place < weights.shape[0] - 1:
            place += 1
            total += weights[place]
        chosen[k] = place
