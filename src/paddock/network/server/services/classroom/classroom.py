"""Classroom: connects a class folder with a running session: access, activity and states of the students."""

from __future__ import annotations

import math
import time
from collections.abc import Container, Sequence
from dataclasses import replace as replace_lesson

from msgspec.structs import replace

from paddock.arena.episodes.events import Kind
from paddock.arena.referees import RobotScore
from paddock.core.errors import PaddockError, Refused, SimulationError, UnknownName
from paddock.network.protocol import Message
from paddock.network.protocol import messages as m
from paddock.network.server.core.access import Grant, Role
from paddock.network.server.core.client import Client
from paddock.network.server.core.service import Service, before, handles
from paddock.network.server.core.session import Session
from paddock.network.server.core.visibility import Occasion
from paddock.network.server.services.classroom.attendance import Admission, Attendance, is_program
from paddock.network.server.services.classroom.best_scores import BestScores
from paddock.network.server.services.classroom.class_log import ClassLog
from paddock.network.server.services.classroom.lessons import (
    Lesson,
    list_exercises,
    list_worlds,
    make_lesson,
    remember_lesson,
)
from paddock.network.server.services.classroom.seating import ClassField, Seating
from paddock.network.server.services.classroom.student_copies import CopyOfClass, StudentCopies
from paddock.network.server.services.classroom.submission_service import SubmissionService
from paddock.network.server.services.heats import Heats
from paddock.simulation.worlds.world_spec import WorldSpec
from paddock.teaching.classroom import ClassFolder, Student
from paddock.teaching.classroom.class_results import ResultRow
from paddock.teaching.classroom.submissions import Receipt

PERIOD = 0.5  # wall seconds between two checks of the folder and of the students
LOCK_TIMEOUT = 0.1  # seconds to wait for another command that changes the folder; the server blocks meanwhile
LAST_LOCK_TIMEOUT = 5.0  # … when the server ends


