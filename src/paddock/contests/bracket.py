"""Brackets: single and double elimination. Who is missing to a power of two is a bye for the best seeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

Branch = Literal["winners", "losers", "final"]
NAMES = {1: "final", 2: "semi-final", 4: "quarter-final"}  # of single elimination, by the matches of the round


@dataclass(frozen=True, slots=True)
class SideSource:
    """Where one side of a match comes from.

    `upset` is the loser of a match if it came as the first side, else nobody.
    """

    kind: Literal["seed", "winner", "loser", "upset"]
    of: int  # a seed or a match, counted from 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A pair of robots, of which the winner goes on."""

    number: int  # in the bracket, counted from 0
    branch: Branch
    round: int  # of its branch, counted from 1
    name: str  # as people call it; others of its round have the same
    sides: tuple[SideSource, SideSource]


class Open(Enum):
    """That a side is not known yet."""

    OPEN = "open"


OPEN: Final = Open.OPEN
FINAL, CHAMPION = 1000, 1001  # later than any round in which a robot can be out
Side: TypeAlias = str | Open | None
"""A robot's name; None: nobody, which is a bye; OPEN: it is not known yet."""


class Bracket:
    """The matches of an elimination, and who won those that were driven.

    Args:
        seeds: the robots, the best first. The first and the second meet in the final at the earliest.
        losses: after how many lost matches a robot is out: 1 or 2.
    """

    def __init__(self, seeds: Sequence[str], losses: Literal[1, 2] = 1) -> None:
        self.seeds, self.losses = tuple(seeds), losses
        self.matches: list[Match] = []
        self.winners: dict[int, str] = {}  # by the match's number
        rounds = self._add_winners(_seed_slots(len(self.seeds)))
        if losses == 2:
            self._add_losers(rounds)

    # ---- who meets whom

    def find_sides(self, match: Match) -> tuple[Side, Side]:
        """Who meets in a match."""
        first, second = match.sides
        return self._resolve(first), self._resolve(second)

    def open_matches(self) -> list[tuple[Match, str, str]]:
        """The matches that can be driven now, with their robots."""
        return [
            (match, a, b)
            for match in self.matches
            for a, b in [self.find_sides(match)]
            if match.number not in self.winners and isinstance(a, str) and isinstance(b, str)
        ]

    def decide(self, match: Match, winner: str) -> None:
        """Write down who won a match."""
        self.winners[match.number] = winner

    @property
    def champion(self) -> str | None:
        """Who won; None: the final was not driven yet."""
        winner = self._winner(self.matches[-1]) if self.matches else self.seeds[0]
        return winner if isinstance(winner, str) else None

    def rank(self) -> list[tuple[int, str]]:
        """Places and robots, the champion first. Who is out in the same round shares a place, the better seed first."""
        reached = {name: self._last_round(name) for name in self.seeds}
        order = sorted(self.seeds, key=lambda name: (-reached[name], self.seeds.index(name)))
        return [(1 + sum(other > reached[name] for other in reached.values()), name) for name in order]

    def find_exit(self, name: str) -> str:
        """The match in which a robot was eliminated; empty if it was not."""
        lost = [match.name for match in self.matches if self._loser(match) == name]
        return lost[-1] if len(lost) == self.losses else ""

    def _last_round(self, name: str) -> int:
        """When a robot was out: the later, the larger."""
        lost = [
            FINAL if match.branch == "final" else match.round for match in self.matches if self._loser(match) == name
        ]
        return CHAMPION if name == self.champion else lost[-1] if lost else 0

    def _resolve(self, slot: SideSource) -> Side:
        if slot.kind == "seed":
            return self.seeds[slot.of] if slot.of < len(self.seeds) else None
        match = self.matches[slot.of]
        if slot.kind == "winner":
            return self._winner(match)
        loser = self._loser(match)
        if slot.kind == "upset" and isinstance(loser, str) and loser != self.find_sides(match)[0]:
            return None
        return loser

    def _winner(self, match: Match) -> Side:
        a, b = self.find_sides(match)
        if a is OPEN or b is OPEN:
            return OPEN
        if a is None or b is None:
            return a or b
        return self.winners.get(match.number, OPEN)

    def _loser(self, match: Match) -> Side:
        a, b = self.find_sides(match)
        if a is OPEN or b is OPEN:
            return OPEN
        if a is None or b is None:
            return None
        winner = self.winners.get(match.number, OPEN)
        return OPEN if winner is OPEN else b if winner == a else a

    # ---- the shape

    def _add(self, branch: Branch, number: int, a: SideSource, b: SideSource, name: str = "") -> int:
        name = name or f"{branch}, round {number}"
        self.matches.append(Match(number=len(self.matches), branch=branch, round=number, name=name, sides=(a, b)))
        return len(self.matches) - 1

    def _add_winners(self, slots: Sequence[SideSource]) -> list[list[int]]:
        """Halve the field again and again; the matches of each round."""
        rounds: list[list[int]] = []
        while len(slots) > 1:
            number = len(rounds) + 1
            name = NAMES.get(len(slots) // 2, f"round {number}") if self.losses == 1 else ""
            own = [self._add("winners", number, a, b, name) for a, b in _pairs(slots)]
            rounds.append(own)
            slots = [SideSource("winner", number) for number in own]
        return rounds

    def _add_losers(self, rounds: Sequence[Sequence[int]]) -> None:
        """Losers meet losers; each round of winners sends its own. The two that remain meet in the final.

        Who has not lost before must be beaten twice there.
        """
        if not rounds:
            return
        slots, number = [SideSource("loser", match) for match in rounds[0]], 0
        for own in rounds[1:]:
            number += 1
            slots = [SideSource("winner", self._add("losers", number, a, b)) for a, b in _pairs(slots)]
            number += 1
            fallen = [SideSource("loser", match) for match in reversed(own)]  # from the other end: no early rematch
            meetings = zip(slots, fallen, strict=True)
            slots = [SideSource("winner", self._add("losers", number, a, b)) for a, b in meetings]
        final = self._add("final", 1, SideSource("winner", rounds[-1][0]), slots[0], "final")
        self._add("final", 2, SideSource("winner", final), SideSource("upset", final), "second final")


def _seed_slots(count: int) -> list[SideSource]:
    """Seeds in the order in which they stand in a bracket: 1, 8, 4, 5, 2, 7, 3, 6."""
    order = [0]
    while len(order) < count:
        order = [seed for first in order for seed in (first, 2 * len(order) - 1 - first)]
    return [SideSource("seed", seed) for seed in order]


def _pairs(slots: Sequence[SideSource]) -> Iterator[tuple[SideSource, SideSource]]:
    return zip(slots[::2], slots[1::2], strict=True)
