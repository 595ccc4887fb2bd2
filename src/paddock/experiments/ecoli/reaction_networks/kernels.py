"""Kernels of reaction networks: fluxes, the fastest rate, and integration steps that keep concentrations >= 0.

A network is one table of numbers (written by `reaction_spec.py`): a head, a row for every pool, a record for every
unit. Kernels return 0 or a fault. A step that would make a pool negative is shortened. If that is not enough, the
kernel returns a fault. Values are never clamped.
"""

from __future__ import annotations

import math

from paddock.core.jit import kernel

# The head of a table.
POOLS, UNITS, HEAD = range(3)
# Columns of a pool's row.
START, START_WITH, HELD, SUPPLY, LOSS, TRAP, POOL_COLUMNS = range(7)
# The first columns of a unit's record. Pairs follow: (pool, order) forward, (pool, order) backward, (pool, change).
OFF_POOL, OFF_LEVEL, FORWARD, BACKWARD, FORWARD_COUNT, BACKWARD_COUNT, CHANGE_COUNT, UNIT_HEAD = range(8)

EULER, RK4, RKC = range(3)
SCRATCH_ROWS = 5  # rows of scratch memory of `advance`, one number per pool each

# Longest sub-step times the fastest rate. Euler is stable below 2 and RK4 below 2.78, RKC of s stages below
# 0.65 (s² - 1); the margin is for rates that grow within a step.
EULER_REACH, RK4_REACH = 0.5, 2.0
RKC_REACH = 0.47  # times s² - 1
MAX_STAGES = 5  # of RKC: longer steps are stable, but less accurate than Euler with the same number of fluxes
DAMPING = 2.0 / 13.0  # of RKC: fast components decay instead of keeping their amplitude
MAX_HALVINGS = 40
MAX_EXPONENT = 700.0  # largest argument of exp() in a power
MAX_FACTORS = 4  # largest whole order that is computed by multiplication
STEPS_OF_A_RATE = 4  # sub-steps between two computations of the fastest rate
MAX_STEPS = 1e6  # sub-steps in one call

# Faults. The number of a pool + 1 means that the pool would become negative, or is 0 and cannot grow again.
FINE, NOT_FINITE, TOO_FAST = 0, -1, -2
HILL, HALF = 10.3, 3.1  # steepness; µM of CheY-P at which the bias is one half (Cluzel, Surette and Leibler 2000)
TUMBLE_TIME = 0.14  # mean [s] (Berg and Brown 1972)


@kernel
def power(value, order):
    """Return a pool to the power of a reaction order. Small whole and half orders are exact and fast."""
    if order == 1.0:
        return value
    if value < 0.0:
        return math.nan
    if value == 0.0:
        return 0.0 if order > 0.0 else math.inf
    size = abs(order)
    whole = int(size)
    if whole > MAX_FACTORS or (size - whole != 0.0 and size - whole != 0.5):
        exponent = order * math.log(value)
        return math.exp(exponent) if exponent < MAX_EXPONENT else math.inf
    result = 1.0 if size == whole else math.sqrt(value)
    for _ in range(whole):
        result *= value
    return result if order > 0.0 else 1.0 / result


@kernel
def one_way_flux(table, at, count, rate, pools):
    """Return a rate times some pools, each to the power of its order."""
    flux = rate
    for k in range(at, at + 2 * count, 2):
        flux *= power(pools[int(table[k])], table[k + 1])
    return flux


@kernel
def is_off(table, at, pools):
    """Return whether a unit is switched off."""
    return table[at + OFF_POOL] >= 0.0 and pools[int(table[at + OFF_POOL])] > table[at + OFF_LEVEL]


@kernel
def find_changes(table, pools, changes):
    """Compute the rate of change of every pool [concentration/s]."""
    count = int(table[POOLS])
    for i in range(count):
        row = HEAD + i * POOL_COLUMNS
        changes[i] = table[row + SUPPLY] - table[row + LOSS] * pools[i]
    at = HEAD + count * POOL_COLUMNS
    for _ in range(int(table[UNITS])):
        forward, backward = int(table[at + FORWARD_COUNT]), int(table[at + BACKWARD_COUNT])
        first = at + UNIT_HEAD + 2 * (forward + backward)
        end = first + 2 * int(table[at + CHANGE_COUNT])
        if not is_off(table, at, pools):
            flux = one_way_flux(table, at + UNIT_HEAD, forward, table[at + FORWARD], pools)
            if table[at + BACKWARD] > 0.0:
                flux -= one_way_flux(table, at + UNIT_HEAD + 2 * forward, backward, table[at + BACKWARD], pools)
            for k in range(first, end, 2):
                changes[int(table[k])] += table[k + 1] * flux
        at = end


