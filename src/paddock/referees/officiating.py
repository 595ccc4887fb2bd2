"""Officiating: a referee at work in an arena, tick by tick, whether or not anyone watches."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from paddock.arena import Arena
from paddock.arena.base import BaseArena
from paddock.arena.observers import Schedule
from paddock.core.errors import PaddockError, format_value
from paddock.core.places import error_location, problem_of, warn_user
from paddock.referees.base import Foul, Referee
from paddock.referees.registry import make_referee


class Officiating:
    """Calls a referee in simulated time; survives its errors and tells them. A context manager.

    Args:
        arena: one of this process: a referee sees the truth.
        referee: a referee, its name, `file.py:Name`, or a table with a key `kind`.
        folder: where `file.py` is looked for first.
    """

    def __init__(
        self, arena: Arena, referee: Referee | str | Mapping[str, Any], *, folder: str | Path | None = None
    ) -> None:
        if not isinstance(arena, Arena):
            raise PaddockError(f"officiate: expected an arena of this process, got {format_value(arena)}")
        self.arena, self.referee = arena, make_referee(referee, folder=folder)
        self.error = ""  # what went wrong last
        self.cpu_seconds = 0.0  # spent by the referee
        self.calls = 0
        with arena.turn:
            self._begin()
            self._end = arena.on_tick(self._tick)

    def close(self) -> None:
        """The referee goes; what it has decided stays."""
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def scores(self) -> dict[str, float]:
        """The score of each robot."""
        return dict(self._scores)

    @property
    def fouls(self) -> tuple[Foul, ...]:
        """All fouls, the earliest first."""
        return self._fouls

    def is_over(self, arena: BaseArena | None = None) -> str:
        """Why the game is over, or an empty text; for the `until` of `arena.run`."""
        return f"the referee ended it: {self.referee.label}" if self.finished else ""

    def _begin(self) -> None:
        self.finished = False
        self._restarts = self.arena.restarts
        self._schedule = Schedule(self.referee.period, self.arena.dt)
        self._schedule.due(self.arena.tick)
        self._scores: dict[str, float] = {}
        self._fouls: tuple[Foul, ...] = ()
        self.referee.start(self.arena)
        self._look()

    def _tick(self) -> None:
        try:
            if self.arena.restarts != self._restarts:
                self._begin()
            elif not self.finished and self._schedule.due(self.arena.tick):
                started = time.thread_time()
                self.referee.tick(self.arena)
                self._look()
                self.cpu_seconds += time.thread_time() - started
                self.calls += 1
        except Exception as error:
            self._fail(error)

    def _look(self) -> None:
        self._scores = {str(name): float(score) for name, score in self.referee.score().items()}
        self._fouls = tuple(self.referee.fouls())
        self.finished = bool(self.referee.finished)

    def _fail(self, error: Exception) -> None:
        where = error_location(error)
        said = f"{where}: {problem_of(error)}" if where else problem_of(error)
        if said != self.error:
            self.error = said
            warn_user(f"the referee failed: {said}")


def officiate(
    arena: Arena, referee: Referee | str | Mapping[str, Any], *, folder: str | Path | None = None
) -> Officiating:
    """Let a referee look at all that happens in an arena from now on: `with officiate(arena, "laps") as game: …`."""
    return Officiating(arena, referee, folder=folder)
