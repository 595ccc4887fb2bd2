"""Run a whole contest with one call: schedule heats, run those that are not finished, and rank the robots."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.files import ensure_folder
from paddock.core.jobs import FinishedJobs, JobRunner, Workers
from paddock.core.jobs.runner import give_work
from paddock.core.provenance import claim_folder, collect, read_inputs, write_provenance
from paddock.core.seeds import draw_uniform
from paddock.core.user_code import is_users
from paddock.report.drawing.colours import line_color
from paddock.simulation.worlds import RobotPlacement, WorldSpec
from paddock.simulation.worlds.placement import source_files
from paddock.teaching.contests.bracket import Bracket, Match
from paddock.teaching.contests.contest_result import ContestResult, DrivenHeat, group_heats
from paddock.teaching.contests.contest_spec import DOUBLE, LEAGUE, ContestSpec, load_contest
from paddock.teaching.contests.entrants import Entrant, find_entrants
from paddock.teaching.contests.fair_starts import assign_starts
from paddock.teaching.contests.heat import HeatJob, run_heat
from paddock.teaching.contests.league import draw_lots, schedule_league
from paddock.teaching.contests.league_standings import LeagueLine, ScoreOrder, rank_league
from paddock.teaching.sandbox.guards import check_protection

KIND = "contest"  # of run, in the provenance
FINISHED, HEATS = "finished.jsonl", "heats"
SEEDS = 2**31

Progress = Callable[[int, int], None]
"""Called with the number of finished heats and the maximum number of heats."""


@dataclass(frozen=True, kw_only=True)
class PlannedHeat:
    """A heat before it is run."""

    phase: str  # "league", "qualifying", "winners 2", "losers 1", "final 1"
    round: int  # all heats of a round have the same seed
    seats: Mapping[str, str]  # name of the start by robot


def run_contest(
    contest: str | Path | Mapping[str, Any] | ContestSpec,
    submissions: str | Path | Sequence[Entrant],
    *,
    out: str | Path,
    workers: Workers = None,
    progress: Progress | None = None,
    unprotected: bool = False,
) -> ContestResult:
    """Run a contest. The result depends only on the contest and the files, not on workers or interruptions.

    Args:
        contest: the path of a TOML file, or a dict of the same keys.
        submissions: a folder of submissions, or entrants.
        out: folder for tables, report and recordings. Heats that are already finished there are not run again.
        workers: number of processes; None: one for every core, 1: only this one.
        progress: called with the number of finished heats and the maximum number of heats.
        unprotected: run the submissions also where the system cannot confine them, because you trust all of them.
    """
    check_protection(unprotected)
    spec = load_contest(contest)
    entrants = find_entrants(submissions) if isinstance(submissions, (str, Path)) else list(submissions)
    if not entrants:
        raise PaddockError("there are no entrants")
    folder = claim_folder(ensure_folder(Path(out)), KIND)
    programs = {entrant.robot: entrant.submission.digest() for entrant in entrants}  # not copied: they are private
    table = {**collect(seed=spec.seed), "programs": programs}
    write_provenance(folder, KIND, table, read_inputs(_list_inputs(spec)))
    with JobRunner[HeatJob, dict[str, Any]](partial(give_work, run_heat), workers) as runner:
        run = ContestRun(spec, entrants, folder, runner, progress or (lambda done, of: None))
        result = run.run()
    result.save(folder)
    return result


def _list_inputs(spec: ContestSpec) -> list[Path]:
    """Return the files of a contest, its world and its robots."""
    own = [Path(spec.folder) / spec.file] if spec.file else []
    return [*own, *filter(is_users, source_files(spec.load_world()))]


@dataclass
class ContestRun:
    """A running contest."""

    spec: ContestSpec
    entrants: Sequence[Entrant]
    folder: Path
    runner: JobRunner[HeatJob, dict[str, Any]]
    progress: Progress
    driven: list[DrivenHeat] = field(default_factory=list)
    expected: int = 0  # maximum number of heats of the whole contest

    def __post_init__(self) -> None:
        spec = self.spec
        self.world = spec.load_world()
        self.starts = spec.choose_starts(self.world)
        self.order = ScoreOrder(spec.make_referee().higher_is_better)
        self.names = [entrant.robot for entrant in self.entrants]
        self.finished = FinishedJobs(self.folder / FINISHED, f"contest {spec.name}")
        ensure_folder(self.folder / HEATS)

    def run(self) -> ContestResult:
        """Run the whole contest."""
        spec, bracket = self.spec, None
        if spec.format == LEAGUE:
            table = self._run_league(LEAGUE, spec.rounds or None, 0)
        elif spec.qualifying:
            table = self._run_league("qualifying", spec.qualifying, spec.advance or len(self.names))
        else:
            table = []
        if spec.format != LEAGUE:
            order = [line.robot for line in table] or draw_lots(self.names, spec.seed, "seeds")
            bracket = Bracket(order[: spec.advance or None], 2 if spec.format == DOUBLE else 1)
            self._run_bracket(bracket)
        self.progress(len(self.driven), len(self.driven))
        return ContestResult(
            spec=spec, entrants=tuple(self.entrants), heats=tuple(self.driven), league=tuple(table), bracket=bracket
        )

    # ---- leagues and brackets

    def _run_league(self, phase: str, rounds: int | None, advancing: int) -> list[LeagueLine]:
        spec = self.spec
        meetings = spec.meetings if phase == LEAGUE else max(1, spec.qualifying)
        planned = schedule_league(self.names, spec.heat_size, meetings=meetings, rounds=rounds, seed=spec.seed)
        heats = [heat for each in planned for heat in each]
        numbers = [number for number, each in enumerate(planned, 1) for _ in each]
        self.expected += len(heats) + spec.legs * _most_matches(advancing, spec)
        seats = assign_starts(heats, len(self.starts))
        driven = self._drive(
            [
                PlannedHeat(
                    phase=phase, round=number, seats={n: self.starts[s] for n, s in zip(heat, own, strict=True)}
                )
                for number, heat, own in zip(numbers, heats, seats, strict=True)
            ]
        )
        compared = [[each for heat in field for each in heat.results] for field in group_heats(driven)]
        return rank_league(self.names, compared, self.order, spec.seed)

    def _run_bracket(self, bracket: Bracket) -> None:
        spec = self.spec
        if not spec.qualifying:
            self.expected += spec.legs * _most_matches(len(bracket.seeds), spec)
        while matches := bracket.open_matches():
            driven = iter(self._drive([heat for match in matches for heat in self._plan_match(*match)]))
            for match, a, b in matches:
                legs = [next(driven).results for _ in range(spec.legs)]
                best, other = rank_league([a, b], legs, self.order, spec.seed)
                better_seed = min(a, b, key=bracket.seeds.index)
                bracket.decide(match, better_seed if best.place == other.place else best.robot)

    def _plan_match(self, match: Match, *robots: str) -> Iterator[PlannedHeat]:
        """Yield the heats of a match; the robots swap starts from leg to leg."""
        for leg in range(self.spec.legs):
            seats = {name: self.starts[(number + leg) % len(robots)] for number, name in enumerate(robots)}
            yield PlannedHeat(phase=match.name, round=leg + 1, seats=seats)

    # ---- heats

    def _drive(self, planned: Sequence[PlannedHeat]) -> list[DrivenHeat]:
        """Run heats, or take their stored results."""
        jobs = [self._make_job(len(self.driven) + i, heat) for i, heat in enumerate(planned, 1)]
        keys = [job.run.digest for job in jobs]
        fresh = [i for i, key in enumerate(keys) if key not in self.finished or not jobs[i].recording.is_file()]
        done = len(self.driven) + len(jobs) - len(fresh)
        self.progress(done, self.expected)
        for i, answer in self.runner.stream([jobs[i] for i in fresh]) if fresh else ():
            if answer.failure is not None:
                raise answer.failure.error
            self.finished.add({keys[fresh[i]]: answer.value})
            done += 1
            self.progress(done, self.expected)
        for heat, job, key in zip(planned, jobs, keys, strict=True):
            self.driven.append(
                DrivenHeat.of(
                    number=len(self.driven) + 1,
                    phase=heat.phase,
                    round=heat.round,
                    seats=heat.seats,
                    seed=job.run.seed,
                    recording=f"{HEATS}/{job.recording.name}",
                    found=self.finished[key],
                )
            )
        return self.driven[-len(planned) :] if planned else []

    def _make_job(self, number: int, heat: PlannedHeat) -> HeatJob:
        chosen = {entrant.robot: entrant for entrant in self.entrants}
        run = self.spec.plan_heat(
            self._seat_robots(heat.seats),
            [chosen[name] for name in heat.seats],
            math.floor(SEEDS * draw_uniform(self.spec.seed, "round", heat.phase, heat.round)),
        )
        return HeatJob(run=run, recording=self.folder / HEATS / f"{number:03d}.mcap")

    def _seat_robots(self, seats: Mapping[str, str]) -> WorldSpec:
        """Return the world with robots at some of its starts; the order of the starts decides their noise."""
        kind, order = self.spec.choose_robot(self.world), [start.name for start in self.world.starts]
        placed = [
            RobotPlacement(name=name, type=kind, start=start, color=line_color(self.names.index(name)))
            for name, start in sorted(seats.items(), key=lambda seat: order.index(seat[1]))
        ]
        return self.world.with_robots(*placed)


def _most_matches(robots: int, spec: ContestSpec) -> int:
    """Return the maximum number of matches of an elimination."""
    return 0 if robots < 2 else 2 * robots - 1 if spec.format == DOUBLE else robots - 1
