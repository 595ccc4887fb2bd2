"""Tests that pictures of networks and pools are readable."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from marks import rarely
from paddock.core.errors import PaddockError
from paddock.experiments.ecoli.reaction_networks import (
    Flux,
    ReactionNetwork,
    ReactionPool,
    ReactionUnit,
    draw_reactions,
    load_reactions,
    pools_chart,
    reaction_names,
    simulate,
)
from paddock.experiments.ecoli.reaction_networks.reaction_picture import lay_out

pytestmark = pytest.mark.heavy


def chain(size: int) -> ReactionNetwork:
    """Return pools that each turn into the next one."""
    pools = tuple(ReactionPool(name=f"pool-{i}", start=1.0) for i in range(size))
    units = tuple(
        ReactionUnit(
            name=f"step-{i}-of-a-long-way",
            forward=Flux(rate=1.0, orders={f"pool-{i}": 1, f"pool-{(i + 7) % size}": -0.5}),
            changes={f"pool-{i}": -1, f"pool-{i + 1}": 1},
        )
        for i in range(size - 1)
    )
    return ReactionNetwork(name="chain", input=None, output="pool-3", pools=pools, units=units)


def long_names() -> ReactionNetwork:
    """Make a network of one pool with a name of many lines, with supply and loss."""
    pool = ReactionPool(name="_".join(["concentration"] * 6), start=1.0, supply=1.0, loss=1.0)
    return ReactionNetwork(name="long-names", output=pool.name, pools=(pool, ReactionPool(name="Y", start=1.0)))


def list_texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize(
    "network",
    [*map(load_reactions, reaction_names()), long_names(), *rarely(chain(25))],
    ids=lambda network: network.name,
)
def test_picture_shows_every_name_without_overlap(network: ReactionNetwork) -> None:
    ax = draw_reactions(network)
    figure: Any = ax.figure
    figure.draw_without_rendering()
    shown = " ".join(list_texts(ax)).replace("-\n", "-").replace("_\n", "_").replace("\n", " ").split()
    assert {*network.names, *(unit.name for unit in network.units)} <= set(shown)
    assert ("INPUT" in shown, "OUTPUT" in shown) == (network.input is not None, network.output is not None)
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    assert all(figure.bbox.contains(*corner) for box in boxes for corner in (box.p0, box.p1))


def test_losses_supplies_sources_and_sinks_are_drawn() -> None:
    assert (
        list_texts(draw_reactions(load_reactions("toggle-switch"))).count("∅") == 7
    )  # four units, two losses, the legend
    closed = ReactionNetwork(name="closed", pools=(ReactionPool(name="x", start=1.0),))
    assert list_texts(draw_reactions(closed)).count("∅") == 1


def test_layout_is_deterministic_and_a_cycle_has_no_crossing() -> None:
    ring = [(i, (i + 1) % 8) for i in range(8)]
    places = lay_out(8, ring, left=0, right=4)
    assert np.array_equal(places, lay_out(8, ring, left=0, right=4))
    assert len({tuple(place) for place in places}) == 8
    assert places[0, 0] < places[4, 0]
    lengths = [np.hypot(*(places[a] - places[b])) for a, b in ring]
    assert max(lengths) < 2.0


def test_network_too_large_to_draw_is_refused() -> None:
    with pytest.raises(PaddockError, match="chain: 139 pools and units are too many for a readable picture"):
        draw_reactions(chain(70))


def test_changing_pools_have_one_panel_each() -> None:
    course = simulate(load_reactions("ecoli-chemotaxis"), 6.0, inputs={"L": [(0.0, 1.0), (1.0, 2.0)]})
    figure: Any = pools_chart(course).figure
    names = [ax.get_title(loc="left") for ax in figure.axes if ax.axison]
    assert names == ["L (input)", "RI", "RA", "M", "A", "Ap", "Y", "Yp (output)", "B", "Bp"]
    chosen: Any = pools_chart(course, ["Z"]).figure
    assert [ax.get_title(loc="left") for ax in chosen.axes] == ["Z"]


def test_pool_panels_replace_given_axes() -> None:
    from matplotlib.figure import Figure

    course = simulate(load_reactions("ecoli-chemotaxis"), 6.0, inputs={"L": [(0.0, 1.0), (1.0, 2.0)]})
    figure = Figure(figsize=(8, 8), layout="constrained")
    first, second = figure.subplots(2, 1)
    assert pools_chart(course, ["L", "Y"], title="Two", ax=second) is second
    figure.draw_without_rendering()
    panels = {ax.get_title(loc="left"): ax.get_window_extent() for ax in figure.axes if ax not in (first, second)}
    assert list(panels) == ["L (input)", "Y"]
    assert all(panel.y1 < first.get_window_extent().y0 for panel in panels.values())
    assert not first.has_data()
    with pytest.raises(PaddockError, match=r"ax: expected axes of a grid, created by figure.subplots\(\)"):
        pools_chart(course, ["L"], ax=figure.add_axes((0.1, 0.1, 0.2, 0.2)))