@kernel
def find_slope_at_zero(table, at, count, rate, pools, place):
    """Return the derivative of a flux by a pool that is 0: the product of the others for order 1, else 0."""
    if table[place + 1] != 1.0:
        return 0.0
    slope = rate
    for k in range(at, at + 2 * count, 2):
        if k != place:
            slope *= power(pools[int(table[k])], table[k + 1])
    return slope


@kernel
def add_slopes(table, at, count, rate, pools, first, end, rows, columns):
    """Add the derivatives of one flux to the row and column sums of the Jacobian's magnitudes."""
    flux = one_way_flux(table, at, count, rate, pools)
    moved = 0.0
    for k in range(first, end, 2):
        moved += abs(table[k + 1])
    steepest = 0.0
    for k in range(at, at + 2 * count, 2):
        pool = int(table[k])
        if table[HEAD + pool * POOL_COLUMNS + HELD] == 0.0:
            if pools[pool] > 0.0:  # the derivative of x^a by x is a · x^a / x
                slope = abs(table[k + 1]) * flux / pools[pool]
            else:
                slope = find_slope_at_zero(table, at, count, rate, pools, k)
            steepest += slope
            columns[pool] += moved * slope
    for k in range(first, end, 2):
        rows[int(table[k])] += abs(table[k + 1]) * steepest


@kernel
def find_fastest_rate(table, pools, rows, columns):
    """Return an upper bound of the magnitudes of the Jacobian's eigenvalues [1/s].

    No eigenvalue of a matrix exceeds its largest row sum of magnitudes, or its largest column sum. The smaller one of
    both is used.
    """
    count = int(table[POOLS])
    for i in range(count):
        rows[i] = columns[i] = table[HEAD + i * POOL_COLUMNS + LOSS]
    at = HEAD + count * POOL_COLUMNS
    for _ in range(int(table[UNITS])):
        forward, backward = int(table[at + FORWARD_COUNT]), int(table[at + BACKWARD_COUNT])
        middle = at + UNIT_HEAD + 2 * forward
        first = middle + 2 * backward
        end = first + 2 * int(table[at + CHANGE_COUNT])
        if not is_off(table, at, pools):
            add_slopes(table, at + UNIT_HEAD, forward, table[at + FORWARD], pools, first, end, rows, columns)
            if table[at + BACKWARD] > 0.0:
                add_slopes(table, middle, backward, table[at + BACKWARD], pools, first, end, rows, columns)
        at = end
    by_row, by_column = 0.0, 0.0
    for i in range(count):
        by_row, by_column = max(by_row, rows[i]), max(by_column, columns[i])
    return min(by_row, by_column)


@kernel
def take_step(table, pools, step, method, changes, total, target):
    """Take one step of the Euler or the classical Runge–Kutta method and write the new pools to `target`."""
    count = int(table[POOLS])
    find_changes(table, pools, changes)
    for i in range(count):
        total[i] = changes[i]
        target[i] = pools[i] + step * changes[i]
    if method == EULER:
        return
    for stage in range(3):
        if stage < 2:
            for i in range(count):
                target[i] = pools[i] + 0.5 * step * changes[i]
        else:
            for i in range(count):
                target[i] = pools[i] + step * changes[i]
        find_changes(table, target, changes)
        weight = 1.0 if stage == 2 else 2.0
        for i in range(count):
            total[i] += weight * changes[i]
    for i in range(count):
        target[i] = pools[i] + step / 6.0 * total[i]


