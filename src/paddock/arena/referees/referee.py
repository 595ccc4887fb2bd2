"""Referee: scores each robot and finds its fouls, from ground truth and in simulated time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from paddock.arena import Arena
from paddock.arena.episodes import Foul
from paddock.core.spec import Spec

Rule = Literal["contact", "leaving", "moved", "early"]
RULES: tuple[Rule, ...] = ("contact", "leaving", "moved", "early")


@dataclass(kw_only=True)
class Referee(Spec, ABC):
    """A referee. Its dataclass fields are its options, with the same names as in a `[referee]` table.

    `start` is called when a game begins, and again after a reset of the arena. It must reset all counts.
    """

    period: ClassVar[float] = 0.0  # simulated seconds between two calls of `tick`; 0: every tick
    label: ClassVar[str] = "score"  # name of the score
    unit: ClassVar[str] = ""  # unit of the score
    higher_is_better: ClassVar[bool] = True

    rules: tuple[Rule, ...] = RULES  # fouls to check, see fouls.py

    @abstractmethod
    def start(self, arena: Arena) -> None:
        """Start the game with the robots at their current poses."""

    @abstractmethod
    def tick(self, arena: Arena) -> None:
        """Evaluate the arena after a tick. Robots may have been added or removed."""

    @abstractmethod
    def score(self) -> Mapping[str, float]:
        """Return the score of each robot so far; infinite if lower is better and the aim is not reached."""

    @property
    def finished(self) -> bool:
        """Whether the game is over; if it never is, only the time limit ends the game."""
        return False

    def fouls(self) -> Sequence[Foul]:
        """Return the fouls in addition to those of `rules`, the earliest first."""
        return ()

    def tie_break(self) -> Mapping[str, float]:
        """Return numbers that order robots with equal scores; the smaller number is better."""
        return {}

    def on_moved(self, arena: Arena, robot: str) -> None:
        """Handle a robot that was moved by hand, so that the move does not count as driving."""
