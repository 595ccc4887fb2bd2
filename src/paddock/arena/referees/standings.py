"""Standings of a game: the ranking of robots by score."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True, slots=True)
class RobotScore:
    """A robot's line in the table."""

    robot: str
    score: float
    place: int  # from 1; equal robots share a place
    fouls: int = 0


def rank(
    scores: Mapping[str, float],
    *,
    higher_is_better: bool = True,
    tie_break: Mapping[str, float] | None = None,
    fouls: Mapping[str, int] | None = None,
) -> list[RobotScore]:
    """Return the robots in order, the best first; with equal scores, the smaller tie-break number is better."""
    ties, counts = tie_break or {}, fouls or {}

    def key(robot: str) -> tuple[float, float]:
        score = scores[robot]
        worth = math.inf if math.isnan(score) else -score if higher_is_better else score
        return worth, ties.get(robot, 0.0)

    ordered = sorted(scores, key=key)
    places: dict[tuple[float, float], int] = {}
    for place, robot in enumerate(ordered, 1):
        places.setdefault(key(robot), place)
    return [
        RobotScore(robot=robot, score=scores[robot], place=places[key(robot)], fouls=counts.get(robot, 0))
        for robot in ordered
    ]


def rank_among(lines: Iterable[RobotScore], robots: Container[str]) -> list[RobotScore]:
    """Return the lines of some robots, with their places among each other."""
    own = [line for line in lines if line.robot in robots]
    return [replace(line, place=1 + sum(other.place < line.place for other in own)) for line in own]
