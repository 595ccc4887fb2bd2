"""Means with confidence intervals: Student's t for measured values, Wilson intervals for shares of runs."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError

MANY = 400  # degrees of freedom above which the normal distribution replaces Student's


class MeanInterval(NamedTuple):
    """A mean and the ends of its confidence interval; NaN if there are too few finite values."""

    mean: float
    low: float
    high: float
    runs: int  # number of finite values


def estimate_mean(values: Sequence[float], confidence: float = 0.95) -> MeanInterval:
    """Return the mean of the finite values and its confidence interval."""
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return MeanInterval(math.nan, math.nan, math.nan, 0)
    mean = math.fsum(known) / len(known)
    if len(known) == 1:
        return MeanInterval(mean, math.nan, math.nan, 1)
    variance = math.fsum((value - mean) ** 2 for value in known) / (len(known) - 1)
    half = student_quantile(confidence, len(known) - 1) * math.sqrt(variance / len(known))
    return MeanInterval(mean, mean - half, mean + half, len(known))


def estimate_share(hits: int, count: int, confidence: float = 0.95) -> MeanInterval:
    """Return the share `hits / count` and its confidence interval (Wilson 1927)."""
    if not count:
        return MeanInterval(math.nan, math.nan, math.nan, 0)
    if not 0 <= hits <= count:
        raise PaddockError(f"estimate_share: hits: expected a number from 0 to {count}, got {hits!r}")
    z, share = normal_quantile(confidence), hits / count
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
    return MeanInterval(share, max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half)), count)


def normal_quantile(confidence: float) -> float:
    """Return z so that the share `confidence` of the normal distribution lies between -z and z."""
    if not (all_finite(confidence) and 0 < confidence < 1):
        raise PaddockError(f"confidence: expected a share between 0 and 1, got {confidence!r}")
    return NormalDist().inv_cdf((1 + confidence) / 2)


@functools.cache
def student_quantile(confidence: float, freedom: int) -> float:
    """Return t so that the share `confidence` of Student's distribution lies between -t and t."""
    normal = normal_quantile(confidence)
    if freedom > MANY:
        return normal
    low, high = 0.0, normal
    while share_within(high, freedom) < confidence:
        low, high = high, 2 * high
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if share_within(middle, freedom) < confidence else (low, middle)
    return high


def share_within(t: float, freedom: int) -> float:
    """Return the share of Student's distribution between -t and t (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2 == 1
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(3 if odd else 2, freedom - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
