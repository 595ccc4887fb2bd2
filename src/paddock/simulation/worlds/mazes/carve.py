"""Maze generation algorithms: each returns passages that connect all cells of a grid."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from paddock.simulation.worlds.mazes.maze import Cell, Passage, list_neighbours, map_neighbours

ROOM_SHARE = 0.5  # maximum share of the cells that belong to rooms
LARGEST_ROOM = 4  # maximum columns or rows of a room


def carve_backtracker(columns: int, rows: int, random: Random) -> set[Passage]:
    """Walk at random to unvisited cells and backtrack at dead ends: long winding paths, few branches."""
    adjacent = _grid(columns, rows)
    trail = [(random.randrange(columns), random.randrange(rows))]
    seen, passages = set(trail), set()
    while trail:
        new = [cell for cell in adjacent[trail[-1]] if cell not in seen]
        if not new:
            trail.pop()
            continue
        cell = random.choice(new)
        passages.add(_between(trail[-1], cell))
        seen.add(cell)
        trail.append(cell)
    return passages


def carve_kruskal(columns: int, rows: int, random: Random) -> set[Passage]:
    """Open walls in random order if they separate cells that are not connected yet: many short dead ends."""
    return _join_cells(columns, rows, (), random)


def carve_wilson(columns: int, rows: int, random: Random) -> set[Passage]:
    """Add loop-erased random walks until all cells are connected: every perfect maze is equally likely."""
    adjacent = _grid(columns, rows)
    missing = list(adjacent)
    random.shuffle(missing)
    done, passages = {missing.pop()}, set()
    while missing:
        first = here = missing.pop()
        onward: dict[Cell, Cell] = {}
        while here not in done:
            onward[here] = random.choice(adjacent[here])  # a later visit overwrites it, which erases the loop
            here = onward[here]
        here = first
        while here not in done:
            done.add(here)
            passages.add(_between(here, onward[here]))
            here = onward[here]
    return passages


def carve_rooms(columns: int, rows: int, random: Random) -> set[Passage]:
    """Place open rectangular rooms at random, connected by corridors and doors."""
    taken: set[Cell] = set()
    open_inside: set[Passage] = set()
    for _ in range(columns * rows):
        wide, high = (random.randint(2, LARGEST_ROOM) for _ in range(2))
        left, low = random.randrange(columns), random.randrange(rows)
        room = {(left + i, low + j) for i in range(wide) for j in range(high)}
        fits = left + wide <= columns and low + high <= rows and not room & taken
        if fits and len(taken) + len(room) <= ROOM_SHARE * columns * rows:
            taken |= room
            open_inside |= {pair for pair in _pairs(room) if pair[1] in room}
    return _join_cells(columns, rows, open_inside, random)


def open_dead_ends(columns: int, rows: int, passages: set[Passage], share: float, random: Random) -> set[Passage]:
    """Open a share of the dead ends, preferably to neighbouring dead ends, so that loops arise."""
    adjacent, passages = _grid(columns, rows), set(passages)
    neighbours = map_neighbours(adjacent, passages)
    ends = [cell for cell, there in neighbours.items() if len(there) == 1]
    left = round((1 - share) * len(ends))
    random.shuffle(ends)
    count = len(ends)
    for cell in ends:
        closed = [other for other in adjacent[cell] if other not in neighbours[cell]]
        if count <= left or len(neighbours[cell]) > 1 or not closed:
            continue
        other = random.choice([other for other in closed if len(neighbours[other]) == 1] or closed)
        count -= 2 if len(neighbours[other]) == 1 else 1
        neighbours[cell].append(other)
        neighbours[other].append(cell)
        passages.add(_between(cell, other))
    return passages


def _join_cells(columns: int, rows: int, passages: Iterable[Passage], random: Random) -> set[Passage]:
    """Return the passages, plus random ones that connect cells which are not connected yet."""
    joined = set(passages)
    leader = {cell: cell for cell in _grid(columns, rows)}

    def find_leader(cell: Cell) -> Cell:
        while leader[cell] != cell:
            leader[cell] = leader[leader[cell]]
            cell = leader[cell]
        return cell

    for a, b in joined:
        leader[find_leader(a)] = find_leader(b)
    walls = list(list_neighbours(columns, rows))
    random.shuffle(walls)
    for a, b in walls:
        if find_leader(a) != find_leader(b):
            leader[find_leader(a)] = find_leader(b)
            joined.add((a, b))
    return joined


def _grid(columns: int, rows: int) -> dict[Cell, list[Cell]]:
    """Return the adjacent cells of every cell."""
    cells = ((column, row) for column in range(columns) for row in range(rows))
    return map_neighbours(cells, list_neighbours(columns, rows))


def _pairs(cells: set[Cell]) -> Iterable[Passage]:
    for column, row in cells:
        yield (column, row), (column + 1, row)
        yield (column, row), (column, row + 1)


def _between(a: Cell, b: Cell) -> Passage:
    return (min(a, b), max(a, b))
