"""The picture of a reaction network: pools as discs, units as boxes, arrows for what is used, made and felt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paddock.draw.colours import FAINT, INK, LINES, PAPER, WHITE, blend
from paddock.reactions import ReactionNetwork, ReactionUnit
from paddock.report.figures import SUBTITLE, TEXT, TITLE, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MATTER, EXCITE, INHIBIT, HELD = INK, LINES[2], LINES[1], LINES[4]
ROUNDS, REST_LENGTH = 600, 1.0
POOL_SIZE, UNIT_SIZE = 30.0, 15.0  # points
Points = NDArray[np.float64]


def draw_reactions(network: ReactionNetwork, *, title: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw a network: black arrows carry matter, green ones excite, red ones with a bar inhibit."""
    ax = ax if ax is not None else new_axes(width=10.0, height=6.5)
    nodes = [*network.names, *(f"unit {unit.name}" for unit in network.units)]
    places = dict(zip(nodes, lay_out(nodes, _links(network)), strict=True))
    for unit in network.units:
        _draw_unit(ax, network, unit, places)
    for pool in network.pools:
        color = blend(HELD, WHITE, 0.55) if pool.held else blend(LINES[0], WHITE, 0.6)
        disc: Any = {"markersize": POOL_SIZE, "color": color, "markeredgecolor": INK, "zorder": 3, "clip_on": False}
        ax.plot(*places[pool.name], "o", **disc)
        ax.annotate(pool.name, places[pool.name], ha="center", va="center", fontsize=TEXT, color=INK, zorder=4)
    _finish(ax, network.title or network.name if title is None else title)
    return ax


def lay_out(nodes: list[str], links: list[tuple[str, str]]) -> Points:
    """Places of nodes in the plane: linked ones near each other, all others apart (Fruchterman and Reingold 1991)."""
    count = len(nodes)
    index = {node: i for i, node in enumerate(nodes)}
    angle = 2.0 * np.pi * np.arange(count) / max(1, count)
    places = np.stack([np.cos(angle), np.sin(angle)], axis=1) * np.sqrt(count) * 0.5
    pairs = np.array([(index[a], index[b]) for a, b in links], int).reshape(-1, 2)
    for k in range(ROUNDS):
        between = places[:, None] - places[None]
        away = np.maximum(np.hypot(between[..., 0], between[..., 1]), 1e-3)
        force = (between / away[..., None] ** 3 * REST_LENGTH**3 * 1.6).sum(axis=1)
        force += (between / away[..., None] ** 2 * REST_LENGTH**2 * 0.5).sum(axis=1)
        way = places[pairs[:, 0]] - places[pairs[:, 1]]
        pull = way * np.hypot(way[:, 0], way[:, 1])[:, None] / REST_LENGTH
        np.add.at(force, pairs[:, 0], -pull)
        np.add.at(force, pairs[:, 1], pull)
        force -= 0.05 * places
        size = np.maximum(np.hypot(force[:, 0], force[:, 1]), 1e-9)
        places = places + force / size[:, None] * np.minimum(size, 0.3 * (1.0 - k / ROUNDS) + 0.002)[:, None]
    places -= places.mean(axis=0)
    return np.asarray(places @ np.linalg.svd(places)[2].T)  # the longest side lies flat


def _links(network: ReactionNetwork) -> list[tuple[str, str]]:
    return sorted({(pool, f"unit {unit.name}") for unit in network.units for pool in unit.pools()})


def _draw_unit(ax: Axes, network: ReactionNetwork, unit: ReactionUnit, places: dict[str, Any]) -> None:
    from matplotlib.patheffects import Normal, Stroke

    here = places[f"unit {unit.name}"]
    ax.plot(*here, "s", markersize=UNIT_SIZE, color=WHITE, markeredgecolor=INK, zorder=3, clip_on=False)
    (dx, dy), across, up = _find_free_side(here, [places[name] for name in unit.pools()])
    gap = 0.62 * UNIT_SIZE
    text: Any = {"xytext": (gap * dx, gap * dy), "textcoords": "offset points", "ha": across, "va": up}
    halo = [Stroke(linewidth=2.5, foreground=PAPER), Normal()]
    ax.annotate(unit.name, here, fontsize=TEXT - 1, color=INK, zorder=6, path_effects=halo, **text)
    moved = {name: change for name, change in unit.changes.items() if not network.pool(name).held}
    for name, change in moved.items():
        first, last = (here, places[name]) if change > 0 else (places[name], here)
        style = "<|-|>" if unit.backward is not None else "-|>"
        _draw_arrow(ax, first, last, MATTER, style, into_pool=change > 0, bend=0.0)
    for name in unit.pools():
        orders = [flux.orders.get(name, 0.0) for flux in unit.fluxes]
        if (unit.off_above is not None and unit.off_above.pool == name) or orders[0] < 0:
            _draw_arrow(ax, places[name], here, INHIBIT, "|-|,widthA=0,widthB=0.35", into_pool=False, bend=0.15)
        elif orders[0] > 0 and not moved.get(name, 0.0) < 0:
            _draw_arrow(ax, places[name], here, EXCITE, "-|>", into_pool=False, bend=0.15)


def _find_free_side(here: Any, others: list[Any]) -> tuple[tuple[int, int], str, str]:
    """The side of a unit that is farthest from all its arrows, and how a text there is aligned."""
    sides = (
        ((0, -1), "center", "top"),
        ((0, 1), "center", "bottom"),
        ((1, 0), "left", "center"),
        ((-1, 0), "right", "center"),
    )
    arrows = [(np.asarray(other) - here) / max(1e-9, float(np.hypot(*(np.asarray(other) - here)))) for other in others]
    return min(sides, key=lambda side: max((float(arrow @ side[0]) for arrow in arrows), default=0.0))


def _draw_arrow(ax: Axes, first: Any, last: Any, color: str, style: str, *, into_pool: bool, bend: float) -> None:
    pool, unit = POOL_SIZE / 2 + 2, UNIT_SIZE / 2 + 2
    shrink = (unit, pool) if into_pool else (pool, unit)
    arrow: Any = {
        "arrowstyle": style,
        "color": color,
        "linewidth": 1.3,
        "shrinkA": shrink[0],
        "shrinkB": shrink[1],
        "mutation_scale": 11,
        "connectionstyle": f"arc3,rad={bend}",
    }
    ax.annotate("", last, first, arrowprops=arrow, zorder=2)


def _finish(ax: Axes, title: str) -> None:
    from matplotlib.lines import Line2D

    ax.set_title(title.replace("$", r"\$"), loc="left", fontsize=TITLE, color=INK)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.08)
    ax.set_axis_off()
    keys = [
        Line2D([], [], marker="o", linestyle="", markersize=10, color=blend(LINES[0], WHITE, 0.6), label="pool"),
        Line2D([], [], marker="o", linestyle="", markersize=10, color=blend(HELD, WHITE, 0.55), label="held pool"),
        Line2D([], [], marker="s", linestyle="", markersize=8, color=WHITE, markeredgecolor=INK, label="reaction unit"),
        Line2D([], [], color=MATTER, label="used and made"),
        Line2D([], [], color=EXCITE, label="excites"),
        Line2D([], [], color=INHIBIT, label="inhibits"),
    ]
    legend = ax.legend(
        handles=keys, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=6, frameon=False, fontsize=SUBTITLE
    )
    for text in legend.get_texts():
        text.set_color(FAINT)
