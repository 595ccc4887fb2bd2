"""Draw a reaction network: pools and units by name, with arrows for consumption, production, effects and loss."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.jit import kernel
from paddock.core.rng import chain_key, uniform
from paddock.experiments.ecoli.reaction_networks import ReactionNetwork, ReactionPool, ReactionUnit
from paddock.report.chart_style import TITLE, axes_width, new_axes, shorten, text_width
from paddock.report.drawing.colours import INK, LINES, WHITE, blend

if TYPE_CHECKING:
    from matplotlib.axes import Axes


ASPECT = 1.15  # columns per row
ROOM = 1.9  # cells per node
TRIALS, MAX_TRIALS = 2000, 60_000  # per node, and in total
STARTS = 5  # number of restarts; the best result is used
HOTTEST, COLDEST = 6.0, 0.05  # temperatures, in units of the costs below
CROSSING, ACROSS, PULL = (
    4.0,
    20.0,
    2.0,
)  # costs of a crossing, a link over a node, a column away from the preferred side
NEAR = 0.5  # a link within this distance of a node's centre is over it [cells]

Places = NDArray[np.float64]
MAX_NODES = 120  # maximum number of pools and units in a readable picture
CELL = (1.5, 0.92)  # minimum size [inches]
NAME = 8.5  # font size [points]
ROW = 0.34  # row height of the legend [inches]
LONGEST_LINE = 15  # maximum number of characters in a line of a unit's name
LEAST_WIDTH = 8.0  # minimum width, for the legend [inches]
STUB = 0.36  # length of an arrow from or to the outside [inches]
POOL, HELD = blend(LINES[0], WHITE, 0.6), blend(LINES[4], WHITE, 0.55)
EXCITE, INHIBIT = LINES[2], LINES[1]
STYLES: dict[str, dict[str, Any]] = {
    "moves": {"color": INK, "arrowstyle": "-|>", "linewidth": 1.4},
    "moves both ways": {"color": INK, "arrowstyle": "<|-|>", "linewidth": 1.4},
    "excites": {"color": EXCITE, "arrowstyle": "-|>", "linewidth": 1.2, "linestyle": (0, (4, 1.5))},
    "inhibits": {"color": INHIBIT, "arrowstyle": "|-|,widthA=0,widthB=0.4", "linewidth": 1.4},
}
OUTSIDE = "∅"
LEGEND = (
    ("pool", "pool"),
    ("held", "held pool: set from outside"),
    ("unit", "reaction unit"),
    ("moves", "consumed, produced"),
    ("moves both ways", "reversible"),
    ("excites", "excites"),
    ("inhibits", "inhibits or switches off"),
    (OUTSIDE, "outside: supply and loss"),
)


def lay_out(count: int, links: list[tuple[int, int]], *, left: int = -1, right: int = -1) -> Places:
    """Return columns and rows of nodes, shape (count, 2). Deterministic. `left` and `right` prefer their side."""
    rows = max(1, math.ceil(math.sqrt(ROOM * count / ASPECT)))
    columns = max(1, math.ceil(ROOM * count / rows))
    pairs = np.array(sorted(set(links)), np.int64).reshape(-1, 2)
    best, places = math.inf, np.zeros((count, 2))
    for start in range(STARTS):
        found = np.array([(i % columns, i // columns) for i in range(count)], np.float64).reshape(-1, 2)
        cells = np.full(columns * rows, -1, np.int64)
        cells[:count] = np.arange(count)
        cost = anneal(found, pairs, cells, columns, left, right, min(TRIALS * count, MAX_TRIALS), start)
        if cost < best:
            best, places = cost, found
    places -= places.min(axis=0)
    if left >= 0 and right >= 0 and places[left, 0] > places[right, 0]:
        places[:, 0] = places[:, 0].max() - places[:, 0]
    return places


@kernel
def anneal(places, links, cells, columns, left, right, trials, start):
    """Move nodes to other cells, or swap two, by simulated annealing. Returns the cost."""
    for k in range(trials):
        key = chain_key(np.uint64(start), k)
        node = int(uniform(key, 0) * places.shape[0])
        cell = int(uniform(key, 1) * cells.shape[0])
        other = cells[cell]
        old = int(places[node, 0]) + columns * int(places[node, 1])
        if other == node:
            continue
        before = find_cost(places, links, node, columns, left, right)
        before += find_cost(places, links, other, columns, left, right)
        put(places, cells, node, cell, columns)
        put(places, cells, other, old, columns)
        after = find_cost(places, links, node, columns, left, right)
        after += find_cost(places, links, other, columns, left, right)
        heat = HOTTEST * (COLDEST / HOTTEST) ** (k / trials)
        if after > before and uniform(key, 2) >= math.exp((before - after) / heat):
            put(places, cells, other, cell, columns)
            put(places, cells, node, old, columns)
    cost = 0.0
    for node in range(places.shape[0]):
        cost += find_cost(places, links, node, columns, left, right)
    return cost


@kernel
def put(places, cells, node, cell, columns):
    """Set the node of a cell, -1 for none."""
    cells[cell] = node
    if node >= 0:
        places[node, 0], places[node, 1] = cell % columns, cell // columns


@kernel
def find_cost(places, links, node, columns, left, right):
    """Return the cost of a node's position: its links, their crossings, and links over it."""
    if node < 0:
        return 0.0
    cost = PULL * places[node, 0] if node == left else 0.0
    cost += PULL * (columns - 1 - places[node, 0]) if node == right else 0.0
    for e in range(links.shape[0]):
        a, b = links[e]
        if node not in (a, b):
            cost += ACROSS * find_nearness(places, node, a, b)
            continue
        cost += (places[a, 0] - places[b, 0]) ** 2 + (places[a, 1] - places[b, 1]) ** 2
        for other in range(places.shape[0]):
            if other not in (a, b):
                cost += ACROSS * find_nearness(places, other, a, b)
        for f in range(links.shape[0]):
            c, d = links[f]
            if a not in (c, d) and b not in (c, d) and do_cross(places, a, b, c, d):
                cost += CROSSING
    return cost


