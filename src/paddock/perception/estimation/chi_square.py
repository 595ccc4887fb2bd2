"""The chi-square distribution: cumulative distribution function and quantiles."""

from __future__ import annotations

import functools
import math

from paddock.core.argument_checks import all_finite
from paddock.core.errors import PaddockError

PRECISION = 1e-14
MAX_TERMS = 10_000


def chi_square_share(value: float, freedom: int) -> float:
    """Return the probability of less than `value`, with `freedom` degrees of freedom."""
    return _gamma_share(freedom / 2, value / 2) if value / 2 > 0 else 0.0


@functools.cache
def chi_square_quantile(share: float, freedom: int) -> float:
    """Return the value below which a share 0 … 1 of the distribution lies."""
    if not (all_finite(share) and 0 < share < 1):
        raise PaddockError(f"chi_square_quantile: share: expected a probability between 0 and 1, got {share!r}")
    if freedom < 1:
        raise PaddockError(f"chi_square_quantile: freedom: expected at least 1 degree of freedom, got {freedom!r}")
    low, high = 0.0, 2.0 * freedom
    while chi_square_share(high, freedom) < share:
        low, high = high, 2 * high
    while high - low > 1e-12 * high and low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if chi_square_share(middle, freedom) < share else (low, middle)
    return (low + high) / 2


def _gamma_share(shape: float, x: float) -> float:
    """Return the regularised lower incomplete gamma function, by its series or a continued fraction."""
    scale = math.exp(shape * math.log(x) - x - math.lgamma(shape))
    if x < shape + 1:
        term = total = 1 / shape
        for n in range(1, MAX_TERMS):
            term *= x / (shape + n)
            total += term
            if term < PRECISION * total:
                break
        return scale * total
    b, tiny = x + 1 - shape, 1e-300  # modified Lentz's method
    c, d = 1 / tiny, 1 / b
    fraction = d
    for n in range(1, MAX_TERMS):
        a = -n * (n - shape)
        b += 2
        d = 1 / (a * d + b or tiny)
        c = b + a / c or tiny
        fraction *= c * d
        if abs(c * d - 1) < PRECISION:
            break
    return 1 - scale * fraction
