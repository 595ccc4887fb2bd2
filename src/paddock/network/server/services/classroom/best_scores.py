"""BestScores: best score of each student of a class in each lesson, stored permanently."""

from __future__ import annotations

import math
import time
from collections.abc import Container
from pathlib import Path

from paddock.arena.referees import Officiating
from paddock.core.errors import PaddockError
from paddock.teaching.classroom.class_tables import read_table, time_now, write_table

FILE = "best.csv"
COLUMNS = ("lesson", "robot", "score", "unit", "time")
PERIOD = 1.0  # wall seconds between two writes


class BestScores:
    """Best scores in a CSV file. They survive a restart, a reset and a change of the world."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._best: dict[tuple[str, str], tuple[float, str, str]] = {}  # score, unit, time by lesson and robot
        self._changed, self._written = False, 0.0
        for line, row in read_table(self._file):
            try:
                self._best[row["lesson"], row["robot"]] = float(row["score"]), row["unit"], row["time"]
            except (KeyError, ValueError) as error:
                raise PaddockError(f"{self._file}, line {line}: expected {', '.join(COLUMNS)}: {error}") from None

    def find(self, lesson: str, robot: str) -> float | None:
        """Return the best score; None: no score yet."""
        found = self._best.get((lesson, robot))
        return None if found is None else found[0]

    def update(self, lesson: str, game: Officiating | None, robots: Container[str]) -> None:
        """Store improved scores of these robots."""
        if game is not None:
            sign = 1 if game.referee.higher_is_better else -1
            for robot, score in game.scores.items():
                before = self.find(lesson, robot)
                if robot in robots and math.isfinite(score) and (before is None or sign * score > sign * before):
                    self._best[lesson, robot] = score, game.referee.unit, time_now()
                    self._changed = True
        if self._changed and time.monotonic() - self._written > PERIOD:
            self.write()

    def write(self, *, sync: bool = False) -> None:
        """Write the file if scores have changed; `sync` waits for the disk."""
        if self._changed:
            rows = [(*key, repr(score), unit, when) for key, (score, unit, when) in self._best.items()]  # exact
            write_table(self._file, COLUMNS, [dict(zip(COLUMNS, row, strict=True)) for row in rows], sync=sync)
            self._changed, self._written = False, time.monotonic()
