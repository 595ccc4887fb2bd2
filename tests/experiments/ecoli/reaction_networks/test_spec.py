"""Tests of reaction networks as data: library, files and errors."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.core.errors import PaddockError, SpecError, UnknownName
from paddock.experiments.ecoli.reaction_networks import (
    Flux,
    ReactionNetwork,
    ReactionPool,
    ReactionUnit,
    build_matrices,
    conserved_sums,
    load_reactions,
    reaction_names,
    simulate,
)
from paddock.experiments.ecoli.reaction_networks.reaction_spec import left_null_space

SMALL = """
name = "small"
input = "S"
output = "P"
pools = [{ name = "S", start = 1.0, held = true }, { name = "P", start = 0.5, loss = 0.1 }]

[[units]]
name = "make"
forward = { rate = 2.0, orders = { S = 1, P = -0.5 } }
changes = { P = 1 }
"""


@pytest.mark.parametrize("name", reaction_names())
def test_every_shipped_network_survives_toml_and_runs(name: str) -> None:
    network = load_reactions(name)
    assert network.name == name
    assert ReactionNetwork.from_toml(network.to_toml()) == network
    course = simulate(network, 0.2, dt=0.1)
    assert np.isfinite(course.pools).all()
    assert (course.pools >= 0).all()
    assert max(course.drifts().values(), default=0.0) < 1e-9


def test_network_loads_by_name_path_or_object(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    network = load_reactions(path)
    assert load_reactions(str(path)) == network == load_reactions(network)
    with pytest.raises(UnknownName, match="did you mean 'oscillator'"):
        load_reactions("oscilator")
    with pytest.raises(PaddockError, match="expected a reaction network's name"):
        load_reactions(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("S = 1, P", "S = 1, PP", r"units\[0\].forward.orders.PP: no pool called 'PP' \(did you mean 'P'\?\)|no pool"),
        ("changes = { P = 1 }", "changes = { Q = 1 }", r"units\[0\].changes.Q: no pool called 'Q'"),
        ("changes", "change", "unknown key .did you mean 'changes'"),
        ('input = "S"', 'input = "P"', "input: expected a held pool: set held = true of pool 'P'"),
        ('output = "P"', 'output = "X"', "output: no pool called 'X'"),
        ("rate = 2.0", "rate = -2.0", "forward.rate: expected a number >= 0, got -2"),
        (
            "orders = { S = 1, P = -0.5 }",
            "orders = 3",
            "forward.orders: expected a table with a value for each name: a",
        ),
        ("P = -0.5 }", 'P = "x" }', "forward.orders.P: expected a reaction order, got 'x'"),
        ("start = 0.5", "start = -0.5", r"pools\[1\].start: expected a number >= 0"),
        ('name = "S", start', 'name = "P", start', "expected different names, got 'P' twice"),
        ("held = true }", "held = true, loss = 1.0 }", "a held pool is set from outside"),
        ("{ P = 1 }", "{ P = 1, S = -1 }", r"units\[0\].changes.S: pool 'S' is held, .* remove S from changes"),
        ("{ P = 1 }", "{ P = 0 }", r"units\[0\].changes.P: expected a number other than 0"),
    ],
)
def test_errors_name_file_and_key(old: str, new: str, message: str) -> None:
    assert old in SMALL
    with pytest.raises(SpecError, match=message):
        ReactionNetwork.from_toml(SMALL.replace(old, new), file="small.toml")


def test_autocatalytic_pool_must_not_start_at_zero() -> None:
    chemotaxis = load_reactions("ecoli-chemotaxis")
    assert [pool for pool in chemotaxis.names if chemotaxis.is_trap(pool)] == ["M"]
    with pytest.raises(SpecError, match="every unit that produces 'M' requires some of it"):
        chemotaxis.with_starts(M=0.0)
    with pytest.raises(PaddockError, match="M = 0 would stay 0 permanently"):
        simulate(chemotaxis, 1.0, starts={"M": 0.0})


def test_conserved_sums_follow_from_the_stoichiometry() -> None:
    found = {str(part) for part in conserved_sums(load_reactions("ecoli-chemotaxis"))}
    assert found == {"RI + RA", "A + Ap", "Y + Yp", "B + Bp"}
    assert conserved_sums(load_reactions("toggle-switch")) == ()


@given(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=5))
def test_null_space_is_complete_and_exact(rows: list[list[int]]) -> None:
    basis = left_null_space([[Fraction(value) for value in row] for row in rows])
    matrix = np.array(rows, float)
    assert len(basis) == len(rows) - np.linalg.matrix_rank(matrix)
    for weights in basis:
        assert (np.array(weights, float) @ matrix == pytest.approx(0.0, abs=1e-12)) if len(weights) else True


def test_network_variants_have_changed_rates_or_held_pools() -> None:
    network = load_reactions("ecoli-chemotaxis")
    slower = network.with_rates_scaled({"methylation": 0.5, "receptor-switch": 2.0})
    assert slower.unit("methylation").forward.rate == pytest.approx(0.3)
    assert slower.unit("receptor-switch").backward == Flux(rate=10.0, orders={"RA": 1, "M": -1.5, "L": 1.5})
    assert network.with_held("M").pool("M").held
    assert not network.with_held("M").unit("methylation").changes
    with pytest.raises(UnknownName, match="did you mean 'methylation'"):
        network.with_rates_scaled({"metylation": 0.0})


def test_matrices_match_the_units() -> None:
    network = ReactionNetwork(
        name="two",
        pools=(ReactionPool(name="a", start=1.0), ReactionPool(name="b", start=2.0)),
        units=(
            ReactionUnit(
                name="swap",
                forward=Flux(rate=3.0, orders={"a": 2}),
                backward=Flux(rate=0.5, orders={"b": 1}),
                changes={"a": -2, "b": 1},
            ),
        ),
    )
    found = build_matrices(network)
    assert found.forward_orders.tolist() == [[2.0, 0.0]]
    assert found.backward.tolist() == [0.5]
    assert found.stoichiometry.tolist() == [[-2.0], [1.0]]
    assert [str(part) for part in conserved_sums(network)] == ["0.5 a + b"]


def test_oversized_networks_are_refused() -> None:
    pools = [ReactionPool(name=f"p{i}", start=1.0) for i in range(501)]
    with pytest.raises(SpecError, match="pools: expected at most 500 pools, got 501"):
        ReactionNetwork(name="wide", pools=tuple(pools))
    flux = Flux(rate=1.0, orders={pool.name: 1.0 for pool in pools[:499]})
    units = [ReactionUnit(name=f"u{i}", forward=flux, changes={"p0": 1}) for i in range(21)]
    with pytest.raises(SpecError, match="at most 10,000 orders and changes in all units, got 10,500"):
        ReactionNetwork(name="dense", pools=tuple(pools[:500]), units=tuple(units))
