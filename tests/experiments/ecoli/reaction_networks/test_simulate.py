"""Tests of network simulation against independent solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from paddock.core.errors import PaddockError, SimulationError, UnknownName
from paddock.experiments.ecoli.reaction_networks import (
    Flux,
    ReactionNetwork,
    ReactionPool,
    ReactionUnit,
    SwitchOff,
    advance_pools,
    build_matrices,
    find_dose_response,
    find_step_response,
    load_reactions,
    simulate,
    start_values,
)
from paddock.experiments.ecoli.reaction_networks.kernels import find_changes, find_fastest_rate
from paddock.experiments.ecoli.reaction_networks.reaction_spec import pack_row

Floats = NDArray[np.float64]


def changes_by_matrices(network: ReactionNetwork, pools: Floats) -> Floats:
    """Compute the changes by matrices."""
    m, logs = build_matrices(network), np.log(pools)
    flux = m.forward * np.exp(m.forward_orders @ logs) - m.backward * np.exp(m.backward_orders @ logs)
    return np.asarray(m.stoichiometry @ flux + m.supply - m.loss * pools)


def solve(network: ReactionNetwork, pools: Floats, times: Floats) -> Floats:
    """Solve with scipy."""
    from scipy.integrate import solve_ivp

    options: Any = {"method": "LSODA", "rtol": 1e-11, "atol": 1e-13}
    found = solve_ivp(lambda _, x: changes_by_matrices(network, x), (0, times[-1]), pools, t_eval=times, **options)
    return np.asarray(found.y.T)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("ecoli-chemotaxis", {"L": 2.0}),
        ("ecoli-chemotaxis-n6", {"L": 2.0}),
        ("oscillator", {}),
        ("ingalls-6.12", {"L": 40.0}),
    ],
)
def test_course_matches_an_independent_solver(name: str, inputs: dict[str, float]) -> None:
    network = load_reactions(name)
    first = start_values(network)
    pools = {pool: value for pool, value in zip(network.names, first, strict=True) if not network.pool(pool).held}
    course = simulate(network, 20.0, dt=0.1, inputs=inputs, starts=pools, tolerance=1e-8)
    assert np.abs(course.pools / solve(network, course.pools[0], course.times) - 1.0).max() < 1e-6


@pytest.mark.heavy
@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("rkc", 2), ("rk4", 4)])
def test_errors_decrease_with_the_order_of_the_method(method: str, order: int) -> None:
    network = load_reactions("oscillator")
    exact = solve(network, start_values(network), np.array([0.0, 2.0]))[-1]
    steps = np.array([0.04, 0.02, 0.01])
    errors = [np.abs(simulate(network, 2.0, dt=2.0, method=method, step=h).pools[-1] - exact).max() for h in steps]
    slopes = np.diff(np.log(errors)) / np.diff(np.log(steps))
    assert slopes == pytest.approx(order, abs=0.15)


@given(st.lists(st.floats(0.01, 5.0), min_size=12, max_size=12))
def test_kernel_matches_matrices_and_bounds_all_rates(values: list[float]) -> None:
    network = load_reactions("ecoli-chemotaxis")
    pools, found = np.array(values), np.zeros(12)
    find_changes(pack_row(network), pools, found)
    assert found == pytest.approx(changes_by_matrices(network, pools), rel=1e-9, abs=1e-9)
    jacobian = np.zeros((12, 12))
    moving = [i for i, pool in enumerate(network.pools) if not pool.held]
    for j in moving:
        shift = np.zeros(12)
        shift[j] = 1e-6 * pools[j]
        up, down = (changes_by_matrices(network, pools + sign * shift) for sign in (1, -1))
        jacobian[:, j] = (up - down) / (2 * shift[j])
    fastest = np.abs(np.linalg.eigvals(jacobian)).max()
    assert find_fastest_rate(pack_row(network), pools, np.zeros(12), np.zeros(12)) >= fastest * (1 - 1e-3)


@pytest.mark.heavy
def test_tenfold_step_of_a_stiff_cell_conserves_matter() -> None:
    six = load_reactions("ecoli-chemotaxis-n6")
    course = simulate(six, 250.0, dt=0.1, inputs={"L": [(0.0, 1.0), (100.0, 10.0)]})
    assert max(course.drifts().values()) < 1e-9
    assert course.output[-1] == pytest.approx(course.output[999], rel=1e-2)
    assert course.output.min() < 0.05


@pytest.mark.heavy
@pytest.mark.parametrize("factor", [0.1, 1.05, 10.0])
def test_stabilised_method_is_accurate_at_walker_ticks(factor: float) -> None:
    network = load_reactions("ecoli-chemotaxis-n6")
    inputs = {"L": [(0.0, 1.0), (0.1, factor)]}
    exact, quick = (simulate(network, 2.0, method=method, inputs=inputs) for method in ("rk4", "rkc"))
    apart = np.abs(quick.output - exact.output)
    assert apart.max() < (0.002 if factor == 1.05 else 0.2)
    assert apart[-1] < 1e-3
    assert max(quick.drifts().values()) < 1e-9


def drained(order: float) -> ReactionNetwork:
    """Return a network with a pool that is used up."""
    flux = Flux(rate=1.0, orders={"x": order} if order else {})
    unit = ReactionUnit(name="drain", forward=flux, changes={"x": -1})
    return ReactionNetwork(name="drained", pools=(ReactionPool(name="x", start=1.0),), units=(unit,))


def test_negative_pool_is_an_error() -> None:
    with pytest.raises(SimulationError, match=r"drained: before 1.* pool 'x' would become negative"):
        simulate(drained(0.0), 3.0, dt=0.5)
    assert simulate(drained(1.0), 3.0, dt=0.5)["x"][-1] == pytest.approx(np.exp(-3.0), rel=1e-5)


def test_zero_inhibitor_and_too_fast_rates_are_reported() -> None:
    message = "pool 'L' is 0, and unit 'receptor-switch' has it in its forward flux with the order -1.5.*set its input"
    with pytest.raises(SimulationError, match=message):
        simulate(load_reactions("ecoli-chemotaxis"), 1.0, inputs={"L": 0.0}, starts={"M": 1.0})
    alone = ReactionUnit(name="leak", forward=Flux(rate=1.0, orders={"s": -1}), changes={"x": 1})
    pools = ReactionPool(name="s", start=0.0, held=True), ReactionPool(name="x", start=1.0)
    with pytest.raises(SimulationError, match="pool 's' is 0, and unit 'leak' has it"):
        simulate(ReactionNetwork(name="leaking", pools=pools, units=(alone,)), 1.0)
    quick = drained(1.0).with_rates_scaled({"drain": 1e9})
    with pytest.raises(SimulationError, match="more than a million sub-steps"):
        simulate(quick, 1.0)


def test_unbounded_pool_is_reported_with_its_unit() -> None:
    unit = ReactionUnit(name="burst", forward=Flux(rate=1.0, orders={"x": 3}), changes={"x": 1})
    network = ReactionNetwork(name="bursting", pools=(ReactionPool(name="x", start=1.0),), units=(unit,))
    with pytest.raises(SimulationError, match=r"pool 'x' grows without bound .*unit 'burst' produces it at an"):
        simulate(network, 1.0)


def thermostat() -> ReactionNetwork:
    """Return a pool that is produced while it is below a level."""
    off = SwitchOff(pool="x", level=0.5)
    unit = ReactionUnit(name="heater", forward=Flux(rate=2.0), changes={"x": 1}, off_above=off)
    return ReactionNetwork(name="thermostat", pools=(ReactionPool(name="x", start=0.1, loss=1.0),), units=(unit,))


@pytest.mark.heavy
@pytest.mark.parametrize("dt", [0.02, 0.5, 5.0])
def test_switch_time_is_found_at_any_row_spacing(dt: float) -> None:
    pulse = {"set": [(0.0, 0.0), (10.0, 1.0), (12.3, 0.0)]}
    course = simulate(load_reactions("toggle-switch"), 15.0, dt=dt, inputs=pulse, tolerance=1e-8)
    # U rises alone to 0.5 and switches V off, V falls to 0.5 and lets U rise faster, then only U's own making is left.
    switched = 10.0 - np.log(1.0 - 0.5 / 2.0) + np.log(2.0 / 0.5)
    at_pulse_end = 4.0 - (4.0 - 2.0 * (1.0 - np.exp(-(switched - 10.0)))) * np.exp(-(12.3 - switched))
    assert course["U"][-1] == pytest.approx(2.0 + (at_pulse_end - 2.0) * np.exp(-2.7), rel=1e-6)


@pytest.mark.heavy
def test_unreachable_tolerance_is_an_error() -> None:
    sliding = thermostat()  # it is switched on and off for ever
    assert simulate(sliding, 5.0, dt=0.5)["x"][-1] == pytest.approx(0.5, rel=1e-4)
    with pytest.raises(SimulationError, match=r"pool 'x' has a relative error of .* tolerance=1e-13 is not reached"):
        simulate(sliding, 5.0, dt=0.5, tolerance=1e-13)
    assert simulate(sliding, 5.0, dt=0.5, step=1e-3)["x"][-1] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tolerance": 0.0}, "tolerance: expected a number > 0, got 0"),
        ({"dt": 1e-9}, "1e.09 rows of 12 pools: expected at most 1,000,000 rows: use dt="),
        ({"dt": 3.0}, "seconds: expected at least dt = 3"),
        ({"method": "rk44"}, "did you mean 'rk4'"),
        ({"inputs": {"l": 1.0}}, "no held pool of ecoli-chemotaxis called 'l'"),
        ({"inputs": {"L": -1.0}}, "L: expected a concentration >= 0, got -1"),
        ({"inputs": {"L": [(1.0, 1.0)]}}, "expected increasing times, the first 0"),
        ({"inputs": {"L": "high"}}, "expected a number, a list of .time, value., or a function"),
        ({"dt": 0.0}, "dt: expected seconds > 0"),
        ({"starts": {"Q": 1.0}}, "no pool of ecoli-chemotaxis called 'Q'"),
        ({"starts": 3}, "starts: expected a dict by pool, got 3"),
        ({"inputs": 3}, "inputs: expected a dict by held pool, got 3"),
        ({"inputs": {"L": [(0.0, 1.0), (1.0, [1.0, 2.0])]}}, "expected a number, a list of .time, value."),
        ({"method": ["rk4"]}, "no method called"),
    ],
)
def test_invalid_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((PaddockError, UnknownName), match=message):
        simulate(load_reactions("ecoli-chemotaxis"), 1.0, **arguments)


DECAY = ReactionNetwork(
    name="decay",
    input="L",
    output="x",
    pools=(ReactionPool(name="L", start=1, held=True), ReactionPool(name="x", start=0)),
)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simulate("oscillator", 1.0), "expected a ReactionNetwork, got 'oscillator': load it"),  # type: ignore[arg-type]
        (lambda: advance_pools(DECAY, [1, 2], -1.0), "decay: seconds: expected seconds > 0, got -1"),
        (lambda: advance_pools(DECAY, [1, 2], 1.0, step=0), "decay: step: expected seconds > 0, got 0"),
        (lambda: advance_pools(DECAY, "many", 1.0), "decay: pools: expected numbers, got 'many'"),
        (lambda: start_values(DECAY, {"x": 1.0}), "no held pool of decay called 'x'"),
        (lambda: find_step_response(DECAY, 1, 2, dt=0), "decay: dt: expected seconds > 0, got 0"),
        (lambda: find_step_response(DECAY, 1, 2, seconds=0), "decay: seconds: expected seconds > 0, got 0"),
        (
            lambda: find_step_response(DECAY, 1, 2, shown_before=-1),
            "decay: shown_before: expected seconds >= 0, got -1",
        ),
        (
            lambda: find_step_response(DECAY, 1, 2, reading=lambda x: x[:3]),
            "reading: expected a value for each of 12001",
        ),
        (lambda: find_dose_response(DECAY, 3), "decay: doses: expected a list of at least one dose, got 3"),  # type: ignore[arg-type]
    ],
)
def test_invalid_arguments_of_responses_are_refused(call: Any, message: str) -> None:
    with pytest.raises(PaddockError, match=message):
        call()


def test_response_that_rests_at_zero_has_an_error_value() -> None:
    assert find_step_response(DECAY, 1, 2, seconds=1, settle=1).error == 0


def test_rates_are_scaled_by_unit() -> None:
    network = load_reactions("ecoli-chemotaxis")
    unit = network.units[0]
    scaled = network.with_rates_scaled({unit.name: 2.0})
    assert scaled.unit(unit.name).forward.rate == 2 * unit.forward.rate
    assert scaled.units[1:] == network.units[1:]
    with pytest.raises(PaddockError, match=f"factor of {unit.name}: expected"):
        network.with_rates_scaled({unit.name: "twice"})  # type: ignore[dict-item]


@pytest.mark.heavy
def test_input_may_be_a_schedule_function_or_value() -> None:
    network = load_reactions("ecoli-chemotaxis")
    listed = network.simulate(2.0, dt=0.1, inputs={"L": [(0.0, 1.0), (1.0, 2.0)]})
    called = network.simulate(2.0, dt=0.1, inputs={"L": lambda time: 1.0 if time < 0.999 else 2.0})
    assert np.array_equal(listed.pools, called.pools)
    assert listed["Yp"][9] == pytest.approx(2.5956, abs=1e-3)
    between = network.simulate(2.0, dt=0.4, inputs={"L": [(0.0, 1.0), (1.0, 2.0)]})  # it changes within a row
    assert between.pools[-1] == pytest.approx(listed.pools[-1], rel=1e-5)


def test_copies_advance_independently() -> None:
    network = load_reactions("ecoli-chemotaxis")
    levels = np.array([[0.1, 1.0], [2.0, 5.0]])
    pools = np.stack([[start_values(network, {"L": level}) for level in row] for row in levels])
    pools[..., network.index("L")] *= 1.5
    together = advance_pools(network, pools, 0.1)
    assert together.shape == (2, 2, 12)
    for world in range(2):
        for robot in range(2):
            assert np.array_equal(together[world, robot], advance_pools(network, pools[world, robot], 0.1))
    with pytest.raises(PaddockError, match="pools: expected shape"):
        advance_pools(network, np.ones(3), 0.1)


@pytest.mark.heavy
def test_toggle_switch_stores_a_bit_and_oscillator_has_its_period() -> None:
    pulses = {"set": [(0.0, 0.0), (10.0, 1.0), (12.0, 0.0)], "reset": [(0.0, 0.0), (25.0, 1.0), (27.0, 0.0)]}
    toggle = simulate(load_reactions("toggle-switch"), 40.0, dt=1.0, inputs=pulses)
    assert toggle["U"][[9, 24, 39]] == pytest.approx([0.0, 2.0, 0.0], abs=1e-3)
    assert toggle["V"][[9, 24, 39]] == pytest.approx([2.0, 0.0, 2.0], abs=1e-3)
    clock = simulate(load_reactions("oscillator"), 60.0, dt=0.005)
    rises = clock.times[1:][(clock.output[1:] > 1) & (clock.output[:-1] <= 1)]
    assert np.diff(rises)[2:] == pytest.approx(7.157, abs=0.006)


@pytest.mark.heavy
def test_ingalls_model_matches_the_published_equations() -> None:
    from scipy.integrate import solve_ivp

    def book(level: float) -> Any:
        def changes(_: float, x: Any) -> list[float]:
            am, aml, b, bp = x
            bind, off, off_l = am * level - aml, 200 * bp * am / (1 + am), bp * aml / (1 + aml)
            return [1 - off - bind, 1 - off_l + bind, -0.05 * am * b + 0.005 * bp, 0.05 * am * b - 0.005 * bp]

        return changes

    network = load_reactions("ingalls-6.12")
    course = simulate(network, 50.0, dt=0.5, inputs={"L": [(0.0, 20.0), (10.0, 40.0), (30.0, 80.0)]}, step=1e-3)
    state, times = [0.0360, 1.5593, 0.7356, 0.2644], course.times
    for begin, end, level in ((0, 10, 20.0), (10, 30, 40.0), (30, 50, 80.0)):
        shown = times[(times > begin) & (times <= end)]
        found = solve_ivp(book(level), (begin, end), state, t_eval=shown, method="Radau", rtol=1e-10, atol=1e-12)
        assert course["Am"][(times > begin) & (times <= end)] == pytest.approx(found.y[0], rel=1e-6)
        state = found.y[:, -1]
    assert course["Am"][-1] == pytest.approx(course["Am"][0], rel=0.03)  # it adapts almost
    assert course["Am"][-1] != pytest.approx(course["Am"][0], rel=0.005)
