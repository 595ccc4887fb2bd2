"""Points of heats, and the ranking of a league."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from paddock.arena.referees.standings import rank
from paddock.teaching.contests.league import draw_lots

RULES = (
    "points per heat",
    "heats won minus heats lost against robots with equal points",
    "mean score",
    "the referee's tie-break",
    "fewer fouls",
    "a shared place; the order is drawn by lot",
)
"""Rules that decide the order of a league, applied one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatScore:
    """The figures of one robot in a heat."""

    robot: str
    score: float
    tie_break: float = 0.0  # with equal scores, the smaller number is better
    fouls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LeagueLine:
    """A robot's line in the table of a league."""

    place: int
    robot: str
    heats: int
    points: Fraction
    score: float  # mean over its heats
    fouls: int


@dataclass(frozen=True, slots=True)
class ScoreOrder:
    """The order of scores; NaN is worse than any other score."""

    higher_is_better: bool = True

    def key(self, score: float) -> float:
        """Return a sort key; larger is better."""
        return -math.inf if math.isnan(score) else score if self.higher_is_better else -score

    def rank_heat(self, results: Sequence[HeatScore]) -> dict[str, int]:
        """Return the place of each robot of a heat, in the referee's order; equal robots share a place."""
        scores, ties = ({each.robot: getattr(each, name) for each in results} for name in ("score", "tie_break"))
        lines = rank(scores, higher_is_better=self.higher_is_better, tie_break=ties)
        places = {line.robot: line.place for line in lines}
        return {each.robot: places[each.robot] for each in results}


def share_points(places: Iterable[int]) -> list[Fraction]:
    """Return the points of a heat by place: the share of the other robots that were beaten; equal robots count half.

    So heats of any size have the same weight: 1 for the first, 0 for the last, ½ for a draw. A robot alone gets 0.
    """
    own = list(places)
    if len(own) == 1:
        return [Fraction(0)]
    beaten = [2 * sum(place < other for other in own) + own.count(place) - 1 for place in own]
    return [Fraction(each, 2 * (len(own) - 1)) for each in beaten]


def rank_league(
    names: Sequence[str], heats: Sequence[Sequence[HeatScore]], order: ScoreOrder, seed: int = 0
) -> list[LeagueLine]:
    """Return the table of a league by RULES, the best robot first."""
    places = [order.rank_heat(heat) for heat in heats]
    points: dict[str, list[Fraction]] = {name: [] for name in names}
    results: dict[str, list[HeatScore]] = {name: [] for name in names}
    for heat, own in zip(heats, places, strict=True):
        for each, gained in zip(heat, share_points(own.values()), strict=True):
            points[each.robot].append(gained)
            results[each.robot].append(each)
    per_heat = {name: sum(own, Fraction(0)) / max(1, len(own)) for name, own in points.items()}
    scores = {name: mean_score([each.score for each in own]) for name, own in results.items()}
    fouls = {name: sum(each.fouls for each in own) for name, own in results.items()}
    ties = {name: mean_score([each.tie_break for each in own]) for name, own in results.items()}
    keys = {
        name: (
            per_heat[name],
            _count_direct(name, per_heat, places),
            order.key(scores[name]),
            ScoreOrder(False).key(ties[name]),
            -fouls[name],
        )
        for name in names
    }
    by_lot = draw_lots(names, seed, "standings")
    return [
        LeagueLine(
            place=1 + sum(key > keys[name] for key in keys.values()),
            robot=name,
            heats=len(points[name]),
            points=sum(points[name], Fraction(0)),
            score=scores[name],
            fouls=fouls[name],
        )
        for name in sorted(by_lot, key=keys.__getitem__, reverse=True)
    ]


def _count_direct(name: str, per_heat: dict[str, Fraction], places: Sequence[dict[str, int]]) -> int:
    """Return how often a robot beat robots with equal points, minus how often they beat it."""
    equal = {other for other, own in per_heat.items() if own == per_heat[name] and other != name}
    met = [(own[name], place) for own in places if name in own for other, place in own.items() if other in equal]
    return sum((mine < theirs) - (mine > theirs) for mine, theirs in met)


def mean_score(values: Sequence[float]) -> float:
    """Return the mean; NaN if there are no values or one of them is NaN."""
    if not values or any(map(math.isnan, values)):
        return math.nan
    return sum(values) / len(values) if any(map(math.isinf, values)) else math.fsum(values) / len(values)
