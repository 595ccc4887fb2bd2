"""SubmissionService: sends the current exercise to students, and receives their submissions."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from paddock.core.errors import Refused, UnknownName
from paddock.network.protocol import messages as m
from paddock.network.server.core.client import Client
from paddock.network.server.services.classroom.lessons import list_exercises
from paddock.teaching.classroom.submissions import Receipt

if TYPE_CHECKING:
    from paddock.network.server.services.classroom.classroom import Classroom

CONTROLLER = re.compile(rb"\b(act|Controller|CONTROLLERS)\b")  # a file needs one of these to be graded


class SubmissionService:
    """Receives and lists the submissions of a class."""

    def __init__(self, classroom: Classroom) -> None:
        self._classroom = classroom

    def receive(self, client: Client, request: m.Submit) -> m.ReceiptAnswer:
        """Store a student's file."""
        classroom, found = self._classroom, self._classroom.find_student(client)
        if found is None:
            raise Refused("submit: only students can submit files; join with a student's link")
        if not classroom.keeps_files:
            raise Refused("submit: this server keeps no files; `paddock class serve` does")
        exercise = request.exercise or classroom.lesson.exercise_name
        if not exercise:
            raise Refused("submit: no exercise is open; name the exercise of the file")
        known = list_exercises(classroom.folder.path)
        if exercise not in known:
            raise UnknownName("exercise", exercise, known)
        if not CONTROLLER.search(request.data.replace(b"\0", b"")):  # UTF-16 is refused later, with its reason
            raise Refused(
                f"{request.file}: expected a function act, a class Controller, or CONTROLLERS; found none of them"
            )
        receipt = classroom.folder.receive(found.student, exercise, request.file, request.data)
        classroom.log.write(f"{found.student.name} submitted {request.file} for {exercise}", client.grant.name)
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
        name = self._classroom.lesson.exercise_name
        return {receipt.robot: receipt for receipt in self._classroom.folder.receipts() if receipt.exercise == name}

    def describe(self, client: Client, id: int) -> m.ExerciseText:
        """Return the current exercise, and the student's submissions for it."""
        exercise, found = self._classroom.lesson.exercise, self._classroom.find_student(client)
        if exercise is None:
            return m.ExerciseText(id=id)
        due = self._classroom.folder.spec.find_due(exercise.name)
        receipts = self._classroom.folder.receipts(found.student) if found is not None else []
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
