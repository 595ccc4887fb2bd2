"""Leagues: rounds of heats in which every robot meets every other one, drawn from a seed."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from paddock.core.seeds import draw_uniform

TRIES = 8  # number of schedules of larger heats to try; the shortest is used

Round = list[tuple[str, ...]]
"""Heats in which each robot takes part at most once."""


def draw_lots(names: Iterable[str], seed: int, *key: object) -> list[str]:
    """Return the names in random order; the same for the same seed and key."""
    return sorted(names, key=lambda name: (draw_uniform(seed, "lot", *key, name), name))


def schedule_league(
    names: Sequence[str], heat_size: int, *, meetings: int = 1, rounds: int | None = None, seed: int = 0
) -> list[Round]:
    """Return the rounds of a league.

    With pairs, every robot meets every other one exactly `meetings` times, and at most one robot pauses in each round.
    With larger heats, every robot drives in every round, until all have met at least `meetings` times. With heats of
    one robot, every robot drives `meetings` times.

    Args:
        names: names of the robots.
        heat_size: maximum number of robots in a heat; heats of a round differ by at most one robot.
        meetings: how often every robot meets every other one.
        rounds: maximum number of rounds; None: no limit.
        seed: seed of the random choices.
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
    """Yield the rounds of a round robin by the circle method: one robot is fixed, the others rotate."""
    circle: list[str | None] = [*order, *([None] if len(order) % 2 else [])]
    for _ in range(len(circle) - 1):
        half = len(circle) // 2
        pairs = zip(circle[:half], reversed(circle[half:]), strict=True)
        yield [(a, b) for a, b in pairs if a is not None and b is not None]
        circle = [circle[0], circle[-1], *circle[1:-1]]


def _group(order: Sequence[str], heat_size: int, meetings: int, attempt: str) -> Iterator[Round]:
    """Yield rounds of larger heats, each of robots that have met least, until all have met."""
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
    """Return heats of the waiting robots, which are sorted by priority; heat sizes differ by at most one."""
    heats: Round = []
    for left in range(-(-len(waiting) // heat_size), 0, -1):
        heat = [waiting.pop(0)]
        for _ in range(-(-(len(waiting) + 1) // left) - 1):
            heat.append(min(waiting, key=lambda name: sum(count_meetings(name, other) for other in heat)))
            waiting.remove(heat[-1])
        heats.append(tuple(heat))
    return heats
