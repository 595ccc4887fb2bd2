"""ClassLog: log of a class, written to the terminal, to one file per day, and to the lecturer's page."""

from __future__ import annotations

import logging
import time
from collections import deque
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from paddock.core.errors import PaddockError
from paddock.core.files import append_text
from paddock.core.terminal_text import visible

KEPT = 100  # lines for the page
LONGEST_LINE = 300  # characters
MAX_PER_SOURCE = 20  # lines about the same student or address …
MAX_SOURCES = 1000  # students and addresses; older ones are removed
WITHIN = 60.0  # … within this many seconds; further lines are omitted
log = logging.getLogger("paddock.class")


class ClassLog:
    """Log lines with time stamps. The number of lines per minute about one student or address is limited."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._about: dict[str, tuple[float, int]] = {}  # by student or address: start time, number of lines
        self._failed = False
        self.lines = deque(read_last_lines(folder), maxlen=KEPT)

    def write(self, text: str, about: str = "") -> None:
        """Write a line; `about`: the student or address, for the rate limit."""
        if about and not self._has_room(about):
            return
        now = datetime.now()
        line = f"{now:%H:%M:%S} {visible(text)[:LONGEST_LINE]}"
        self.lines.append(line)
        log.warning("%s", line)
        try:
            append_text(self._folder / f"{now:%Y-%m-%d}.log", f"{line}\n")
        except PaddockError as error:  # a failing log must not stop the class
            if not self._failed:
                log.warning("%s", error)
            self._failed = True

    def _has_room(self, about: str) -> bool:
        now = time.monotonic()
        began, count = self._about.get(about, (now, 0))
        if now - began > WITHIN:
            began, count = now, 0
        self._about.pop(about, None)
        self._about[about] = began, count + 1
        while len(self._about) > MAX_SOURCES:  # addresses of unauthenticated clients are unlimited
            del self._about[next(iter(self._about))]
        if count == MAX_PER_SOURCE:
            self.write(f"… further lines about {about} are omitted for a while")
        return count < MAX_PER_SOURCE


def read_last_lines(folder: Path) -> list[str]:
    """Return the last lines of the newest file; lines of another day begin with its date."""
    newest = max(folder.glob("*.log"), default=None)
    lines: list[str] = []
    if newest is not None:
        day = "" if newest.stem == f"{datetime.now():%Y-%m-%d}" else f"{newest.stem} "
        with suppress(OSError), newest.open(encoding="utf-8", errors="replace") as file:
            lines = [day + line.rstrip("\n") for line in deque(file, maxlen=KEPT)]
    return lines
