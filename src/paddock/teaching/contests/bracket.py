"""Brackets: single and double elimination. The best seeds get byes if the number of robots is not a power of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

Branch = Literal["winners", "losers", "final"]
NAMES = {1: "final", 2: "semi-final", 4: "quarter-final"}  # rounds of single elimination, by their number of matches


@dataclass(frozen=True, slots=True)
class SideSource:
    """The source of one side of a match.

    `upset` is the loser of a match if it was the first side, else a bye.
    """

    kind: Literal["seed", "winner", "loser", "upset"]
    of: int  # a seed or a match, counted from 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A match of two robots; the winner advances."""

    number: int  # in the bracket, counted from 0
    branch: Branch
    round: int  # in its branch, counted from 1
    name: str  # display name, the same for all matches of a round
    sides: tuple[SideSource, SideSource]


class OpenSide(Enum):
    """Marks a side that is not known yet."""

    OPEN = "open"


OPEN: Final = OpenSide.OPEN
FINAL, CHAMPION = 1000, 1001  # larger than any round number
Side: TypeAlias = str | OpenSide | None
"""A robot's name; None: a bye; OPEN: not known yet."""


class Bracket:
    """The matches of an elimination, and the winners so far.

    Args:
        seeds: the robots, the best first. The first and the second meet in the final at the earliest.
        losses: number of lost matches after which a robot is eliminated: 1 or 2.
    """

    def __init__(self, seeds: Sequence[str], losses: Literal[1, 2] = 1) -> None:
        self.seeds, self.losses = tuple(seeds), losses
        self.matches: list[Match] = []
        self.winners: dict[int, str] = {}  # by the match's number
        rounds = self._add_winners(_seed_slots(len(self.seeds)))
        if losses == 2:
            self._add_losers(rounds)

    # ---- pairings

    def find_sides(self, match: Match) -> tuple[Side, Side]:
        """Return the two sides of a match."""
        first, second = match.sides
        return self._resolve(first), self._resolve(second)

    def open_matches(self) -> list[tuple[Match, str, str]]:
        """Return the matches that can be run now, with their robots."""
        return [
            (match, a, b)
            for match in self.matches
            for a, b in [self.find_sides(match)]
            if match.number not in self.winners and isinstance(a, str) and isinstance(b, str)
        ]

    def decide(self, match: Match, winner: str) -> None:
        """Record the winner of a match."""
        self.winners[match.number] = winner

    @property
    def champion(self) -> str | None:
        """The winner of the bracket; None if the final was not run yet."""
        winner = self._winner(self.matches[-1]) if self.matches else self.seeds[0]
        return winner if isinstance(winner, str) else None

    def rank(self) -> list[tuple[int, str]]:
        """Return places and robots, the champion first. Robots eliminated in the same round share a place."""
        reached = {name: self._last_round(name) for name in self.seeds}
        order = sorted(self.seeds, key=lambda name: (-reached[name], self.seeds.index(name)))
        return [(1 + sum(other > reached[name] for other in reached.values()), name) for name in order]

    def find_exit(self, name: str) -> str:
        """Return the name of the match in which a robot was eliminated; empty if it was not."""
        lost = [match.name for match in self.matches if self._loser(match) == name]
        return lost[-1] if len(lost) == self.losses else ""

    def _last_round(self, name: str) -> int:
        """Return a number for the round in which a robot was eliminated; larger is later."""
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

    # ---- structure

    def _add(self, branch: Branch, number: int, a: SideSource, b: SideSource, name: str = "") -> int:
        name = name or f"{branch}, round {number}"
        self.matches.append(Match(number=len(self.matches), branch=branch, round=number, name=name, sides=(a, b)))
        return len(self.matches) - 1

    def _add_winners(self, slots: Sequence[SideSource]) -> list[list[int]]:
        """Add the winners' branch; return the matches of each round."""
        rounds: list[list[int]] = []
        while len(slots) > 1:
            number = len(rounds) + 1
            name = NAMES.get(len(slots) // 2, f"round {number}") if self.losses == 1 else ""
            own = [self._add("winners", number, a, b, name) for a, b in _pairs(slots)]
            rounds.append(own)
            slots = [SideSource("winner", number) for number in own]
        return rounds

    def _add_losers(self, rounds: Sequence[Sequence[int]]) -> None:
        """Add the losers' branch and the final. The losers of each winners' round join the losers' branch.

        A robot that has not lost before must be beaten twice in the final.
        """
        if not rounds:
            return
        slots, number = [SideSource("loser", match) for match in rounds[0]], 0
        for own in rounds[1:]:
            number += 1
            slots = [SideSource("winner", self._add("losers", number, a, b)) for a, b in _pairs(slots)]
            number += 1
            fallen = [SideSource("loser", match) for match in reversed(own)]  # reversed to avoid early rematches
            meetings = zip(slots, fallen, strict=True)
            slots = [SideSource("winner", self._add("losers", number, a, b)) for a, b in meetings]
        final = self._add("final", 1, SideSource("winner", rounds[-1][0]), slots[0], "final")
        self._add("final", 2, SideSource("winner", final), SideSource("upset", final), "second final")


def _seed_slots(count: int) -> list[SideSource]:
    """Return the seeds in bracket order: 1, 8, 4, 5, 2, 7, 3, 6."""
    order = [0]
    while len(order) < count:
        order = [seed for first in order for seed in (first, 2 * len(order) - 1 - first)]
    return [SideSource("seed", seed) for seed in order]


def _pairs(slots: Sequence[SideSource]) -> Iterator[tuple[SideSource, SideSource]]:
    return zip(slots[::2], slots[1::2], strict=True)
