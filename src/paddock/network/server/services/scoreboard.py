"""Scoreboard: the game that a referee scores, and its messages to viewers."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import nullcontext

from msgspec.structs import replace

from paddock.arena.local_body import place_robots
from paddock.arena.referees import Officiating, Referee, RobotScore
from paddock.arena.referees.standings import rank_among
from paddock.core.geometry import Pose
from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Grant
from paddock.network.server.core.client import Client
from paddock.network.server.core.service import Publisher, before
from paddock.network.server.core.session import Session

BUDGET = 0.002  # CPU seconds of a tick for the referee, on average


class Scoreboard(Publisher):
    """Runs a game, also without viewers, and sends its scores to viewers.

    Args:
        referee: scores the game; None: no game.
    """

    period = 0.5  # the game does not depend on it

    def __init__(self, referee: Referee | None = None) -> None:
        self._first_referee = referee
        self.game: Officiating | None = None
        self.find_entrants: Callable[[], Container[str] | None] = lambda: None  # robots whose scores count; None: all
        self.collect: Callable[[], list[RobotScore] | None] = lambda: None  # standings from elsewhere; None: the game's
        self.keep: Callable[[], None] = lambda: None  # called before scores are lost

    def attach(self, session: Session) -> None:
        super().attach(session)
        self.set_referee(self._first_referee)

    def close(self) -> None:
        """End the game and stop sending scores."""
        super().close()
        if self.game is not None:
            self.game.close()

    @before(m.Reset)
    @before(m.Restore)
    def keep_scores(self, client: Client, request: Message) -> None:
        self.keep()

    @property
    def referee(self) -> Referee | None:
        """Current referee; None: no game."""
        return None if self.game is None else self.game.referee

    def set_referee(self, referee: Referee | None) -> None:
        """Start a new game with a referee; None: no game."""
        self.keep()
        if self.game is not None:
            self.game.close()
        self.game = None if referee is None else Officiating(self.session.arena, referee, budget=BUDGET, survive=True)

    def restart(self) -> Officiating | None:
        """Start a new game with the same referee and the robots at their current poses."""
        self.set_referee(self.referee)
        return self.game

    def seat(self, places: Mapping[str, Pose]) -> None:
        """Set the poses of robots at their starts, without a foul."""
        with self.game.excuse_moves() if self.game is not None else nullcontext():
            place_robots(self.session.arena, places)

    @property
    def standings(self) -> list[RobotScore]:
        """Standings of the participants."""
        if self.game is None:
            return []
        if (collected := self.collect()) is not None:
            return collected
        entrants = self.find_entrants()
        return self.game.standings if entrants is None else rank_among(self.game.standings, entrants)

    def message(self) -> m.Scores:
        """Return the scoreboard as a message; a robot without a result has no score."""
        if self.game is None:
            return m.Scores(scores=())
        lines = tuple(
            m.Score(
                robot=line.robot,
                score=line.score if math.isfinite(line.score) else None,
                name=self.session.people.get(line.robot, ""),
                place=line.place,
                fouls=line.fouls,
            )
            for line in self.standings
        )
        referee = self.game.referee
        return m.Scores(
            scores=lines,
            label=referee.label,
            unit=referee.unit,
            error=self.game.error,
            lower_is_better=not referee.higher_is_better,
        )

    def publish(self, viewers: Sequence[Client]) -> None:
        if viewers and self.game is not None:
            message = self.message()
            for client in viewers:
                client.send(hide_scores(message, client.grant))


def hide_scores(scores: m.Scores, grant: Grant) -> m.Scores:
    """Return the visible part of the scoreboard; with "nothing" visible, only the client's own score."""
    if grant.shows != "nothing":
        return scores
    return replace(scores, scores=tuple(line for line in scores.scores if grant.covers(line.robot)))
