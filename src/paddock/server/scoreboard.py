"""Scoreboard: what a scoring function makes of the arena, told to those who watch."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping, Sequence

from paddock.arena import Arena
from paddock.protocol import messages as m
from paddock.server.client import Client

Scoring = Callable[[Arena], Mapping[str, float]]
SCORE_PERIOD = 0.5  # wall seconds
log = logging.getLogger("paddock.server")


class Scoreboard:
    """Calls the function twice a second, until it fails or the server ends."""

    def __init__(self, arena: Arena, clients: Sequence[Client], scoring: Scoring) -> None:
        self._arena, self._clients, self._scoring = arena, clients, scoring
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.Handle = self._loop.call_soon(self._score)

    def close(self) -> None:
        """No more scores."""
        self._timer.cancel()

    def _score(self) -> None:
        self._timer = self._loop.call_later(SCORE_PERIOD, self._score)
        watching = [client for client in self._clients if client.frames is not None]
        if not watching:
            return
        try:
            scores = {name: float(score) for name, score in self._scoring(self._arena).items()}
        except Exception:
            log.exception("the scoring failed; there will be no more scores")
            self.close()
            return
        lines = [m.Score(robot=name, score=score) for name, score in scores.items() if math.isfinite(score)]
        message = m.Scores(scores=tuple(sorted(lines, key=lambda line: -line.score)))
        for client in watching:
            client.send(message)
