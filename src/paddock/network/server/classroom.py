"""Classroom: connects a class folder with a running session: access, activity and states of the students."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Container, Sequence
from dataclasses import replace as replace_lesson
from typing import TYPE_CHECKING

from msgspec.structs import replace

from paddock.arena.referees import RobotScore
from paddock.core.errors import PaddockError, Refused, SimulationError
from paddock.network.protocol import messages as m
from paddock.network.server.access import Grant, Role
from paddock.network.server.attendance import Attendance, is_program
from paddock.network.server.best_scores import BestScores
from paddock.network.server.class_log import ClassLog
from paddock.network.server.client import Client
from paddock.network.server.lessons import Lesson, list_exercises, list_worlds, make_lesson, remember_lesson
from paddock.network.server.seating import Seating
from paddock.network.server.submission_service import SubmissionService
from paddock.network.server.visibility import switch_off_hidden
from paddock.network.server.world_change import change_world
from paddock.teaching.classroom import ClassFolder, Student
from paddock.teaching.classroom.results import ResultRow
from paddock.teaching.classroom.submissions import Receipt

if TYPE_CHECKING:
    from paddock.network.server.server import Server
    from paddock.network.server.session import Session

PERIOD = 0.5  # wall seconds between two checks of the folder and of the students
LOCK_TIMEOUT = 0.1  # seconds to wait for another command that changes the folder; the server blocks meanwhile
LAST_LOCK_TIMEOUT = 5.0  # … when the server ends
LOCKED_OUT = "you are locked out of this class; talk to your lecturer"


class Classroom:
    """Serves a class: applies its roster and lessons, and reports to supervisors. Runs in the event loop's thread."""

    def __init__(self, folder: ClassFolder, lesson: Lesson, *, fixed: str = "") -> None:
        """Prepare the classroom; `attach` starts it.

        Args:
            folder: the class folder.
            lesson: the first lesson.
            fixed: why the world cannot be changed; empty: it can.
        """
        self.folder, self.lesson, self._fixed = folder, lesson, fixed
        folder.lock_timeout, folder.check_roster = LOCK_TIMEOUT, self._check_roster
        self.log = ClassLog(folder.path / "log")
        self.submissions = SubmissionService(self)
        self.present: dict[str, Attendance] = {}  # by robot
        self._grants: dict[str, Grant] = {}  # by robot
        self._tokens: dict[str, str] = {}  # by robot
        self._sent_states: dict[Client, m.ClassState] = {}  # last state sent to each supervisor
        self._changed = False  # the folder has changes that are not fully applied
        self._last_errors: dict[str, str] = {}  # last error about the list, the scores, the results
        self._results: list[ResultRow] = []  # not yet written to the folder
        self._best = BestScores(folder.path / "results")

    def attach(self, server: Server, session: Session) -> None:
        """Start serving the class in a session."""
        self._server, self._session, self.seating = server, session, Seating(self, session)
        session.scoreboard.keep, session.scoreboard.find_entrants = self._keep_scores, self._find_entrants
        self._loop = asyncio.get_running_loop()
        server.tokens.add(Grant(Role.VIEWER, name="projector"), self.folder.keys.projector)
        self._apply_roster()
        self._apply_lesson()
        self.seating.place_all()
        self._timer = self._loop.call_later(PERIOD, self._check)

    def close(self) -> None:
        """Stop, and write scores and results."""
        self._timer.cancel()
        self.folder.lock_timeout = LAST_LOCK_TIMEOUT
        self._keep_scores(last=True)
        self.keep_results()

    # ---- the roster

    def refresh(self) -> None:
        """Apply changes in the class folder. An error is logged once, and nothing is changed."""
        try:
            self._changed = self.folder.refresh(settled=True) or self._changed
            if self._changed:
                self._apply_roster()
                self._session.supervision.set_limits(self.lesson.limits(self.folder.spec.limits))
            self._changed = False
            self._report_error("list", "")
        except PaddockError as error:
            self._report_error("list", f"cannot apply the changes in the class folder: {error}".replace("\n  ", "; "))

    def _check_roster(self, everyone: Sequence[Student]) -> None:
        """Refuse a list that is incomplete or empty, because it would disconnect all students."""
        listed = {student.robot for student in everyone}
        there = {robot for robot in self.present if self._clients_of(robot)}
        if (self.present and not listed) or (there and not there & listed):
            nobody = "no connected student" if listed else "no student"
            raise PaddockError(
                f"students.csv: it lists {nobody}, so the change is ignored: save the whole list; "
                "`paddock class remove` removes students"
            )

    def _report_error(self, about: str, text: str) -> None:
        """Log an error once; an empty text clears it."""
        if text and text != self._last_errors.get(about):
            self.log.write(text)
        self._last_errors[about] = text

    def _apply_roster(self) -> None:
        students = {student.robot: student for student in self.folder.students}
        for robot in self.present.keys() - students.keys():
            self._remove(robot)
        for robot, student in students.items():
            if robot not in self.present:
                self.present[robot] = Attendance(student)
                if self._session.ownership.entrants is not None:
                    self.log.write(f"{student.name} was added to the class, and can take part when the heat is over")
            self._seat(student)
            self._admit(student)
            self.present[robot].student = student
        self._send_names({student.robot: student.name for student in self.folder.everyone})

    def _send_names(self, names: dict[str, str]) -> None:
        people = self._server.people
        if people != names:
            people.clear()
            people.update(names)
            self._session.ownership.changes += 1

    def _remove(self, robot: str) -> None:
        student = self.present.pop(robot).student
        self._server.tokens.remove(self._tokens.pop(robot, ""))  # none if the student could not be admitted
        self._session.supervision.dismiss(self._clients_of(robot), "you are no longer in this class")
        self._grants.pop(robot, None)
        if robot in self._session.arena:
            self._session.arena.remove(robot)
        self.log.write(f"{student.name} was removed from the class")

    def _seat(self, student: Student) -> None:
        """Add the robot of a new student, unless a heat is running."""
        arena = self._session.arena
        if student.robot in arena or self._fixed or self._session.ownership.entrants is not None:
            return
        kind = self.lesson.seat([student.robot]).robots[0].type
        try:
            arena.spawn(student.robot, kind)
            self.seating.set_aside(student.robot)
            self.log.write(f"{student.name} was added to the class")
        except SimulationError as error:
            self.log.write(f"{student.name} has no robot: {error}", student.name)

    def seat_late_comers(self) -> None:
        """After a heat, add the robots of students who joined during the heat."""
        self._changed = True
        self.refresh()
        self.seating.update(self._loop.time())

    def _admit(self, student: Student) -> None:
        """Update the token and grant of a student."""
        robot, token = student.robot, self.folder.token(student)
        before, tokens = self._tokens.get(robot), self._server.tokens
        if before not in (None, token):
            tokens.remove(before or "")
            self._session.supervision.dismiss(
                self._clients_of(robot), "your link is no longer valid; ask for the new one"
            )
            self.log.write(f"{student.name} has a new link")
        self._tokens[robot] = token
        grant = self.lesson.grant(student)
        if grant != self._grants.get(robot):
            self._change_grant(robot, grant)
        if student.state == "locked-out":
            tokens.refuse(token, LOCKED_OUT)
            self._session.supervision.dismiss(self._clients_of(robot), LOCKED_OUT)
        else:
            tokens.add(self._grants[robot], token)
        was = self.present[robot].student
        if was.state != student.state:
            self.log.write(f"{student.name} {'is locked out' if student.state == 'locked-out' else 'may join again'}")
        if was.name != student.name:
            self.log.write(f"{was.name} was renamed to {student.name}")

    def _change_grant(self, robot: str, grant: Grant) -> None:
        clients = self._clients_of(robot)
        self._grants[robot] = grant
        for client in clients:
            renamed = client.grant.name != grant.name
            client.grant = grant
            if renamed:
                self._session.supervision.rename(client)
            switch_off_hidden(client)
            client.stale.add("robots")

    def _clients_of(self, robot: str) -> list[Client]:
        grant = self._grants.get(robot)
        return [client for client in self._session.clients if client.grant is grant] if grant is not None else []

    def has_program(self, robot: str) -> bool:
        """Whether a student's robot is driven, or a program of the student is connected."""
        return any(is_program(client) for client in self._clients_of(robot))

    # ---- events of students

    def student_of(self, client: Client) -> Attendance | None:
        """Return the student of a client; None: no student of the class."""
        (robot,) = client.grant.robots if client.grant.robots is not None and len(client.grant.robots) == 1 else ("",)
        return self.present.get(robot)

    def on_join(self, client: Client) -> None:
        """Called when a client has been accepted."""
        found = self.student_of(client)
        if found is not None and is_program(client):
            others = [other for other in self._clients_of(found.student.robot) if other is not client]
            if not any(is_program(other) for other in others):
                self.seating.place_at_start(found.student.robot)
        if client.grant.role is not Role.SUPERVISOR:
            self.log.write(f"{client.name} joined", client.grant.name)

    def on_leave(self, client: Client) -> None:
        """Called when a client has disconnected."""
        self._sent_states.pop(client, None)
        found = self.student_of(client)
        if found is not None and is_program(client) and client.loss and found.ended is None:
            found.note_loss(client.loss)
        reason = f": {client.loss}" if client.loss else ""
        if client.grant.role is not Role.SUPERVISOR:
            self.log.write(f"{client.name} left{reason}", client.grant.name)

    def on_end(self, client: Client, message: m.ProgramEnded) -> None:
        """Called when a program reports its end."""
        found = self.student_of(client)
        client.ended = True  # no longer counts as a running program
        if found is not None:
            found.note_end(message)
            state, detail = found.ended or ("", "")
            self.log.write(f"{client.name}'s program {state}{f': {detail}' if detail else ''}", client.grant.name)

    def on_refusal(self, client: Client, text: str) -> None:
        """Called when a request was refused."""
        if client.grant.role is not Role.SUPERVISOR:
            self.log.write(f"{client.name} was refused: {text}", client.grant.name)

    def on_unauthenticated(self, address: str, text: str) -> None:
        """Called when a connection was refused."""
        self.log.write(f"a client at {address} was refused: {text}", address)

    def on_intervention(self, client: Client, text: str) -> None:
        """Called when a client intervened in the clock or the robots; logs supervisors only."""
        if client.grant.role is Role.SUPERVISOR:
            self.log.write(text)

    # ---- requests of the supervisor

    def open_world(self, client: Client, request: m.OpenWorld) -> None:
        """Open another lesson. Students keep tokens, robots, connections and running programs."""
        if self._fixed:
            raise Refused(f"open_world: {self._fixed}")
        world = request.world
        if not (world or request.exercise):
            raise Refused("open_world: expected a world or an exercise")
        seed = self.lesson.seed if request.seed is None else request.seed
        lesson = make_lesson(self.folder, world, request.exercise, seed)
        seated = lesson.seat([student.robot for student in self.folder.students])
        self._keep_scores(last=True)
        own = self.lesson

        def settle() -> None:
            self.lesson = replace_lesson(lesson, own_referee=own.own_referee, own_heats=own.own_heats)
            self._apply_roster()
            self._apply_lesson()
            self.seating.place_all()

        change_world(self._session, client, lesson.name, seated, seed, settle)
        try:
            remember_lesson(self.folder.path, lesson, world)
        except PaddockError as error:  # a full disk
            self.log.write(f"cannot save the current lesson, so a restart opens another one: {error}")

    def _apply_lesson(self) -> None:
        session, lesson = self._session, self.lesson
        session.supervision.set_limits(lesson.limits(self.folder.spec.limits))
        session.heats.settings = lesson.heats(self.folder, self.keep_results)
        session.scoreboard.set_referee(lesson.referee)

    def _keep_scores(self, *, last: bool = False) -> None:
        try:
            self._best.update(self.lesson.name, self._session.scoreboard.game, self.entrants)
            if last:
                self._best.write(sync=True)
            self._report_error("scores", "")
        except PaddockError as error:  # a full disk
            self._report_error("scores", str(error))

    def keep_results(self, rows: Sequence[ResultRow] = ()) -> None:
        """Write the results of a heat; retry later if they cannot be written now."""
        self._results += rows
        try:
            if self._results:
                self.folder.record_results(self._results)
                self._results = []
            self._report_error("results", "")
        except PaddockError as error:
            self._report_error("results", f"results are not written yet: {error}")

    @property
    def entrants(self) -> set[str]:
        """Robots whose scores count; in an exercise, those that are at their starts because their programs run."""
        return {*self.present} if self.lesson.exercise is None else self.seating.seated

    def _find_entrants(self) -> Container[str]:
        heat = self._session.heats.entrants
        return self.entrants if heat is None else heat

    def lock_out(self, student: str, on: bool) -> None:
        """Lock a student out of the class, or let the student in again."""
        self.folder.lock_out(student, on)
        self._apply_roster()

    # ---- state for the supervisor

    def _check(self) -> None:
        self._timer = self._loop.call_later(PERIOD, self._check)
        self.refresh()
        self._keep_scores()
        self.keep_results()
        now = self._loop.time()
        self.seating.update(now)
        for robot, found in self.present.items():
            found.update(self._clients_of(robot), now)
        supervisors = [client for client in self._session.clients if client.grant.role is Role.SUPERVISOR]
        if supervisors:
            state = self._describe()
            for client in supervisors:
                if self._sent_states.get(client) != state and not client.slow:
                    self._sent_states[client] = state
                    client.send(replace(state, now=time.time()))

    def _describe(self) -> m.ClassState:
        standings = {line.robot: line for line in self._session.scoreboard.standings}
        receipts = self._last_receipts()
        return m.ClassState(
            title=self.folder.spec.title,
            exercise=self.lesson.exercise_name,
            world=self._session.arena.world.name,
            students=tuple(
                self._describe_student(found, standings.get(robot), receipts.get(robot))
                for robot, found in self.present.items()
            ),
            log=tuple(self.log.lines),
            worlds=tuple(list_worlds(self.folder.path)),
            exercises=tuple(list_exercises(self.folder.path)),
        )

    def _last_receipts(self) -> dict[str, Receipt]:
        try:
            receipts = self.submissions.find_last()
            self._report_error("receipts", "")
        except PaddockError as error:  # the file is damaged
            receipts = {}
            self._report_error("receipts", str(error))
        return receipts

    def _describe_student(self, found: Attendance, line: RobotScore | None, receipt: Receipt | None) -> m.StudentState:
        robot = found.student.robot
        clients = self._clients_of(robot)
        return m.StudentState(
            name=found.student.name,
            robot=robot,
            state=found.state,
            since=found.since,
            detail=found.detail,
            score=line.score if line is not None and math.isfinite(line.score) else None,
            best=self._best.find(self.lesson.name, robot),
            place=line.place if line is not None else 0,
            fouls=line.fouls if line is not None else 0,
            connections=len(clients),
            submissions=receipt.number if receipt is not None else 0,
            submitted=receipt.time if receipt is not None else "",
            late=receipt is not None and receipt.late,
            cpu_share=found.cpu_share,
            in_lock=any(client.member.locked for client in clients),
        )