@kernel
def find_nearness(places, node, a, b):
    """Return how close a link is to a node's centre, 0 … 1."""
    dx, dy = places[b, 0] - places[a, 0], places[b, 1] - places[a, 1]
    x, y = places[node, 0] - places[a, 0], places[node, 1] - places[a, 1]
    along, across, length = x * dx + y * dy, x * dy - y * dx, dx * dx + dy * dy
    if along <= 0.0 or along >= length or across * across >= NEAR * NEAR * length:
        return 0.0
    return 1.0 - math.sqrt(across * across / length) / NEAR


@kernel
def do_cross(places, a, b, c, d):
    """Whether two links cross."""
    apart = find_side(places, a, b, c) * find_side(places, a, b, d) < 0.0
    return apart and find_side(places, c, d, a) * find_side(places, c, d, b) < 0.0


@kernel
def find_side(places, a, b, c):
    """Return on which side of the line from a to b a node is: > 0 left, < 0 right."""
    along = (places[b, 0] - places[a, 0]) * (places[c, 1] - places[a, 1])
    return along - (places[b, 1] - places[a, 1]) * (places[c, 0] - places[a, 0])


def draw_reactions(network: ReactionNetwork, *, title: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw a network: pools, units, consumption, production, excitation, inhibition, supply and loss."""
    nodes = len(network.pools) + len(network.units)
    if nodes > MAX_NODES:
        raise PaddockError(
            f"{network.name}: {nodes} pools and units are too many for a readable picture: expected at most {MAX_NODES}"
        )
    picture = NetworkPicture(network, ax)
    picture.draw(network.title or network.name if title is None else title)
    return picture.ax


class NetworkPicture:
    """Builder of a picture; its coordinates are inches."""

    def __init__(self, network: ReactionNetwork, ax: Axes | None) -> None:
        self.network = network
        names = [*network.names, *(f"unit {unit.name}" for unit in network.units)]
        number = {name: i for i, name in enumerate(names)}
        links = [(number[pool], number[f"unit {unit.name}"]) for unit in network.units for pool in unit.pools()]
        sides = (number[role] if role is not None else -1 for role in (network.input, network.output))
        cells = lay_out(len(names), links, **dict(zip(("left", "right"), sides, strict=True)))
        lines = max(len(wrap_name(name)) for name in names)
        cell = np.array([CELL[0], max(CELL[1], shape_height(lines + 1) + 0.3)])  # one more line for a role
        self.places = dict(zip(names, cells * cell * (1, -1), strict=True))
        self.links: dict[str, list[str]] = {name: [] for name in names}  # linked nodes, by node
        for a, b in links:
            self.links[names[a]].append(names[b])
            self.links[names[b]].append(names[a])
        across, down = cells.max(axis=0) * cell
        margin = max(0.6 * cell[0], (LEAST_WIDTH - across) / 2)
        self.left, self.right = -margin, across + margin
        self.keys = place_keys(self.left + 0.1, self.right - 0.1, -down - cell[1])
        self.bottom, self.top = self.keys[-1][1] - ROW, 0.75 * cell[1]
        size = self.right - self.left, self.top - self.bottom + 0.5
        self.ax = ax if ax is not None else new_axes(width=size[0], height=size[1])
        self.scale = 1.0 if ax is None else min(1.0, axes_width(ax) / 72 / size[0])
        self.shapes: dict[str, Any] = {}

    def draw(self, title: str) -> None:
        """Draw the whole picture."""
        for pool in self.network.pools:
            self.add_pool(pool)
        for unit in self.network.units:
            self.add_unit(unit)
        for unit in self.network.units:
            self.add_links(unit)
        self.add_outside()
        self.add_legend()
        self.ax.set_xlim(self.left, self.right)
        self.ax.set_ylim(self.bottom, self.top)
        self.ax.set_aspect("equal", adjustable="box")
        self.ax.set_axis_off()
        room = 72 * (self.right - self.left) * self.scale
        self.ax.set_title(shorten(title, TITLE, room), loc="left", fontsize=TITLE, color=INK)

    def add_pool(self, pool: ReactionPool) -> None:
        """Draw a pool with its name, and whether it is the input or the output."""
        roles = [role for role in ("input", "output") if getattr(self.network, role) == pool.name]
        rows = [*(role.upper() for role in roles), *wrap_name(pool.name)]
        kind = "held" if pool.held else "pool"
        self.shapes[pool.name] = self.put_shape(self.places[pool.name], kind, rows, thick=bool(roles))

    def add_unit(self, unit: ReactionUnit) -> None:
        """Draw a unit with its name, and the condition that switches it off."""
        off = unit.off_above
        rows = wrap_name(unit.name) + ([] if off is None else [f"off if {off.pool} > {off.level:g}"])
        here = f"unit {unit.name}"
        self.shapes[here] = self.put_shape(self.places[here], "unit", rows)

    def put_shape(self, at: Any, kind: str, rows: list[str], *, thick: bool = False) -> Any:
        from matplotlib.patches import FancyBboxPatch

        width = max([0.5, *(text_width(row, NAME) / 72 + 0.16 for row in rows)])
        height = shape_height(len(rows))
        round_off = height / 2 if kind != "unit" else 0.03
        face = {"pool": POOL, "held": HELD, "unit": WHITE}[kind]
        corner = at[0] - width / 2, at[1] - height / 2
        box = f"round,pad=0,rounding_size={round_off:.3f}"
        look: Any = {"facecolor": face, "edgecolor": INK, "linewidth": 2.4 if thick else 1.0, "zorder": 3}
        shape = self.ax.add_patch(FancyBboxPatch(corner, width, height, boxstyle=box, **look))
        text: Any = {"ha": "center", "va": "center", "color": INK, "zorder": 4, "linespacing": 1.1}
        self.ax.text(at[0], at[1], "\n".join(rows).replace("$", r"\$"), fontsize=NAME * self.scale, **text)
        return shape

    def add_links(self, unit: ReactionUnit) -> None:
        """Draw arrows for the pools that a unit consumes, produces, or is affected by."""
        here = f"unit {unit.name}"
        matter = "moves" if unit.backward is None else "moves both ways"
        for pool in unit.pools():
            change, effect = unit.changes.get(pool, 0.0), find_effect(unit, pool)
            bend = 0.18 if change and effect else 0.0
            if change:
                self.put_arrow(*((pool, here) if change < 0 else (here, pool)), matter, bend)
            if effect:
                self.put_arrow(pool, here, effect, bend if change > 0 else -bend)

    def put_arrow(self, first: str, last: str, style: str, bend: float) -> None:
        from matplotlib.patches import FancyArrowPatch

        ends: Any = {"patchA": self.shapes[first], "patchB": self.shapes[last], "shrinkA": 1.5, "shrinkB": 2.5}
        curve: Any = {"connectionstyle": f"arc3,rad={bend}", "mutation_scale": 10 * self.scale, "zorder": 2}
        self.ax.add_patch(FancyArrowPatch(self.places[first], self.places[last], **ends, **curve, **STYLES[style]))

    def add_outside(self) -> None:
        """Draw arrows from and to the outside: supply and loss of pools, units that only produce or only consume."""
        flows = [(pool.name, pool.supply > 0, pool.loss > 0) for pool in self.network.pools]
        for unit in self.network.units:
            changes = unit.changes.values()
            makes, uses = any(change > 0 for change in changes), any(change < 0 for change in changes)
            flows.append((f"unit {unit.name}", makes and not uses, uses and not makes))
        for node, comes, goes in flows:
            taken = [self.angle_to(node, other) for other in self.links[node]]
            for inwards in [True] * comes + [False] * goes:
                taken.append(self.put_stub(node, find_free_angle(taken), inwards=inwards))

    def angle_to(self, node: str, other: str) -> float:
        """Return the direction from a node to another."""
        dx, dy = self.places[other] - self.places[node]
        return math.atan2(dy, dx)

    def put_stub(self, node: str, angle: float, *, inwards: bool) -> float:
        from matplotlib.patches import FancyArrowPatch

        shape = self.shapes[node]
        way = np.array([math.cos(angle), math.sin(angle)])
        halves = shape.get_width() / 2, shape.get_height() / 2
        reach = min(half / max(1e-9, abs(part)) for half, part in zip(halves, way, strict=True))
        edge, far = self.places[node] + way * reach, self.places[node] + way * (reach + STUB)
        ends = (far, edge) if inwards else (edge, far)
        line: Any = {"shrinkA": 5 if inwards else 1, "shrinkB": 1.5 if inwards else 5, "mutation_scale": 9 * self.scale}
        self.ax.add_patch(FancyArrowPatch(ends[0], ends[1], zorder=2, **line, **STYLES["moves"]))
        self.put_outside(far[0], far[1])
        return angle

    def put_outside(self, x: float, y: float) -> None:
        self.ax.text(x, y, OUTSIDE, ha="center", va="center", fontsize=11 * self.scale, color=INK)

    def add_legend(self) -> None:
        """Draw the legend below the picture."""
        from matplotlib.patches import FancyArrowPatch

        for (kind, meaning), (x, y) in zip(LEGEND, self.keys, strict=True):
            if kind in STYLES:
                sample: Any = {"shrinkA": 0, "shrinkB": 0, "mutation_scale": 10 * self.scale}
                self.ax.add_patch(FancyArrowPatch((x, y), (x + 0.5, y), **sample, **STYLES[kind]))
            elif kind == OUTSIDE:
                self.put_outside(x + 0.25, y)
            else:
                self.put_shape((x + 0.25, y), kind, [])
            self.ax.text(x + 0.62, y, meaning, va="center", fontsize=NAME * self.scale, color=INK)


def shape_height(lines: int) -> float:
    """Return the height of a shape with some lines of text [inches]."""
    return 0.16 + NAME / 72 * 1.25 * max(0.5, lines)


def place_keys(left: float, right: float, top: float) -> list[tuple[float, float]]:
    """Return the positions of the legend entries, in rows from the top [inches]."""
    places, x, y = [], left, top
    for _, meaning in LEGEND:
        wide = 0.92 + text_width(meaning, NAME) / 72
        if x > left and x + wide - 0.3 > right:
            x, y = left, y - ROW
        places.append((x, y))
        x += wide
    return places


def find_effect(unit: ReactionUnit, pool: str) -> str:
    """Return the style of a pool's effect on a unit other than as its reactant; empty if there is none."""
    forward, backward = [flux.orders.get(pool, 0.0) for flux in unit.fluxes] + [0.0] * (unit.backward is None)
    change = unit.changes.get(pool, 0.0)
    if unit.off_above is not None and unit.off_above.pool == pool:
        return "inhibits"
    if (change < 0 and forward > 0) or (change > 0 and backward > 0 and forward == 0):
        return ""
    effect = forward or -backward
    return "" if effect == 0 else "excites" if effect > 0 else "inhibits"


def find_free_angle(taken: list[float]) -> float:
    """Return the direction farthest from all directions in use; among equals, the one nearest to straight down."""
    tries = [-math.pi / 2 + turn * math.pi / 8 for turn in (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8)]
    return max(tries, key=lambda angle: min((round(apart(angle, other), 3) for other in taken), default=0.0))


def apart(first: float, second: float) -> float:
    """Return the angle between two directions."""
    return abs((first - second + math.pi) % (2 * math.pi) - math.pi)


def wrap_name(name: str) -> list[str]:
    """Split a name into short lines after hyphens, underscores and spaces."""
    lines = [""]
    for part in re.findall(r"[^-_ ]+[-_ ]?|[-_ ]", name):
        if lines[-1] and len(lines[-1]) + len(part) > LONGEST_LINE:
            lines.append("")
        lines[-1] += part
    return lines
