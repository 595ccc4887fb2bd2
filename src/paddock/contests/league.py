"""Leagues: rounds of heats in which everyone meets everyone, drawn from a seed."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from paddock.core.chance import chance

TRIES = 8  # schedules of larger heats, of which the shortest is taken

Round = list[tuple[str, ...]]
"""Heats that nobody is in twice."""


def draw_lots(names: Iterable[str], seed: int, *key: object) -> list[str]:
    """The names in an order that a lot decides: the same for the same seed and key."""
    return sorted(names, key=lambda name: (chance(seed, "lot", *key, name), name))


def schedule_league(
    names: Sequence[str], heat_size: int, *, meetings: int = 1, rounds: int | None = None, seed: int = 0
) -> list[Round]:
    """The rounds of a league.

    In pairs, everyone meets everyone exactly `meetings` times, and in each round at most one rests. In larger heats,
    everyone drives in every round, and the rounds go on until everyone has met everyone at least that often. Alone,
    everyone drives `meetings` times.

    Args:
        names: who takes part.
        heat_size: the most robots of a heat; heats of a round differ by one robot at most.
        meetings: how often everyone meets everyone.
        rounds: end after so many rounds at the latest.
        seed: decides by lot what is left open.
    """
    order = draw_lots(names, seed, "league")
    if heat_size == 1 or len(order) == 1:
        made: Iterator[Round] = ([(name,) for name in order] for _ in range(meetings))
    elif heat_size == 2:
        made = (each for _ in range(meetings) for each in _pair_all(order))
    else:
        tries = [list(_group(order, heat_size, meetings, f"{seed}/{attempt}")) for attempt in range(TRIES)]
        made = iter(sorted(tries, key=len)[0])
    return list(itertools.islice(made, rounds))


def _pair_all(order: Sequence[str]) -> Iterator[Round]:
    """A round robin by the circle method: one stays, the others move on by a place from round to round."""
    circle: list[str | None] = [*order, *([None] if len(order) % 2 else [])]
    for _ in range(len(circle) - 1):
        half = len(circle) // 2
        pairs = zip(circle[:half], reversed(circle[half:]), strict=True)
        yield [(a, b) for a, b in pairs if a is not None and b is not None]
        circle = [circle[0], circle[-1], *circle[1:-1]]


def _group(order: Sequence[str], heat_size: int, meetings: int, attempt: str) -> Iterator[Round]:
    """Rounds of larger heats, each of robots that have met least, until all have met."""
    met: Counter[frozenset[str]] = Counter()
    pairs = [frozenset(pair) for pair in itertools.combinations(order, 2)]
    number = 0
    while any(met[pair] < meetings for pair in pairs):
        number += 1
        lots = draw_lots(order, number, "round", attempt)

        def count_open(name: str) -> int:
            return sum(met[frozenset((name, other))] < meetings for other in order if other != name)

        heats = _fill(sorted(lots, key=count_open, reverse=True), heat_size, lambda a, b: met[frozenset((a, b))])
        met.update(frozenset(pair) for heat in heats for pair in itertools.combinations(heat, 2))
        yield heats


def _fill(waiting: list[str], heat_size: int, count_meetings: Callable[[str, str], int]) -> Round:
    """Heats of those who wait, the first of whom need it most; sizes differ by one at most."""
    heats: Round = []
    for left in range(-(-len(waiting) // heat_size), 0, -1):
        heat = [waiting.pop(0)]
        for _ in range(-(-(len(waiting) + 1) // left) - 1):
            heat.append(min(waiting, key=lambda name: sum(count_meetings(name, other) for other in heat)))
            waiting.remove(heat[-1])
        heats.append(tuple(heat))
    return heats
