"""Heats on a running server, each with fair starts, a start signal, an end, results and a recording."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from paddock.arena.referees import Officiating, RobotScore
from paddock.arena.referees.standings import rank_among
from paddock.core.errors import PaddockError, Refused, UnknownName
from paddock.core.geometry import Pose
from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Role
from paddock.network.server.core.client import Client
from paddock.network.server.core.service import News, Service, before, handles
from paddock.network.server.core.session import Session
from paddock.network.server.services.scoreboard import Scoreboard
from paddock.report.recordings import ReplayArena
from paddock.simulation.worlds.placement import Room
from paddock.simulation.worlds.starts import deal_starts, list_starts, take_turns
from paddock.teaching.classroom.class_results import ResultRow
from paddock.teaching.classroom.class_tables import time_now

if TYPE_CHECKING:
    from paddock.report.recordings import Recorder

log = logging.getLogger("paddock.server")
COUNT_INTERVAL = 1.0  # wall seconds between two numbers of a countdown
LATE = "a heat is running: your robot can take part when it is over"
HeatPhase = Literal["none", "prepared", "countdown", "running", "finished"]


@dataclass(frozen=True, kw_only=True)
class HeatSettings:
    """Duration, countdown and output of heats."""

    seconds: float | None = None  # simulated duration of a heat; None: until the referee ends it
    countdown: int = 3  # number at which the countdown to the start signal begins
    exercise: str = ""  # name of the exercise in the results; empty: the world
    first: int = 1  # number of the first heat
    keep: Callable[[Sequence[ResultRow]], None] | None = None  # stores the results of a heat
    recordings: Path | None = None  # folder of the recordings; None: no recordings


class HeatField:
    """Who takes part in heats, and where the robots start: all robots of the arena, at its starts."""

    def __init__(self, session: Session, board: Scoreboard) -> None:
        self.session, self.board = session, board

    def list_guests(self) -> set[str]:
        """Return the robots that leave before a heat."""
        return set()

    def gather(self) -> None:
        """Bring everybody who takes part into the shared arena, before a heat is prepared."""

    def disperse(self) -> None:
        """Let everybody go back, when there is no heat any more."""

    def plan(self, number: int) -> dict[str, Pose]:
        """Return fair starts of all robots; `number` of the heat, from 0."""
        arena, guests = self.session.arena, self.list_guests()
        kinds = zip(arena.numbers, arena.built.robots, strict=True)
        robots = take_turns({name: kind for name, kind in kinds if name not in guests}, number)
        return deal_starts(Room(arena.world), robots, list_starts(arena.world))

    def place(self, number: int, starts: Mapping[str, Pose]) -> None:
        """Move all robots to their starts."""
        self.board.seat(starts)

    def choose_entrants(self) -> Collection[str]:
        """Return the robots that take part in the heat that begins."""
        return self.session.arena.numbers

    def list_ranked(self, game: Officiating) -> Collection[str]:
        """Return the robots that may have a rank."""
        return game.scores

    def admit_late(self) -> None:
        """After a heat, let robots take part that came during the heat."""

    def log(self, line: str) -> None:
        """Write a line for the person who supervises the heats."""
        log.warning("%s", line)


class Heats(Service):
    """Prepares, starts and ends heats. The clock is stopped until the start signal.

    Args:
        board: its referee scores the heats.
        settings: may be changed between heats.
    """

    def __init__(self, board: Scoreboard, settings: HeatSettings | None = None) -> None:
        self.board, self.settings = board, settings or HeatSettings()
        self.phase: HeatPhase = "none"
        self.number = 0
        self.text = ""  # how the last heat ended
        self._left = 0  # number of the countdown
        self.entrants: frozenset[str] | None = None  # of the running or last heat; None: no heat
        self._game: Officiating | None = None
        self._recorder: Recorder | None = None
        self._end_watch: Callable[[], None] = lambda: None
        self._timer: asyncio.Handle | None = None

    def attach(self, session: Session) -> None:
        super().attach(session)
        self.field = HeatField(session, self.board)  # a class has its own

    def list_news(self) -> News:
        return {"heat": self.describe}

    def on_watch(self, client: Client) -> None:
        client.stale.add("heat")
        self.session.send_changes(client)

    def close(self) -> None:
        """End a running heat and store its results."""
        if self.phase == "running":
            self._finish("the server stopped")
        self._end_recording()
        self._cancel()

    # ---- requests of a supervisor

    @handles(m.SetHeat, Role.SUPERVISOR, done=True)
    def control(self, client: Client, request: m.SetHeat) -> None:
        actions = {"prepare": self.prepare, "start": self.start, "stop": self.stop}
        if request.action not in actions:
            raise UnknownName("action of set_heat", request.action, actions)
        number = self.number
        actions[request.action]()
        if self.number != number:  # the arena was reset
            self.session.interventions.announce(client, "reset", f"heat {self.number}: prepared")

    def prepare(self) -> None:
        """Reset the arena, move all robots to fair starts, and stop the clock."""
        session, arena = self.session, self.session.arena
        if self.board.referee is None:
            raise Refused("set_heat: heats need a referee: serve the world with one")
        if arena.is_real or isinstance(arena, ReplayArena) or arena.gate is not None:
            raise Refused("set_heat: heats are for simulations that a server runs")
        if self.phase == "running":
            raise Refused(f"set_heat: heat {self.number} is running; stop it first")
        number = self.number + 1 if self.number else self.settings.first
        guests, starts = self.field.list_guests(), self.field.plan(number - 1)
        self._settle()
        self._cancel()
        session.clock.hold(True)
        self.field.gather()
        session.ownership.give_up(guests, session.clients)
        self.board.keep()
        arena.reset()
        self.field.place(number - 1, starts)
        self.number, self._game = number, self.board.restart()
        self._set("prepared")
        session.on_jump()

    def start(self) -> None:
        """Start the countdown to the start signal."""
        if self.phase in ("countdown", "running"):
            raise Refused(f"set_heat: heat {self.number} has been started already")
        if self.phase != "prepared":
            self.prepare()
        self._left = self.settings.countdown
        self._set("countdown")
        self._count_down()

    def stop(self) -> None:
        """End the running heat, or cancel a prepared heat; the clock then runs as before."""
        if self.phase == "running":
            self._finish("ended by the supervisor")
            self._settle()
            return
        if self.phase == "none":
            raise Refused("set_heat: there is no heat to stop; prepare one first")
        if self.phase == "finished":
            raise Refused(f"set_heat: no heat is running: heat {self.number} is already over")
        self.release()

    def release(self) -> None:
        """Let the clock run without a heat; the referee keeps scoring."""
        self._cancel()
        if self.phase == "finished":
            self.board.restart()
        self._set("none")
        self.session.clock.hold(False)
        self.field.disperse()

    @before(m.Reset)
    @before(m.Restore)
    def check_idle(self, client: Client, request: Message) -> None:
        """Refuse a request that would disturb a heat."""
        if self.phase not in ("none", "finished"):
            raise Refused(f"{request.type}: heat {self.number} is active; stop it first")

    @before(m.Spawn)
    def check_spawn(self, client: Client, request: m.Spawn) -> None:
        """Refuse to spawn robots during a heat."""
        if self.phase not in ("none", "finished") and client.grant.role is not Role.SUPERVISOR:
            raise Refused(f"spawn: heat {self.number} is active; spawn robots when it is over")

    @before(m.Play)
    def check_play(self, client: Client, request: m.Play) -> None:
        """Refuse to start the clock before the start signal; after a heat, return to free driving."""
        if self.phase in ("prepared", "countdown"):
            raise Refused(f"play: heat {self.number} waits for its start signal: start it, or stop it")
        if self.phase == "finished":
            self.release()

    # ---- course of a heat

    def _count_down(self) -> None:
        if self._left <= 0:
            self._signal()
            return
        self.session.send_news("heat")
        self._left -= 1
        self._timer = self.session.loop.call_later(COUNT_INTERVAL, self._count_down)

    def _signal(self) -> None:
        session = self.session
        self.entrants = frozenset(self.field.choose_entrants())
        session.ownership.admit_only(self.entrants, LATE)
        session.clock.by_single_ticks = True
        self._recorder = self._record()
        self._end_watch = session.arena.on_tick(self._after_tick)
        self._set("running")
        self._log("started")
        session.clock.running = True
        session.clock.hold(False)
        self._remind()

    def _record(self) -> Recorder | None:
        folder, arena = self.settings.recordings, self.session.arena
        if folder is None or arena.recorder is not None:  # the whole session is recorded already
            return None
        from paddock.report.recordings import record

        try:
            folder.mkdir(parents=True, exist_ok=True)
            people = self.session.people
            return record(arena, folder / f"heat-{self.number:04d}.mcap", all_devices=True, people=people)
        except (OSError, PaddockError) as error:
            self._log(f"it is not recorded: {error}")
            return None

    def _after_tick(self) -> None:
        game, limit = self._game, self.settings.seconds
        assert game is not None
        if game.finished:
            self._finish("the referee ended it")
        elif limit is not None and game.seconds >= limit - self.session.arena.dt / 2:
            self._finish(f"{limit:g} s elapsed")
        if self.phase == "finished":
            self.session.loop.call_soon(self._settle)  # not within a tick

    def _finish(self, reason: str) -> None:
        """End the heat with this tick: later events do not count."""
        game = self._game
        assert game is not None
        self._end_watch()
        game.close()
        self.session.clock.by_single_ticks = False
        self.session.clock.hold(True)
        self._cancel()
        lines = self._rank(game)
        best = [self._name(line.robot) for line in lines if line.place == 1 and math.isfinite(line.score)]
        self.text = f"{reason}; first: {', '.join(best)}" if 0 < len(best) < len(lines) else reason
        self._set("finished")
        self._keep(game)

    def _rank(self, game: Officiating) -> list[RobotScore]:
        """Return the standings of the participants; in a class, only of its students."""
        return rank_among(game.standings, (self.entrants or frozenset()).intersection(self.field.list_ranked(game)))

    def _settle(self) -> None:
        """After a heat, close its recording and admit robots that joined during the heat."""
        self._end_recording()
        if self.session.ownership.entrants is not None:
            self.session.ownership.admit_only(None)
            self.field.admit_late()
            self.session.look_for_changes()
            self.session.send_news("heat")

    def _end_recording(self) -> None:
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None

    def _keep(self, game: Officiating) -> None:
        what, unit, time = self.settings.exercise or game.arena.world.name, game.referee.unit, time_now()
        rows = [
            ResultRow(
                time=time, exercise=what, heat=self.number, student=self._name(line.robot), robot=line.robot,
                place=line.place, score=line.score if math.isfinite(line.score) else None, unit=unit, fouls=line.fouls,
            )
            for line in self._rank(game)
        ]  # fmt: skip
        self._log(self.text)
        if self.settings.keep is not None:
            try:
                self.settings.keep(rows)
            except (OSError, PaddockError) as error:
                self._log(f"its results could not be written: {error}")

    def _log(self, text: str) -> None:
        self.field.log(f"heat {self.number}: {text}")

    def _name(self, robot: str) -> str:
        return self.session.people.get(robot, robot)

    # ---- notifications

    def describe(self, client: Client) -> m.HeatState | None:
        """Return the state of the heat for a client; None: there was no heat yet."""
        if not self.number:
            return None
        left: float | None = None
        if self.phase == "countdown":
            left = float(self._left)
        elif self.phase == "running" and self.settings.seconds is not None and self._game is not None:
            left = max(0.0, round(self.settings.seconds - self._game.seconds, 1))
        waits = bool(self.session.ownership.explain_wait(client.grant))
        return m.HeatState(state=self.phase, number=self.number, seconds_left=left, text=self.text, waits=waits)

    def _set(self, phase: HeatPhase) -> None:
        self.phase = phase
        if phase in ("none", "prepared"):
            self.entrants = None
        if phase != "finished":
            self.text = ""
        self.session.send_news("heat")

    def _remind(self) -> None:
        self._timer = self.session.loop.call_later(1.0, self._remind)
        self.session.send_news("heat")

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
