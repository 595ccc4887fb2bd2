"""ContestResult: all heats of a contest, its table and its bracket."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from paddock.teaching.contests.bracket import Bracket
from paddock.teaching.contests.contest_spec import ContestSpec
from paddock.teaching.contests.entrants import Entrant
from paddock.teaching.contests.league_standings import HeatScore, LeagueLine, ScoreOrder, mean_score, share_points


@dataclass(frozen=True, kw_only=True)
class HeatRow:
    """One robot in one heat: a line of results.csv."""

    heat: int
    phase: str
    round: int
    seed: int
    robot: str
    name: str
    start: str
    score: float
    place: int
    points: float
    fouls: int
    failure: str  # failure of its controller, with the line
    seconds: float  # simulated duration of the heat
    ended: str
    recording: str


@dataclass(frozen=True, kw_only=True)
class DrivenHeat:
    """A heat with its results."""

    number: int
    phase: str
    round: int
    seed: int
    seats: Mapping[str, str]
    results: Sequence[HeatScore]
    failures: Mapping[str, str]
    seconds: float
    ended: str
    recording: str

    @classmethod
    def of(cls, *, found: Mapping[str, Any], **known: Any) -> DrivenHeat:
        """Create a heat from the result of its job."""
        robots = found["robots"]
        results = [
            HeatScore(
                robot=name,
                score=math.nan if own["score"] is None else float(own["score"]),
                tie_break=own["tie_break"],
                fouls=len(own["fouls"]) + bool(own["failure"]),
            )
            for name, own in robots.items()
        ]
        return cls(
            results=results,
            failures={name: own["failure"] for name, own in robots.items()},
            seconds=found["seconds"],
            ended=found["ended"],
            **known,
        )


def group_heats(heats: Sequence[DrivenHeat]) -> list[list[DrivenHeat]]:
    """Group heats whose robots are compared: all single-robot heats of a round together, other heats separately."""
    groups: dict[object, list[DrivenHeat]] = {}
    for heat in heats:
        alone = len(heat.results) == 1
        groups.setdefault((heat.phase, heat.round) if alone else heat.number, []).append(heat)
    return list(groups.values())


@dataclass(frozen=True, kw_only=True)
class FinalLine:
    """A robot at the end of a contest: a line of standings.csv."""

    place: int
    robot: str
    name: str
    heats: int
    won: int  # heats in which it beat all others
    points: float
    score: float  # mean over its heats
    fouls: int
    failures: int
    out: str  # the match in which it was eliminated; empty in a league, and of the champion


@dataclass(frozen=True, kw_only=True, eq=False)
class ContestResult:
    """The result of a contest."""

    spec: ContestSpec
    entrants: tuple[Entrant, ...]
    heats: tuple[DrivenHeat, ...]
    league: tuple[LeagueLine, ...]  # the table of the league, or of the qualifying
    bracket: Bracket | None

    @cached_property
    def names(self) -> dict[str, str]:
        """Display names by robot."""
        return {entrant.robot: entrant.name for entrant in self.entrants}

    @cached_property
    def rows(self) -> list[HeatRow]:
        """A row for every robot of every heat, the best robot of each heat first."""
        order = ScoreOrder(self.spec.make_referee().higher_is_better)
        rows: list[HeatRow] = []
        for field in group_heats(self.heats):
            results = [each for heat in field for each in heat.results]
            places = order.rank_heat(results)
            points = dict(zip(places, share_points(places.values()), strict=True))
            for heat in field:
                for each in sorted(heat.results, key=lambda each: (places[each.robot], each.robot)):
                    rows.append(self._row(heat, each, places[each.robot], float(points[each.robot])))
        return rows

    def _row(self, heat: DrivenHeat, score: HeatScore, place: int, points: float) -> HeatRow:
        robot = score.robot
        return HeatRow(
            heat=heat.number,
            phase=heat.phase,
            round=heat.round,
            seed=heat.seed,
            robot=robot,
            name=self.names[robot],
            start=heat.seats[robot],
            score=score.score,
            place=place,
            points=points,
            fouls=score.fouls,
            failure=heat.failures[robot],
            seconds=heat.seconds,
            ended=heat.ended,
            recording=heat.recording,
        )

    @cached_property
    def standings(self) -> list[FinalLine]:
        """The final table. Robots that did not reach the elimination follow in the order of the qualifying."""
        places = [] if self.bracket is None else self.bracket.rank()
        inside = {robot for _, robot in places}
        places += [(max(line.place, len(inside) + 1), line.robot) for line in self.league if line.robot not in inside]
        return [self._line(place, robot) for place, robot in places]

    def _line(self, place: int, robot: str) -> FinalLine:
        own = [row for row in self.rows if row.robot == robot]
        return FinalLine(
            place=place,
            robot=robot,
            name=self.names[robot],
            heats=len(own),
            won=sum(row.points == 1 for row in own),
            points=math.fsum(row.points for row in own),
            score=mean_score([row.score for row in own]),
            fouls=sum(row.fouls for row in own),
            failures=sum(bool(row.failure) for row in own),
            out="" if self.bracket is None else self.bracket.find_exit(robot),
        )

    def save(self, folder: str | Path) -> list[Path]:
        """Write results.csv, standings.csv, report.html and the pictures into a folder; return the paths."""
        from paddock.teaching.contests.contest_files import save_contest

        return save_contest(self, Path(folder))