@kernel
def take_chebyshev_step(table, pools, step, stages, changes, first, target, last, before):
    """Take one step of the Runge-Kutta-Chebyshev method of order 2 (Sommeijer, Shampine and Verwer 1998).

    The method is explicit. The longest stable step grows with the square of the number of stages. It suits networks
    with few fast reactions. T, its derivatives and b are those of the paper, at stages j, j - 1 (…_1) and j - 2 (…_2).
    """
    count = int(table[POOLS])
    w0 = 1.0 + DAMPING / (stages * stages)
    t_2, d_2, dd_2, t_1, d_1, dd_1 = 1.0, 0.0, 0.0, w0, 1.0, 0.0
    for _ in range(stages - 1):
        t, d, dd = 2.0 * w0 * t_1 - t_2, 2.0 * (w0 * d_1 + t_1) - d_2, 2.0 * (w0 * dd_1 + 2.0 * d_1) - dd_2
        t_2, d_2, dd_2, t_1, d_1, dd_1 = t_1, d_1, dd_1, t, d, dd
    w1 = d_1 / dd_1
    b_1 = b_2 = 0.25 / (w0 * w0)  # of the second stage, T'' / T'²
    find_changes(table, pools, first)
    for i in range(count):
        before[i], last[i] = pools[i], pools[i] + b_1 * w1 * step * first[i]
    t_2, d_2, dd_2, t_1, d_1, dd_1 = 1.0, 0.0, 0.0, w0, 1.0, 0.0
    for _ in range(stages - 1):
        t, d, dd = 2.0 * w0 * t_1 - t_2, 2.0 * (w0 * d_1 + t_1) - d_2, 2.0 * (w0 * dd_1 + 2.0 * d_1) - dd_2
        b = dd / (d * d)
        mu, nu, pace = 2.0 * b * w0 / b_1, -b / b_2, 2.0 * b * w1 / b_1
        find_changes(table, last, changes)
        for i in range(count):
            target[i] = (1.0 - mu - nu) * pools[i] + mu * last[i] + nu * before[i]
            target[i] += pace * step * (changes[i] - (1.0 - b_1 * t_1) * first[i])
        for i in range(count):
            before[i], last[i] = last[i], target[i]
        t_2, d_2, dd_2, t_1, d_1, dd_1, b_2, b_1 = t_1, d_1, dd_1, t, d, dd, b_1, b


@kernel
def find_fault(table, pools):
    """Return a fault for the first pool that is negative, not finite, or permanently 0; FINE if there is none."""
    for i in range(int(table[POOLS])):
        trapped = table[HEAD + i * POOL_COLUMNS + TRAP] == 1.0 and pools[i] == 0.0
        if not pools[i] >= 0.0 or pools[i] == math.inf or trapped:
            return i + 1
    return FINE


@kernel
def start_held(table, pools):
    """Set all held pools to their start values."""
    for i in range(int(table[POOLS])):
        row = HEAD + i * POOL_COLUMNS
        if table[row + HELD] == 1.0:
            pools[i] = table[row + START]


@kernel
def start_pools(table, pools):
    """Set all pools that are not held to their start values."""
    for i in range(int(table[POOLS])):
        row = HEAD + i * POOL_COLUMNS
        if table[row + HELD] == 0.0:
            other = int(table[row + START_WITH])
            pools[i] = table[row + START] * (pools[other] if other >= 0 else 1.0)


@kernel
def advance(table, pools, scratch, seconds, method, longest):
    """Advance a network in sub-steps limited by its fastest rate and by `longest` [s]; return FINE or a fault.

    `pools` is changed in place. After a fault it holds the last valid values. `scratch` has SCRATCH_ROWS rows of as
    many numbers as there are pools.
    """
    count = int(table[POOLS])
    changes, total, target = scratch[:count], scratch[count : 2 * count], scratch[2 * count : 3 * count]
    rows, columns = scratch[3 * count : 4 * count], scratch[4 * count : 5 * count]
    reach = EULER_REACH if method == EULER else RK4_REACH
    if method == RKC:
        reach = RKC_REACH * (MAX_STAGES * MAX_STAGES - 1.0)
    fault = find_fault(table, pools)
    left, steps, rate = seconds, 0.0, 0.0
    while left > 0.0 and fault == FINE:
        if steps % STEPS_OF_A_RATE == 0.0:
            rate = find_fastest_rate(table, pools, rows, columns)
        if not rate < math.inf:
            return NOT_FINITE
        pieces = max(left * rate / reach, left / longest)
        steps += 1.0
        if steps + pieces > MAX_STEPS:
            return TOO_FAST
        step = left / max(1.0, math.ceil(pieces))
        for _ in range(MAX_HALVINGS):
            if method == RKC:
                stages = int(max(2.0, math.ceil(math.sqrt(1.0 + step * rate / RKC_REACH))))
                take_chebyshev_step(table, pools, step, stages, changes, total, target, rows, columns)
            else:
                take_step(table, pools, step, method, changes, total, target)
            fault = find_fault(table, target)
            if fault == FINE:
                break
            step *= 0.5
        if fault == FINE:
            for i in range(count):
                pools[i] = target[i]
            left -= step
    return fault


@kernel
def advance_all(table, pools, scratch, seconds, method, longest, faults):
    """Call `advance` for many copies of a network; `pools` has shape (copies, pools)."""
    for k in range(pools.shape[0]):
        faults[k] = advance(table, pools[k], scratch, seconds, method, longest)


@kernel
def find_tumble_odds(output, hill, half):
    """Return the odds of turning clockwise, bias / (1 - bias): (CheY-P / half)^hill."""
    return math.exp(hill * math.log(output / half)) if output > 0.0 else 0.0
