"""Stateless random numbers: every number is a hash of (seed, world, robot, device, tick, channel)."""

from __future__ import annotations

import math

import numpy as np

from paddock.core.jit import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
S30, S27, S31, S12 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(12)
TO_UNIT = 1.0 / 4503599627370496.0  # 2**-52

# The world number of all keys. Worlds of a batch differ by their seeds; each equals the arena with its seed bitwise.
ALONE = 0

# Ticks of numbers that are drawn once per run, outside the range of real ticks.
CONSTANT_TICK, WALK_TICK = 1 << 62, (1 << 62) + 1

# Device numbers of the engine itself and of policies, outside the range of real devices.
SLIP_STREAM, DRIFT_STREAM, BIAS_STREAM, POLICY_STREAM, EPISODE_STREAM = range(1 << 20, (1 << 20) + 5)


@kernel
def mix_bits(key):
    """Apply the finaliser of SplitMix64 (Steele, Lea and Flood 2014): every input bit affects every output bit."""
    key = (key ^ (key >> S30)) * MIX_1
    key = (key ^ (key >> S27)) * MIX_2
    return key ^ (key >> S31)


@kernel
def chain_key(key, number):
    """Derive a new key from a key and a whole number."""
    return mix_bits(key + GOLDEN * (np.uint64(number) + np.uint64(1)))


@kernel
def make_key(seed, world, robot, device, tick):
    """Return the key of one device's sample."""
    return chain_key(chain_key(chain_key(chain_key(np.uint64(seed), world), robot), device), tick)


@kernel
def uniform(key, channel):
    """Return a uniform number in the open interval (0, 1)."""
    return (np.float64(chain_key(key, channel) >> S12) + 0.5) * TO_UNIT


@kernel
def gauss(key, channel):
    """Return a standard normal number by inverting the normal distribution (Wichura 1988, AS 241, PPND7)."""
    p = uniform(key, channel)
    q = p - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        above = ((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179
        below = ((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1.0
        return q * above / below
    r = math.sqrt(-math.log(p if q < 0.0 else 1.0 - p))
    if r <= 5.0:
        r -= 1.6
        above = ((0.17023821103 * r + 1.3067284816) * r + 2.7568153900) * r + 1.4234372777
        below = (0.12021132975 * r + 0.73700164250) * r + 1.0
    else:
        r -= 5.0
        above = ((0.017337203997 * r + 0.42868294337) * r + 3.0812263860) * r + 6.6579051150
        below = (0.012258202635 * r + 0.24197894225) * r + 1.0
    return -above / below if q < 0.0 else above / below


@kernel
def random_walk(key, channel, steps):
    """Return the value of a random walk of unit variance per step after some steps, without computing those between.

    It is Lévy's construction of Brownian motion. Each step has one normal number. That of a power of two continues the
    walk from the previous power of two; any other places the walk in the middle between two known values. So a value
    takes about 2 log2(steps) numbers, and the same walk is found from whichever step it is read.
    """
    if steps <= 0:
        return 0.0
    value, start = gauss(chain_key(key, 1), channel), 1  # of the last power of two that is not later
    while 2 * start <= steps:
        value += math.sqrt(start) * gauss(chain_key(key, 2 * start), channel)
        start *= 2
    if start == steps:
        return value
    # The increment from `start` to `start + span`; its halves are independent normal numbers, given their sum.
    span = start
    rest = math.sqrt(span) * gauss(chain_key(key, 2 * span), channel)
    while start < steps:
        span //= 2
        middle = 0.5 * rest + 0.5 * math.sqrt(2.0 * span) * gauss(chain_key(key, start + span), channel)
        if start + span <= steps:
            value += middle
            rest -= middle
            start += span
        else:
            rest = middle
    return value
