"""SubmissionService: sends the current exercise to students, and receives their submissions."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from paddock.classes.submissions import Receipt
from paddock.core.errors import Refused, UnknownName
from paddock.protocol import messages as m
from paddock.server.client import Client
from paddock.server.lessons import list_exercises

if TYPE_CHECKING:
    from paddock.server.class_session import ClassSession

CONTROLLER = re.compile(rb"\b(act|Controller|CONTROLLERS)\b")  # a file needs one of these to be graded


class SubmissionService:
    """Receives and lists the submissions of a class."""

    def __init__(self, class_session: ClassSession) -> None:
        self._class_session = class_session

    def receive(self, client: Client, request: m.Submit) -> m.ReceiptAnswer:
        """Store a student's file."""
        class_session, found = self._class_session, self._class_session.student_of(client)
        if found is None:
            raise Refused("submit: only students can submit files; join with a student's link")
        exercise = request.exercise or class_session.lesson.exercise_name
        if not exercise:
            raise Refused("submit: no exercise is open; name the exercise of the file")
        known = list_exercises(class_session.folder.path)
        if exercise not in known:
            raise UnknownName("exercise", exercise, known)
        if not CONTROLLER.search(request.data):
            raise Refused(
                f"{request.file}: expected a function act, a class Controller, or CONTROLLERS; found none of them"
            )
        receipt = class_session.folder.receive(found.student, exercise, request.file, request.data)
        class_session.log.write(f"{found.student.name} submitted {request.file} for {exercise}", client.grant.name)
        return m.ReceiptAnswer(
            id=request.id,
            number=receipt.number,
            time=receipt.time,
            sha256=receipt.sha256,
            text=str(receipt),
            late=receipt.late,
        )

    def find_last(self) -> dict[str, Receipt]:
        """Return the last receipt of each student for the current exercise, by robot."""
        name = self._class_session.lesson.exercise_name
        return {receipt.robot: receipt for receipt in self._class_session.folder.receipts() if receipt.exercise == name}

    def describe(self, client: Client, id: int) -> m.ExerciseText:
        """Return the current exercise, and the student's submissions for it."""
        exercise, found = self._class_session.lesson.exercise, self._class_session.student_of(client)
        if exercise is None:
            return m.ExerciseText(id=id)
        due = self._class_session.folder.spec.due
        receipts = self._class_session.folder.receipts(found.student) if found is not None else []
        return m.ExerciseText(
            id=id,
            name=exercise.name,
            title=exercise.title,
            text=exercise.read_text(),
            starter=exercise.read_starter(),
            devices=exercise.devices,
            submissions=tuple(
                m.SubmissionData(
                    number=receipt.number,
                    time=receipt.time,
                    file=PurePosixPath(receipt.file).name,
                    sha256=receipt.sha256,
                    late=receipt.late,
                )
                for receipt in receipts
                if receipt.exercise == exercise.name
            ),
            due=due.astimezone().isoformat() if due is not None else "",
        )
