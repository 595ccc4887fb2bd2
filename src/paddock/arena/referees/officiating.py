"""Officiating: runs a referee in an arena at every tick, independent of connected clients."""

from __future__ import annotations

import logging
import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from paddock.arena import Arena
from paddock.arena.base_arena import BaseArena
from paddock.arena.episodes import Episode, Foul, Verdict
from paddock.arena.observers import Schedule
from paddock.arena.referees.budget import CpuBudget
from paddock.arena.referees.fouls import FoulWatch
from paddock.arena.referees.referee import Referee
from paddock.arena.referees.referee_registry import make_referee
from paddock.arena.referees.standings import RobotScore, rank
from paddock.core.argument_checks import all_finite
from paddock.core.closing import Closing
from paddock.core.errors import PaddockError, format_value
from paddock.core.user_code import error_location, explain_error

log = logging.getLogger("paddock.referees")
MAX_FAILURES = 100  # maximum number of consecutive failures


class Officiating(Closing):
    """A game: calls a referee in simulated time, and catches and reports its errors. A context manager.

    The results depend only on the arena's ticks. A referee that exceeds its CPU budget causes a warning, and is later
    stopped with an error. It is never called less often.
    """

    def __init__(
        self,
        arena: Arena,
        referee: Referee,
        *,
        budget: float | None = None,
        countdown: float = 0.0,
        survive: bool = False,
    ) -> None:
        """Start a game as `officiate` does; `survive`: also catch errors at the start of the referee."""
        self.arena, self.referee = arena, referee
        self.budget = CpuBudget(budget)
        self.countdown = countdown
        with arena.mutex:
            try:
                self._begin()
            except Exception as error:
                if not survive:
                    raise
                self._fail(error)
            self._ends = arena.on_tick(self._tick), arena.on_state_change(self._on_state_change)

    def close(self) -> None:
        """Stop calling the referee; keep its results."""
        with self.arena.mutex:
            self._read()
            for end in self._ends:
                end()

    # ---- results

    @property
    def scores(self) -> dict[str, float]:
        """Score of each robot."""
        with self.arena.mutex:
            self._read()
            return dict(self._scores)

    @property
    def fouls(self) -> tuple[Foul, ...]:
        """Fouls, the earliest first; only the first thousand fouls of rules are listed, `foul_counts` counts all."""
        with self.arena.mutex:
            self._read()
            return self._fouls

    @property
    def foul_counts(self) -> Counter[str]:
        """Number of fouls of each robot."""
        with self.arena.mutex:
            self._read()
            return self._foul_counts.copy()

    @property
    def standings(self) -> list[RobotScore]:
        """All robots with score, place and number of fouls, the best first."""
        with self.arena.mutex:
            fouls = self.foul_counts
            better = self.referee.higher_is_better
            return rank(self.scores, higher_is_better=better, tie_break=self._ties, fouls=fouls)

    @property
    def finished(self) -> bool:
        """Whether the referee has ended the game; scores no longer change then."""
        return self._finished

    @property
    def seconds(self) -> float:
        """Simulated time since the start signal [s]; negative before it."""
        return self._time - self.signal_time

    def is_over(self, arena: BaseArena | None = None) -> str:
        """Return why the game is over, or an empty text; for the `until` of `arena.run`."""
        return "the referee ended the game" if self._finished else ""

    def add_to(self, episode: Episode) -> Episode:
        """Return the episode with its verdict, and each robot's score, place and number of fouls as figures."""
        lines, counts = {line.robot: line for line in self.standings}, self.foul_counts
        robots = {}
        for name, record in episode.robots.items():
            line = lines.get(name)
            own = {"score": math.nan} if line is None else {"score": line.score, "place": line.place}
            robots[name] = replace(record, metrics={**record.metrics, **own, "fouls": counts[name]})
        verdict = Verdict(scores=self.scores, tie_break=dict(self._ties), fouls=self.fouls)
        return replace(episode, robots=robots, verdict=verdict)

    @contextmanager
    def excuse_moves(self) -> Iterator[None]:
        """Do not count moves by hand as fouls inside this context, for example while robots are set to start poses."""
        with self.arena.mutex:
            self._watch.excused = True
            try:
                yield
            finally:
                self._watch.excused = False

    # ---- calls of the referee

    def _begin(self) -> None:
        arena = self.arena
        self.error = ""  # the last error
        self._finished = self._started = self._stopped = False
        self._scores: dict[str, float] = {}
        self._fouls: tuple[Foul, ...] = ()
        self._foul_counts: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()  # consecutive failures by failed call
        self._ties: Mapping[str, float] = {}
        self._noted = 0, 0  # number of reported fouls: of the rules, of the referee
        self._restarts, self._time = arena.restarts, arena.time
        self.signal_time = arena.time + self.countdown
        self._watch = FoulWatch(arena, self.referee.rules, waiting=self.countdown > 0)
        if not self.countdown:
            self._start()

    def _start(self) -> None:
        """Give the start signal."""
        self._started = self._stopped = True  # it stays stopped if `start` fails
        self._watch.signal()
        self._schedule = Schedule(self.referee.period, self.arena.dt)
        self._schedule.due(self.arena.tick)
        self.referee.start(self.arena)
        self._stopped, self._stale = False, True

    def _tick(self) -> None:
        if self._finished:
            return
        self._time = self.arena.time
        self._watch.check()
        self._stale = True
        began = time.thread_time()
        try:
            if not self._started:
                if self._time >= self.signal_time - self.arena.dt / 2:
                    self._start()
            elif self._stopped or not self._schedule.due(self.arena.tick):
                return
            else:
                self.referee.tick(self.arena)
            self._note_fouls()
            if self.referee.finished:
                self._read()
                self._finished = True
            self._failures["tick"] = 0
        except Exception as error:
            self._fail(error, "tick")
        self._charge(time.thread_time() - began)

    def _note_fouls(self) -> None:
        """Add new fouls to the events of the arena, for runs, recordings and reports."""
        fouls = [*self._watch.fouls[self._noted[0] :], *self.referee.fouls()[self._noted[1] :]]
        for foul in fouls:
            self.arena.note_event("note", foul.robot, f"foul: {foul.robot} {foul.text}")
        self._noted = len(self._watch.fouls), len(self.referee.fouls())

    def _on_state_change(self) -> None:
        try:
            if self.arena.restarts != self._restarts:
                self._begin()
            elif not self._finished:
                for robot in self._watch.find_moved():
                    self._stale = True
                    if self._started:
                        self.referee.on_moved(self.arena, robot)
        except Exception as error:
            self._fail(error)

    def _read(self) -> None:
        """Read scores and fouls from the referee, unless they are up to date."""
        if self._finished or self._stopped or not self._started or not self._stale:
            return
        self._stale = False
        try:
            scores = {str(name): float(score) for name, score in self.referee.score().items()}
            own = self.referee.fouls()
            fouls = sorted([*self._watch.fouls, *own], key=lambda foul: foul.time)
            self._scores, self._fouls, self._ties = scores, tuple(fouls), dict(self.referee.tie_break())
            self._foul_counts = self._watch.counts + Counter(foul.robot for foul in own)
            self._failures["score"] = 0
        except Exception as error:
            self._fail(error, "score")

    def _charge(self, seconds: float) -> None:
        verdict = self.budget.charge(seconds)
        if verdict:
            mean = f"{1000 * self.budget.mean:.3g} ms of CPU per call, {1000 * self.budget.seconds:.3g} ms are allowed"
            self._read()
            self._stopped = verdict == "too much"
            self._report(f"the referee uses {mean}" + (": it was stopped, and scores no longer change" * self._stopped))

    def _fail(self, error: Exception, what: str = "") -> None:
        """Report an error; stop a referee that always fails."""
        where = error_location(error)
        problem = f"the referee failed: {f'{where}: ' if where else ''}{explain_error(error)}"
        if what:
            self._failures[what] += 1
            if self._failures[what] >= MAX_FAILURES:
                self._stopped = True
                problem += f"; it was stopped after {MAX_FAILURES} failures in a row, and scores no longer change"
        self._report(problem)

    def _report(self, problem: str) -> None:
        if problem != self.error:
            self.error = problem
            log.warning("%s", problem)


def officiate(
    arena: Arena,
    referee: Referee | str | Mapping[str, Any],
    *,
    budget: float | None = None,
    countdown: float = 0.0,
    folder: str | Path | None = None,
) -> Officiating:
    """Run a referee in an arena from now on: `with officiate(arena, "laps") as game: …`.

    Args:
        arena: an arena of this process, because a referee needs ground truth.
        referee: a referee, its name, `file.py:Name`, or a table with a key `kind` and its options.
        budget: CPU seconds that a call may take on average; None: no limit.
        countdown: simulated seconds until the start signal; moving before it is a foul.
        folder: folder in which `file.py` is searched first; None: the working directory.
    """
    if not isinstance(arena, Arena):
        raise PaddockError(f"officiate: expected an arena of this process, got {format_value(arena)}")
    for name, value in (("budget", budget), ("countdown", countdown)):
        if value is not None and not (all_finite(value) and value >= 0):
            raise PaddockError(f"officiate: {name}: expected seconds >= 0, got {value!r}")
    return Officiating(arena, make_referee(referee, folder=folder), budget=budget, countdown=countdown)