class Classroom(Service):
    """Serves a class: applies its roster and lessons, and reports to supervisors. Runs in the event loop's thread."""

    def __init__(
        self, folder: ClassFolder, lesson: Lesson, heats: Heats, *, fixed: str = "", keeps_files: bool = True
    ) -> None:
        """Prepare the classroom; `attach` starts it.

        Args:
            folder: the class folder.
            lesson: the first lesson.
            heats: of the server.
            fixed: why the world cannot be changed; empty: it can.
            keeps_files: whether the folder exists longer than the server, so that students may submit files.
        """
        self.folder, self.lesson, self._fixed, self.keeps_files = folder, lesson, fixed, keeps_files
        self.heats, self.board = heats, heats.board
        folder.lock_timeout, folder.check_roster = LOCK_TIMEOUT, self._check_roster
        self.log = ClassLog(folder.path / "log")
        self.submissions = SubmissionService(self)
        self.present: dict[str, Attendance] = {}  # by robot
        self._sent_states: dict[Client, m.ClassState] = {}  # last state sent to each supervisor
        self._gathers = False  # a heat is about to be prepared
        self._changed = False  # the folder has changes that are not fully applied
        self._last_errors: dict[str, str] = {}  # last error about the list, the scores, the results
        self._results: list[ResultRow] = []  # not yet written to the folder
        self._best = BestScores(folder.path / "results")
        self.copies = StudentCopies(self)

    def attach(self, session: Session) -> None:
        """Start serving the class in a session."""
        super().attach(session)
        self.admission = Admission(self, session)
        self.seating, self.heats.field = Seating(self, session), ClassField(self, session)
        self.board.keep, self.board.find_entrants = self._keep_scores, self._find_entrants
        self.board.collect = lambda: None if self.is_together else self.copies.list_standings()
        session.sessions.rule = self.copies
        session.tokens.add(Grant(Role.VIEWER, name="projector"), self.folder.keys.projector)
        self._apply_roster()
        self._apply_lesson()
        self.seating.place_all()
        self._timer = self.session.loop.call_later(PERIOD, self._check)

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
                self._apply_spec()
            self._changed = False
            self._report_error("list", "")
        except PaddockError as error:
            self._report_error("list", f"cannot apply the changes in the class folder: {error}".replace("\n  ", "; "))

    def _check_roster(self, everyone: Sequence[Student]) -> None:
        """Refuse a list that is incomplete or empty, because it would disconnect all students."""
        listed = {student.robot for student in everyone}
        there = {robot for robot in self.present if self.admission.find_clients(robot)}
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
                if self.session.ownership.entrants is not None:
                    self.log.write(f"{student.name} was added to the class, and can take part when the heat is over")
            self._seat(student)
            self.admission.update(self.present[robot].student, student)
            self.present[robot].student = student
        self._send_names({student.robot: student.name for student in self.folder.everyone})

    def _send_names(self, names: dict[str, str]) -> None:
        people = self.session.people
        if people != names:
            people.clear()
            people.update(names)
            self.session.ownership.changes += 1

    def _remove(self, robot: str) -> None:
        student = self.present.pop(robot).student
        self.admission.remove(robot)
        self.session.sessions.close_copy(robot)
        if robot in self.session.arena:
            self.session.arena.remove(robot)
        self.log.write(f"{student.name} was removed from the class")

    def _seat(self, student: Student) -> None:
        """Add the robot of a new student, unless a heat is running."""
        arena = self.session.arena
        if student.robot in arena or self._fixed or self.session.ownership.entrants is not None:
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
        self.seating.update(self.session.loop.time())

    # ---- events of students

    def find_student(self, client: Client) -> Attendance | None:
        """Return the student of a client; None: no student of the class."""
        return self.find_holder(client.grant)

    def find_holder(self, grant: Grant) -> Attendance | None:
        """Return the student who has a grant; None: no student of the class."""
        (robot,) = grant.robots if grant.robots is not None and len(grant.robots) == 1 else ("",)
        return self.present.get(robot)

    def find_name(self, robot: str) -> str:
        """Return the name of the student of a robot."""
        return self.session.people.get(robot, robot)

    def on_join(self, client: Client) -> None:
        found = self.find_student(client)
        if found is not None and is_program(client):
            others = [other for other in self.admission.find_clients(found.student.robot) if other is not client]
            if not any(is_program(other) for other in others):
                self.seating.place_at_start(found.student.robot)
        self.note_join(client)

    def note_join(self, client: Client) -> None:
        """Log that a client has joined, in the shared arena or in a private copy."""
        if client.grant.role is not Role.SUPERVISOR:
            self.log.write(f"{client.name} joined", client.grant.name)

    def on_leave(self, client: Client) -> None:
        self.note_leave(client)

    def note_leave(self, client: Client) -> None:
        """Store and log that a client has left, in the shared arena or in a private copy."""
        self._sent_states.pop(client, None)
        found = self.find_student(client)
        if found is not None and is_program(client) and client.loss and found.ended is None:
            found.note_loss(client.loss)
        reason = f": {client.loss}" if client.loss else ""
        if client.grant.role is not Role.SUPERVISOR:
            self.log.write(f"{client.name} left{reason}", client.grant.name)

    @handles(m.ProgramEnded)
    def on_end(self, client: Client, message: m.ProgramEnded) -> None:
        found = self.find_student(client)
        client.ended = True  # no longer counts as a running program
        if found is not None:
            found.note_end(message)
            state, detail = found.ended or ("", "")
            self.log.write(f"{client.name}'s program {state}{f': {detail}' if detail else ''}", client.grant.name)

    def on_refusal(self, name: str, text: str, about: str) -> None:
        self.log.write(f"{name} was refused: {text}", about)

    def on_intervention(self, client: Client, kind: Kind, text: str, in_full: str) -> None:
        """Log the interventions of supervisors."""
        if client.grant.role is Role.SUPERVISOR:
            self.log.write(in_full)

    def on_reset(self) -> None:
        self.seating.place_all()

    # ---- together or in private copies

    @property
    def is_together(self) -> bool:
        """Whether all students share one arena: for a heat, or because the class or the exercise wants it."""
        shared = self.folder.spec.shared or self.lesson.is_shared or bool(self._fixed)
        return shared or self.heats.phase != "none" or self._gathers

    def regroup(self, *, afresh: bool = False) -> None:
        """Move all students to where they belong. With `afresh`, private copies restart before."""
        sessions, together = self.session.sessions, self.is_together
        if afresh and not together:
            self.copies.for_all(CopyOfClass.restart)
        for robot in self.present:
            self.admission.grant_again(robot)
            for client in self.admission.find_clients(robot):
                sessions.move(client, sessions.open("" if together else robot))
        if together:
            for copy in list(sessions.copies.values()):
                for client in list(copy.clients):
                    sessions.move(client, self.session)

    def gather(self) -> None:
        """Bring all students into the shared arena, because a heat is about to be prepared."""
        self._gathers = True
        try:
            self.regroup()
        finally:
            self._gathers = False

    @handles(m.Visit, Role.SUPERVISOR, done=True)
    def visit(self, client: Client, request: m.Visit) -> None:
        """Move a supervisor to the private copy of a student, or back."""
        if request.copy and self.is_together:
            raise Refused("visit: all students share one arena at present; there are no private copies")
        sessions = self.session.sessions
        sessions.move(client, sessions.open(self.copies.choose(client.grant, request.copy)))

    @handles(m.Restart, Role.SUPERVISOR, done=True)
    def restart(self, client: Client, request: m.Restart) -> None:
        """Restart the private copy of a student, or move the robot to a start in the shared arena."""
        found = self._find_named(request.student)
        robot, copy = found.student.robot, self.copies.find(found.student.robot)
        self._park(found, on=False)
        if copy is not None and not self.is_together:
            copy.restart()
            copy.session.interventions.announce(client, "reset", "reset")
        elif self.heats.phase == "running":
            raise Refused(f"restart: heat {self.heats.number} is running; stop it first")
        else:
            self.seating.place_at_start(robot)

    @handles(m.Park, Role.SUPERVISOR, done=True)
    def park(self, client: Client, request: m.Park) -> None:
        """Stop a student's private copy, or move the robot aside and ignore its commands."""
        self._park(self._find_named(request.student), on=request.on)
        self.log.write(f"{request.student} {'was parked' if request.on else 'may drive again'} (by {client.name})")

    def _park(self, found: Attendance, *, on: bool) -> None:
        robot, ownership = found.student.robot, self.session.ownership
        if on == found.parked:
            return
        found.parked = on
        self.copies.park(robot, on=on)
        (ownership.parked.add if on else ownership.parked.discard)(robot)
        if robot in self.session.arena:
            ownership.halt(robot)
        if on and self.is_together and self.heats.phase != "running":
            self.seating.set_aside(robot)
        elif self.is_together and self.admission.has_program(robot):
            self.seating.place_at_start(robot)

    @handles(m.Tell, Role.SUPERVISOR, done=True)
    def tell(self, client: Client, request: m.Tell) -> None:
        """Send a message to a student, or to all."""
        robots = [self._find_named(request.student).student.robot] if request.student else [*self.present]
        for robot in robots:
            for other in self.admission.find_clients(robot):
                other.send(m.Told(text=request.text, sender=client.name))
        self.log.write(f"to {request.student or 'all'}: {request.text} (by {client.name})")

    def _find_named(self, name: str) -> Attendance:
        for found in self.present.values():
            if found.student.name == name:
                return found
        raise UnknownName("student", name, [found.student.name for found in self.present.values()])

    @before(m.Play)
    @before(m.Pause)
    @before(m.SetSpeed)
    @before(m.Reset)
    def control_copies(self, client: Client, request: Message) -> None:
        """Do in all private copies what a supervisor does with the clock of the shared arena."""
        if client.grant.role is not Role.SUPERVISOR:
            return
        for copy in self.copies:
            clock = copy.session.clock
            if isinstance(request, m.Reset):
                copy.restart(request.seed)
                copy.session.interventions.announce(client, "reset", "reset")
            elif isinstance(request, m.SetSpeed):
                clock.set_speed(request.speed or None)
            else:
                clock.set_running(isinstance(request, m.Play))

    # ---- requests of students

    @handles(m.Submit)
    def submit(self, client: Client, request: m.Submit) -> m.ReceiptAnswer:
        return self.submissions.receive(client, request)

    @handles(m.AskExercise)
    def describe_exercise(self, client: Client, request: m.AskExercise) -> m.ExerciseText:
        return self.submissions.describe(client, request.id)

    # ---- requests of the supervisor

    @handles(m.OpenWorld, Role.SUPERVISOR, done=True)
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
        if self.heats.phase == "running":
            raise Refused(f"open_world: heat {self.heats.number} is running; stop it first")
        self._keep_scores(last=True)
        if self.heats.phase != "none":
            self.heats.release()
        self._replace_world(lesson, seated, seed)
        for session in self.session.sessions:
            session.interventions.announce(client, "reset", f"opened {lesson.name}", seed=seed)
        try:
            remember_lesson(self.folder.path, lesson, world)
        except PaddockError as error:  # a full disk
            self.log.write(f"cannot save the current lesson, so a restart opens another one: {error}")

    def _replace_world(self, lesson: Lesson, seated: WorldSpec, seed: int) -> None:
        own = self.lesson

        def settle() -> None:
            self.lesson = replace_lesson(lesson, own_referee=own.own_referee, own_heats=own.own_heats)
            self._apply_roster()
            self._apply_lesson()
            self.copies.adopt_lesson()
            self.regroup()
            self.seating.place_all()

        referee = self.board.referee
        self.board.set_referee(None)  # it refers to the old world
        try:
            self.session.change_world(seated, seed, settle)
        except PaddockError:
            self.board.set_referee(referee)
            raise

    def _apply_lesson(self) -> None:
        self._apply_spec()
        self.heats.settings = self.lesson.heats(self.folder, self.keep_results)
        self.board.set_referee(self.lesson.referee)

    def _apply_spec(self) -> None:
        """Apply the limits and titles of the class and the lesson."""
        spec, lesson, supervision = self.folder.spec, self.lesson, self.session.supervision
        supervision.largest_submission = spec.longest_submission
        supervision.set_limits(lesson.limits(spec.limits))
        self.session.occasion = Occasion(
            title=spec.title, lesson=lesson.title, exercise=lesson.exercise_name, pages_of="lecturer", hides_seed=True
        )

    def _keep_scores(self, *, last: bool = False) -> None:
        try:
            self._best.update(self.lesson.name, self.board.game, self.entrants)
            for copy in self.copies:
                self._best.update(self.lesson.name, copy.board.game, {copy.robot})
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
        heat = self.heats.entrants
        return self.entrants if heat is None else heat

    @handles(m.LockOut, Role.SUPERVISOR, done=True)
    def lock_out(self, client: Client, request: m.LockOut) -> None:
        self.folder.lock_out(request.student, request.on)
        self._apply_roster()

    # ---- state for the supervisor

    def _check(self) -> None:
        self._timer = self.session.loop.call_later(PERIOD, self._check)
        self.refresh()
        self._keep_scores()
        self.keep_results()
        now = self.session.loop.time()
        self.seating.update(now)
        for robot, found in self.present.items():
            found.update(self.admission.find_clients(robot), now)
        supervisors = [client for client in self.session.sessions.clients if client.grant.role is Role.SUPERVISOR]
        if supervisors:
            state = self._describe()
            for client in supervisors:
                if self._sent_states.get(client) != state and not client.slow:
                    self._sent_states[client] = state
                    client.send(replace(state, now=time.time()))

    def _describe(self) -> m.ClassState:
        standings = {line.robot: line for line in self.board.standings}
        receipts = self._last_receipts()
        return m.ClassState(
            title=self.folder.spec.title,
            exercise=self.lesson.exercise_name,
            world=self.session.arena.world.name,
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

    def _describe_student(
        self, attendance: Attendance, line: RobotScore | None, receipt: Receipt | None
    ) -> m.StudentState:
        robot = attendance.student.robot
        clients = self.admission.find_clients(robot)
        return m.StudentState(
            name=attendance.student.name,
            robot=robot,
            state=attendance.state,
            since=attendance.since,
            detail=attendance.detail,
            score=line.score if line is not None and math.isfinite(line.score) else None,
            best=self._best.find(self.lesson.name, robot),
            place=line.place if line is not None else 0,
            fouls=line.fouls if line is not None else 0,
            connections=len(clients),
            submissions=receipt.number if receipt is not None else 0,
            submitted=receipt.time if receipt is not None else "",
            late=receipt is not None and receipt.late,
            cpu_share=attendance.cpu_share,
            in_lock=any(client.member.locked for client in clients),
            private=not self.is_together,
            parked=attendance.parked,
        )
