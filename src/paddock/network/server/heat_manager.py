"""HeatManager: heats on a running server, each with fair starts, a start signal, an end, results and a recording."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from paddock.arena.referees import Officiating, RobotScore
from paddock.arena.referees.standings import rank_among
from paddock.core.errors import PaddockError, Refused
from paddock.network.protocol import messages as m
from paddock.network.server.access import Role
from paddock.network.server.client import Client
from paddock.report.recordings import Recorder, record
from paddock.simulation.worlds.placement import Room
from paddock.simulation.worlds.starts import deal_starts, list_starts, take_turns
from paddock.teaching.classroom.class_tables import time_now
from paddock.teaching.classroom.results import ResultRow

if TYPE_CHECKING:
    from paddock.network.server.session import Session

log = logging.getLogger("paddock.server")
COUNT_INTERVAL = 1.0  # wall seconds between two numbers of a countdown
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


class HeatManager:
    """Prepares, starts and ends heats. The clock is stopped until the start signal."""

    def __init__(self, session: Session, settings: HeatSettings) -> None:
        self._session, self.settings = session, settings
        self.phase: HeatPhase = "none"
        self.number = 0
        self.text = ""  # how the last heat ended
        self._left = 0  # number of the countdown
        self.entrants: frozenset[str] | None = None  # of the running or last heat; None: no heat
        self._game: Officiating | None = None
        self._recorder: Recorder | None = None
        self._end_watch: Callable[[], None] = lambda: None
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.Handle | None = None

    def close(self) -> None:
        """End a running heat and store its results."""
        if self.phase == "running":
            self._finish("the server stopped")
        self._end_recording()
        self._cancel()

    # ---- requests of a supervisor

    def prepare(self) -> None:
        """Reset the arena, move all robots to fair starts, and stop the clock."""
        session = self._session
        arena = session.arena
        if session.scoreboard.referee is None:
            raise Refused("set_heat: heats need a referee: serve the world with one")
        if arena.is_real or session.replay is not None or arena.gate is not None:
            raise Refused("set_heat: heats are for simulations that a server runs")
        if self.phase == "running":
            raise Refused(f"set_heat: heat {self.number} is running; stop it first")
        number = self.number + 1 if self.number else self.settings.first
        # a class has its own robots
        spawned = session.ownership.list_client_robots() if session.classroom is not None else set()
        kinds = zip(arena.numbers, arena.built.robots, strict=True)
        robots = take_turns({name: kind for name, kind in kinds if name not in spawned}, number - 1)
        places = deal_starts(Room(arena.world), robots, list_starts(arena.world))
        self._settle()
        self._cancel()
        session.ownership.give_up(spawned, session.clients)
        session.scoreboard.keep()
        session.clock.hold(True)
        arena.reset()
        if session.classroom is None or not session.classroom.seating.place_all(number - 1):
            session.scoreboard.seat(places)
        self.number, self._game = number, session.scoreboard.restart()
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
            self._session.scoreboard.restart()
        self._set("none")
        self._session.clock.hold(False)

    def check_idle(self, what: str) -> None:
        """Refuse a request that would disturb a heat."""
        if self.phase not in ("none", "finished"):
            raise Refused(f"{what}: heat {self.number} is active; stop it first")

    def check_spawn(self, client: Client) -> None:
        """Refuse to spawn robots during a heat."""
        if self.phase not in ("none", "finished") and client.grant.role is not Role.SUPERVISOR:
            raise Refused(f"spawn: heat {self.number} is active; spawn robots when it is over")

    def check_play(self) -> None:
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
        self._send_state()
        self._left -= 1
        self._timer = self._loop.call_later(COUNT_INTERVAL, self._count_down)

    def _signal(self) -> None:
        session, classroom = self._session, self._session.classroom
        self.entrants = frozenset(session.arena.numbers if classroom is None else classroom.entrants)
        session.ownership.entrants = self.entrants
        self._recorder = self._record()
        self._end_watch = session.arena.on_tick(self._after_tick)
        self._set("running")
        self._log("started")
        session.clock.running = True
        session.clock.hold(False)
        self._remind()

    def _record(self) -> Recorder | None:
        folder, arena = self.settings.recordings, self._session.arena
        if folder is None or arena.recorder is not None:  # the whole session is recorded already
            return None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            people = self._session.scoreboard.people
            return record(arena, folder / f"heat-{self.number:04d}.mcap", all_devices=True, people=people)
        except (OSError, PaddockError) as error:
            self._log(f"it is not recorded: {error}")
            return None

    def _after_tick(self) -> None:
        game, limit = self._game, self.settings.seconds
        assert game is not None
        if game.finished:
            self._finish("the referee ended it")
        elif limit is not None and game.seconds >= limit - self._session.arena.dt / 2:
            self._finish(f"{limit:g} s elapsed")
        if self.phase == "finished":
            self._loop.call_soon(self._settle)  # not within a tick

    def _finish(self, reason: str) -> None:
        """End the heat with this tick: later events do not count."""
        game = self._game
        assert game is not None
        self._end_watch()
        game.close()
        self._session.clock.hold(True)
        self._cancel()
        lines = self._rank(game)
        best = [self._name(line.robot) for line in lines if line.place == 1 and math.isfinite(line.score)]
        self.text = f"{reason}; first: {', '.join(best)}" if 0 < len(best) < len(lines) else reason
        self._set("finished")
        self._keep(game)

    def _rank(self, game: Officiating) -> list[RobotScore]:
        """Return the standings of the participants; in a class, only of its students."""
        people = self._session.scoreboard.people if self._session.classroom is not None else game.scores
        return rank_among(game.standings, (self.entrants or frozenset()) & people.keys())

    def _settle(self) -> None:
        """After a heat, close its recording and admit robots that joined during the heat."""
        session = self._session
        self._end_recording()
        if session.ownership.entrants is not None:
            session.ownership.entrants = None
            if session.classroom is not None:
                session.classroom.seat_late_comers()
            session.look_for_changes()
            self._send_state()

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
        """Write to the terminal, and to the log of the class."""
        classroom, line = self._session.classroom, f"heat {self.number}: {text}"
        if classroom is None:
            log.warning("%s", line)
        else:
            classroom.log.write(line)

    def _name(self, robot: str) -> str:
        return self._session.scoreboard.people.get(robot, robot)

    # ---- notifications

    def message(self, client: Client) -> m.HeatState:
        """Return the state of the heat for a client."""
        left: float | None = None
        if self.phase == "countdown":
            left = float(self._left)
        elif self.phase == "running" and self.settings.seconds is not None and self._game is not None:
            left = max(0.0, round(self.settings.seconds - self._game.seconds, 1))
        waits = self._session.ownership.waits(client.grant)
        return m.HeatState(state=self.phase, number=self.number, seconds_left=left, text=self.text, waits=waits)

    def _set(self, phase: HeatPhase) -> None:
        self.phase = phase
        if phase in ("none", "prepared"):
            self.entrants = None
        if phase != "finished":
            self.text = ""
        self._send_state()

    def _remind(self) -> None:
        self._timer = self._loop.call_later(1.0, self._remind)
        self._send_state()

    def _send_state(self) -> None:
        for client in self._session.clients:
            self._session.send_changes(client)  # the list of robots first: late-comers have a robot now
            client.send(self.message(client))

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
