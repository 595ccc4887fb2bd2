"""Referee: decides from the truth and in simulated time how good each robot is, and what it did wrong."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from paddock.arena import Arena
from paddock.core.spec import Spec

Rule = Literal["contact", "leaving", "moved", "early"]
RULES: tuple[Rule, ...] = ("contact", "leaving", "moved", "early")


@dataclass(frozen=True, kw_only=True, slots=True)
class Foul:
    """Something that a robot should not have done, at a time [s] of the arena."""

    robot: str
    time: float
    text: str


@dataclass(kw_only=True)
class Referee(Spec, ABC):
    """A referee. Its dataclass fields are its options, as they stand in a `[referee]` table.

    `start` is called when a game begins, and again after the arena was reset: what is counted begins anew there.
    """

    period: ClassVar[float] = 0.0  # simulated seconds between two calls of `tick`; 0: every tick
    label: ClassVar[str] = "score"  # what is counted
    unit: ClassVar[str] = ""  # of the score
    higher_is_better: ClassVar[bool] = True

    rules: tuple[Rule, ...] = RULES  # what is a foul: see fouls.py

    @abstractmethod
    def start(self, arena: Arena) -> None:
        """The game begins, with the robots where they stand now."""

    @abstractmethod
    def tick(self, arena: Arena) -> None:
        """Time has passed: look at the arena. Robots may have come or gone."""

    @abstractmethod
    def score(self) -> Mapping[str, float]:
        """The score of each robot so far; infinite for what it has not achieved where less is better."""

    @property
    def finished(self) -> bool:
        """Whether the game is over; a referee that never says so leaves it to the time."""
        return False

    def fouls(self) -> Sequence[Foul]:
        """What robots did wrong besides what `rules` watch for, the earliest first."""
        return ()

    def tie_break(self) -> Mapping[str, float]:
        """Who is before whom of those with the same score: the robot with the smaller number."""
        return {}

    def on_moved(self, arena: Arena, robot: str) -> None:
        """A robot was put elsewhere by hand: its way there is none that it drove."""
