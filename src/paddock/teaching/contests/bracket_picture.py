"""Draw a bracket as columns of matches, with the winners' branch above the losers' branch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from paddock.report.chart_style import TEXT, can_write, new_axes, shorten
from paddock.report.drawing.colours import FAINT, INK, TARGET, WHITE
from paddock.teaching.contests.bracket import Bracket, Match

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT = 2.0, 0.62  # inches: distance of columns, and of matches in the first round
BOX = 0.82  # width of a match, relative to a column
LINE = 0.36  # height of a robot's line; a match has two
GAP = 0.6  # distance between the branches
BOLD = 0.87  # width of regular text relative to bold text


def draw_bracket(bracket: Bracket, names: Mapping[str, str], *, ax: Axes | None = None) -> Axes:
    """Draw all finished matches; winners are printed in bold. The number before a name is its seed.

    Args:
        bracket: the bracket; not all matches need to be finished.
        names: display names by robot; if no installed font can draw a name, the robot's name is used.
        ax: axes to draw into; None: a new figure.
    """
    places = _lay_out(bracket)
    columns = max((x for x, _ in places.values()), default=0) + 1
    rows = [y for _, y in places.values()] or [0.0]
    if ax is None:
        ax = new_axes(width=WIDTH * columns + 0.4, height=HEIGHT * (max(rows) - min(rows) + 1) + 0.9)
    ax.set_xlim(-0.05, columns)
    ax.set_ylim(max(rows) + 0.6, min(rows) - 1.0)
    ax.set_axis_off()
    room = 72 * (WIDTH * BOX - 0.1) * BOLD
    for match in bracket.matches:
        if match.number in places:
            _draw_match(ax, bracket, match, names, places, room)
    titles = {(places[m.number][0], m.branch): m.name for m in bracket.matches if m.number in places}
    for (x, branch), title in titles.items():
        top = min(places[m.number][1] for m in bracket.matches if m.number in places and m.branch == branch)
        ax.text(x, top - 0.72, shorten(title, TEXT, room), fontsize=TEXT, color=FAINT, va="center")
    return ax


def _draw_match(
    ax: Axes,
    bracket: Bracket,
    match: Match,
    names: Mapping[str, str],
    places: Mapping[int, tuple[float, float]],
    room: float,
) -> None:
    from matplotlib.patches import Rectangle

    x, y = places[match.number]
    ax.add_patch(Rectangle((x, y - LINE), BOX, 2 * LINE, facecolor=WHITE, edgecolor=FAINT, linewidth=0.8))
    ax.plot([x, x + BOX], [y, y], color=FAINT, linewidth=0.4)
    for row, (slot, side) in enumerate(zip(match.sides, bracket.find_sides(match), strict=True)):
        middle = y + (row - 0.5) * LINE
        won = bracket.winners.get(match.number) == side
        if isinstance(side, str):
            name = names.get(side, side)
            label = f"{bracket.seeds.index(side) + 1}  {name if can_write(name) else side}"
            style: Any = {"fontweight": "bold", "color": TARGET} if won else {"color": INK}
            ax.text(x + 0.04, middle, shorten(label, TEXT, room), fontsize=TEXT, va="center", **style)
        if slot.kind == "winner" and slot.of in places:
            from_x, from_y = places[slot.of]
            bend = x - (1 - BOX) / 2
            ax.plot([from_x + BOX, bend, bend, x], [from_y, from_y, middle, middle], color=FAINT, linewidth=0.8)


def _lay_out(bracket: Bracket) -> dict[int, tuple[float, float]]:
    """Return column and row of every finished match; byes are left out."""
    double = bracket.losses == 2
    rows: dict[int, float] = {}
    counts = {"winners": 0, "losers": 0, "final": 0}
    below = sum(match.branch == "winners" and match.round == 1 for match in bracket.matches) + GAP
    last = max((match.round for match in bracket.matches if match.branch == "losers"), default=0)
    found = {}
    for match in bracket.matches:
        before = [rows[slot.of] for slot in match.sides if slot.kind == "winner" and slot.of in rows]
        if match.branch == "final":
            row = rows[match.sides[0].of]
        elif before:
            row = sum(before) / len(before)
        else:
            row = counts[match.branch] + (below if match.branch == "losers" else 0)
            counts[match.branch] += 1
        rows[match.number] = row
        column = match.round if match.branch == "losers" else last + match.round
        if match.branch == "winners":
            column = max(0, 2 * match.round - 3) if double else match.round - 1
        if match.number in bracket.winners:
            found[match.number] = (float(column), row)
    return found
