"""Private copies on the page: own clock, visits and messages of the lecturer, a code instead of a link."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from browser.stage import Visit, expect
from network.server.classes_served import ServedClass, make_class, served_class

NAMES = ("Ada Lovelace", "Zoë Müller", "Ben")


@pytest.fixture(scope="module")
def lesson(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedClass]:
    """A class whose students work in private copies of the world."""
    place = tmp_path_factory.mktemp("classes")
    folder = make_class(place, *NAMES, world="", exercise="line-following", shared=False)
    with served_class(folder, speed=1.0) as served:
        yield served


def test_student_controls_own_clock_and_lecturer_visits(lesson: ServedClass, visit: Any) -> None:
    student: Visit = visit(lesson.link("Ada Lovelace"))
    expect(student.find("copy-note")).to_contain_text("Your own copy of the world")
    expect(student.find("leave-copy")).to_be_hidden()
    expect(student.find("play")).to_be_enabled()
    student.find("play").click()
    expect(student.find("pace")).to_contain_text("paused")
    student.find("seed").fill("7")
    student.find("reset").click()
    student.until("paddock.session.clock.tick === 0 && paddock.session.clock.seed === 7")
    student.until("paddock.robots().length === 1")
    expect(student.find("own-machine")).to_contain_text("paddock run -c mine.py --robot")
    expect(student.find("own-machine")).to_contain_text("robot=ada-lovelace")
    lecturer: Visit = visit(lesson.server.url(token=lesson.folder.keys.supervisor))
    lecturer.find("student-row").and_(lecturer.page.locator("[data-student='Ada Lovelace']")).click()
    expect(lecturer.find("copy-note")).to_contain_text("Private copy of Ada Lovelace")
    expect(lecturer.find("pace")).to_contain_text("paused")
    lecturer.until("paddock.selected === 'ada-lovelace' && paddock.robots().length === 1")
    lecturer.find("student-message").click()
    lecturer.find("message-text").fill("Look at the left sensor")
    lecturer.find("message-send").click()
    expect(student.find("toast").last).to_contain_text("Message from lecturer: Look at the left sensor")
    lecturer.find("student-park").click()
    expect(lecturer.find("student-park")).to_have_text("Let drive")
    lecturer.find("student-park").click()
    expect(lecturer.find("student-park")).to_have_text("Park")
    lecturer.find("leave-copy").click()
    expect(lecturer.find("copy-note")).to_be_hidden()
    lecturer.until("paddock.robots().length === 3")


def test_student_without_link_types_the_code(lesson: ServedClass, visit: Any) -> None:
    page: Visit = visit(lesson.server.url(), live=False)
    expect(page.find("banner")).to_contain_text("type your code")
    code = lesson.folder.token(lesson.folder.find("Zoë Müller")).replace("-", " ").upper()
    page.find("code").fill(code)
    page.find("code-join").click()
    expect(page.find("connection")).to_have_text("controller")
    page.until("paddock.robots().length === 1 && paddock.robots()[0].name === 'zoe-muller'")
    page.page.reload()
    expect(page.find("connection")).to_have_text("controller")
