"""Test helpers: a class folder with students, and a server for it in this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import paddock
from network.server.parties import Peer
from paddock.arena.referees import Referee
from paddock.network.server import Server, Settings
from paddock.network.server.services import heats
from paddock.network.server.services.classroom.classroom import Classroom
from paddock.network.server.services.classroom.lessons import open_lesson
from paddock.teaching.classroom import ClassFolder, ClassSpec
from paddock.testing import wait_for

NAMES = ("Ada L.", "Zoë M.", "Ben")
EXERCISE = """\
title = "See little"
world = "line-crossing"
robot = "e-puck"
seconds = 10
devices = ["ground", "proximity"]
shows = "{shows}"
seeds = [1]
metrics = ["distance"]
[[checks]]
name = "drives"
measure = "distance"
at_least = 0.1
points = 1
"""


def make_class(path: Path, *names: str, **spec: Any) -> ClassFolder:
    chosen = {"title": "Robotics 101", "world": "line-crossing", "host": "127.0.0.1", "shared": True, **spec}
    return ClassFolder.create(path / "robotics-101", ClassSpec(**chosen), names or NAMES)


def add_exercise(folder: ClassFolder, name: str, shows: str = "all") -> None:
    place = folder.path / "exercises" / name
    place.mkdir()
    (place / "exercise.toml").write_text(EXERCISE.format(shows=shows))
    (place / "text.md").write_text("# See little\n")
    (place / "starter.py").write_text("import paddock\n")


def wait_for_student(teacher: Peer, name: str, **fields: Any) -> dict[str, Any]:
    """Wait until the class report to the supervisor shows a student with these fields; return that entry."""
    news = teacher.all_news("class")
    last = news[-1] if news else teacher.wait("class")
    while True:
        for student in last["students"]:
            if student["name"] == name and all(student.get(key) == value for key, value in fields.items()):
                teacher.news.append(last)  # it is so until there are others
                return student  # type: ignore[no-any-return]
        last = teacher.wait("class")


class ServedClass:
    """A class, its server and a supervisor connection."""

    def __init__(self, folder: ClassFolder, server: Server) -> None:
        self.folder, self.server = folder, server
        self.teacher = Peer(server, token=folder.keys.supervisor, name="teacher")

    def link(self, name: str) -> str:
        student = self.folder.find(name)
        return f"{self.server.url(token=self.folder.token(student))}&robot={student.robot}"

    def peer(self, name: str, **options: Any) -> Peer:
        return Peer(self.server, token=self.folder.token(self.folder.find(name)), **options)

    def connect(self, name: str, **options: Any) -> Any:
        return paddock.connect(self.link(name), **options)

    def wait(self, name: str, **fields: Any) -> dict[str, Any]:
        """Wait until a student has these fields."""
        return wait_for_student(self.teacher, name, **fields)

    def wait_for_log(self, text: str) -> None:
        wait_for(lambda: text in self.log)

    @property
    def log(self) -> str:
        return "".join(file.read_text(encoding="utf-8") for file in (self.folder.path / "log").glob("*.log"))


@contextmanager
def served_class(folder: ClassFolder, referee: Referee | None = None, **settings: Any) -> Iterator[ServedClass]:
    lesson = replace(open_lesson(folder), own_referee=referee)
    arena = paddock.open(lesson.seat([student.robot for student in folder.students]), seed=lesson.seed)
    chosen = {"port": 0, "speed": 20.0, "token": folder.keys.supervisor, "limits": folder.spec.limits, **settings}
    server = Server(arena, replace(Settings(), **chosen))
    server.services.append(Classroom(folder, lesson, server.heats))
    with patch.object(heats, "COUNT_INTERVAL", 0.01), server.in_background():
        served = ServedClass(folder, server)
        with served.teacher:
            yield served
