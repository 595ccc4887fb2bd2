"""StudentCopies: a private copy of the lesson's world for each student, with its own clock, seed and scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import TYPE_CHECKING

from paddock.arena import Arena
from paddock.arena.episodes.events import Kind
from paddock.arena.referees import RobotScore
from paddock.arena.referees.standings import rank
from paddock.core.errors import UnknownName
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Grant, Role
from paddock.network.server.core.client import Client
from paddock.network.server.core.service import News, Service, handles
from paddock.network.server.core.sessions import PrivateCopy
from paddock.network.server.services.absent import NoReplay
from paddock.network.server.services.classroom.attendance import is_program
from paddock.network.server.services.goals import Goals
from paddock.network.server.services.history import HistoryService
from paddock.network.server.services.maps import MapPublisher
from paddock.network.server.services.scoreboard import Scoreboard
from paddock.simulation.worlds.build import build

if TYPE_CHECKING:
    from paddock.network.server.services.classroom.classroom import Classroom

PARKED = "parked"  # why the clock of a private copy is stopped


class CopyOfClass(Service):
    """The private copy of a student: its world, its scores, and what the class wants to know about it.

    Args:
        classroom: of the class.
        robot: of the student.
    """

    def __init__(self, classroom: Classroom, robot: str) -> None:
        self._classroom, self.robot = classroom, robot
        self.board = Scoreboard(deepcopy(classroom.lesson.referee))  # a referee keeps the state of its game

    def list_news(self) -> News:
        return {"heat": self._classroom.heats.describe}

    def on_join(self, client: Client) -> None:
        others = [other for other in self.session.clients if other is not client]
        if self._classroom.lesson.exercise is not None and is_program(client) and not any(map(is_program, others)):
            self.restart()  # every run begins as at home, also its clock
        self._classroom.note_join(client)

    def on_leave(self, client: Client) -> None:
        self._classroom.note_leave(client)

    def on_watch(self, client: Client) -> None:
        client.stale.add("heat")
        self.session.send_changes(client)

    def on_refusal(self, name: str, text: str, about: str) -> None:
        self._classroom.on_refusal(name, text, about)

    def on_intervention(self, client: Client, kind: Kind, text: str, in_full: str) -> None:
        if client.grant.role is Role.SUPERVISOR:
            self._classroom.log.write(f"{in_full}, in the copy of {self._classroom.find_name(self.robot)}")

    @handles(m.SetHeat, Role.SUPERVISOR, done=True)
    def control_heat(self, client: Client, request: m.SetHeat) -> None:
        self._classroom.heats.control(client, request)

    @handles(m.Reset, Role.CONTROLLER, done=True)
    def reset(self, client: Client, request: m.Reset) -> None:
        """Restart; with another seed, in the world of that seed, so that the run equals the one at home."""
        self.restart(request.seed)
        if request.seed is not None:
            self.session.knows_seed = client.grant.role is not Role.SUPERVISOR
        self.session.interventions.announce(client, "reset", "reset")

    def restart(self, seed: int | None = None) -> None:
        """Restart the copy, with the current seed or another one, which is a secret of the lecturer."""
        if seed is not None:
            self.session.knows_seed = False
        if seed in (None, self.session.arena.seed) or self._classroom.lesson.exercise is None:
            self.session.reset(seed)
            return
        assert seed is not None
        self._change_world(seed)

    def adopt_lesson(self) -> None:
        """Open the current lesson of the class in this copy."""
        self.session.knows_seed = False
        self._change_world(self._classroom.lesson.seed)

    def _change_world(self, seed: int) -> None:
        lesson = self._classroom.lesson
        world = lesson.make_private_world(self.robot, seed)
        self.board.set_referee(None)  # it refers to the old world
        try:
            self.session.change_world(world, seed, lambda: self._classroom.admission.grant_again(self.robot))
        finally:
            self.board.set_referee(deepcopy(lesson.referee))


class StudentCopies:
    """The private copies of a class: who is in which one, and their scores."""

    def __init__(self, classroom: Classroom) -> None:
        self._classroom = classroom

    def __iter__(self) -> Iterator[CopyOfClass]:
        for session in self._classroom.session.sessions.copies.values():
            yield next(service for service in session.services if isinstance(service, CopyOfClass))

    def find(self, robot: str) -> CopyOfClass | None:
        """Return the private copy of a student; None: there is none."""
        return next((copy for copy in self if copy.robot == robot), None)

    def park(self, robot: str, *, on: bool) -> None:
        """Stop the clock of a student's private copy, or let it continue."""
        copy = self.find(robot)
        if copy is not None:
            (copy.session.clock.block if on else copy.session.clock.unblock)(PARKED)

    # ---- the rule of the sessions

    def choose(self, grant: Grant, wanted: str) -> str:
        """Return the copy for a client: a student's own one, unless all are together; a supervisor may visit any."""
        classroom = self._classroom
        found = classroom.find_holder(grant)
        if found is not None:
            return "" if classroom.is_together else found.student.robot
        if wanted and grant.role is Role.SUPERVISOR:
            if wanted not in classroom.present:
                raise UnknownName("robot of a student", wanted, classroom.present)
            return wanted
        return ""

    def make(self, name: str) -> PrivateCopy:
        """Make the private copy of a student, by the name of the robot."""
        classroom, lesson = self._classroom, self._classroom.lesson
        copy = CopyOfClass(classroom, name)
        arena = Arena(build(lesson.make_private_world(name, lesson.seed)), seed=lesson.seed)
        return PrivateCopy(
            arena=arena,
            services=(NoReplay(), copy.board, HistoryService(), MapPublisher(), Goals(), copy),
            guests=(classroom,),
            payer=classroom.session.shares.of_grant(classroom.admission.find_grant(name), ""),
        )

    # ---- all copies

    def for_all(self, action: Callable[[CopyOfClass], object]) -> None:
        """Do something in all copies."""
        for copy in list(self):
            action(copy)

    def adopt_lesson(self) -> None:
        """Open the current lesson in the copies in which somebody is, and close the others."""
        for copy in list(self):
            if copy.session.clients:
                copy.adopt_lesson()
            else:
                self._classroom.session.sessions.close_copy(copy.robot)

    def list_standings(self) -> list[RobotScore]:
        """Return the standings of the students, each in the own copy, the best first."""
        games = {copy.robot: copy.board.game for copy in self if copy.session.clients}
        found = {robot: game for robot, game in games.items() if game is not None and robot in game.scores}
        if not found:
            return []
        return rank(
            {robot: game.scores[robot] for robot, game in found.items()},
            higher_is_better=next(iter(found.values())).referee.higher_is_better,
            fouls={robot: game.foul_counts[robot] for robot, game in found.items()},
        )
