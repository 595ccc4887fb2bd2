"""A class on the page: the views of the lecturer, of a student and of the projector."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from browser.stage import PHONE, Visit, expect
from browser.test_layout import NAMELESS
from network.server.classes_served import ServedClass, make_class, served_class
from network.server.parties import on_loop
from paddock.arena.referees.score_function import ScoreFunction
from paddock.network.server.services.classroom.classroom import Classroom

DUE = datetime(2020, 1, 31, 18)
LONG_NAME = "Johanna-Theresia von und zu Hohenlohe-Waldenburg"
NAMES = ["Ada Lovelace", "Zoë Müller", "李娜", "محمد الأمين", LONG_NAME, *(f"Student {i:02d}" for i in range(6, 31))]
PROGRAM = b"class Controller:\n    def act(self, seen):\n        return 0.05, 0.05\n"
DROP = """(zone, text) => {
    const files = new DataTransfer();
    files.items.add(new File([text], "drive.py"));
    zone.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
}"""
LEGIBLE = """[...document.querySelectorAll("[data-testid=board-row]")].every((row) =>
    row.getBoundingClientRect().bottom <= innerHeight
    && parseFloat(getComputedStyle(row).fontSize) > 0.02 * innerHeight)"""
CUT = """[...document.querySelectorAll(".state-mark")].filter(
    (mark) => mark.offsetWidth > mark.parentElement.clientWidth).length"""
CUT_NAMES = """[...document.querySelectorAll("#class-title, .students td.student")].filter(
    (name) => /^(Robotics|Student)/.test(name.textContent) && name.scrollWidth > name.clientWidth).length"""
IN_PLACE = """(() => {
    const [brand, clock, status] = [".brand", ".transport", ".status"].map((part) =>
        document.querySelector(part).getBoundingClientRect());
    const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    return document.documentElement.scrollWidth <= innerWidth && document.querySelector("#title").clientWidth > 60
        && apart(brand, clock) && apart(brand, status) && apart(clock, status) && status.right <= innerWidth;
})()"""  # of the bar


@pytest.fixture(scope="module")
def lesson(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedClass]:
    """A class with thirty students and an exercise."""
    folder = make_class(tmp_path_factory.mktemp("classes"), *NAMES, world="", exercise="line-following", due=DUE)
    with served_class(folder, speed=1.0) as served:
        yield served


@pytest.fixture
def lecturer(lesson: ServedClass, shared_visit: Any) -> Iterator[Visit]:
    """The lecturer's page."""
    page: Visit = shared_visit(lesson.server.url(token=lesson.folder.keys.supervisor))
    page.ask("paddock.session.ask('play')")
    expect(page.find("student-row")).to_have_count(len(NAMES))
    yield page
    page.ask("paddock.session.ask('pause')")  # so that pages that stay open draw nothing


def row(page: Visit, name: str) -> Any:
    """The row of a student in the lecturer's list."""
    return page.find("student-row").and_(page.page.locator(f"[data-student='{name}']"))


def crash(lesson: ServedClass, name: str) -> None:
    """Run a student's program that ends with an error."""
    with suppress(ZeroDivisionError), lesson.connect(name, lock_step=False) as arena:
        arena.step(1 // 0)


def test_lecturer_sees_student_states_and_crashes_first(lesson: ServedClass, lecturer: Visit) -> None:
    expect(lecturer.find("class-title")).to_have_text("Robotics 101")
    expect(row(lecturer, "Ada Lovelace")).to_contain_text("away")
    with lesson.connect("Student 07", lock_step=False) as program:
        program.step()
        expect(row(lecturer, "Student 07")).to_contain_text("driving")
    expect(row(lecturer, "Student 07")).to_contain_text("finished")
    crash(lesson, LONG_NAME)
    first = lecturer.find("student-row").first  # it comes to the top by itself
    expect(first.locator(".student")).to_have_text(LONG_NAME)
    expect(first).to_contain_text("crashed")
    expect(first.locator(".detail")).to_contain_text("test_class.py line")
    expect(lecturer.find("class-log")).to_contain_text("ZeroDivisionError")
    lecturer.find("needs-help").click()
    expect(lecturer.find("student-row")).to_have_count(1)
    lecturer.find("needs-help").click()
    lecturer.find("sort-student").get_by_role("button").click()
    expect(lecturer.find("student-row").first).to_contain_text("Ada Lovelace")
    for wide, high in (PHONE, (1000, 800), (1280, 800), (1920, 1080)):
        lecturer.page.set_viewport_size({"width": wide, "height": high})
        lecturer.pictures(2)
        assert lecturer.ask("document.documentElement.scrollWidth <= innerWidth")
        assert lecturer.ask(CUT) == 0
        assert lecturer.ask(CUT_NAMES) == 0
    assert lecturer.ask(NAMELESS) == []


def test_long_names_on_labels_are_cut_after_whole_word(lecturer: Visit) -> None:
    shorten = "(name) => import('/bodies.js').then(({ shortened }) => shortened(name))"
    for name, label in {
        LONG_NAME: "Johanna-Theresia von…",
        "Maximilian Featherstone": "Maximilian…",
        "Ada Lovelace": "Ada Lovelace",
        "Wolfeschlegelsteinhausenbergerdorff": "Wolfeschlegelsteinhau…",  # one word
    }.items():
        assert lecturer.page.evaluate(shorten, name) == label


def test_selected_student_is_followed(lecturer: Visit) -> None:
    lecturer.find("student-search").fill("李")
    expect(lecturer.find("student-row")).to_have_count(1)
    lecturer.find("student-row").click()
    expect(lecturer.find("student-name")).to_have_text("李娜")
    expect(lecturer.find("follow")).to_have_attribute("aria-pressed", "true")
    lecturer.find("student-sensors").click()
    expect(lecturer.find("monitor-name")).to_have_text("李娜")
    lecturer.find("side-close").click()
    lecturer.find("student-search").fill("")
    lecturer.find("student-row").last.focus()  # and without a mouse
    lecturer.page.keyboard.press("ArrowUp")
    lecturer.page.keyboard.press("Enter")
    expect(lecturer.find("student-name")).not_to_have_text("李娜")


def test_locked_out_student_sees_message_and_can_return(lesson: ServedClass, lecturer: Visit, visit: Any) -> None:
    student: Visit = visit(lesson.link("Zoë Müller"))
    row(lecturer, "Zoë Müller").click()
    lecturer.find("student-lock-out").click()
    expect(lecturer.find("confirm")).to_contain_text("Lock Zoë Müller out?")
    lecturer.page.keyboard.press("Escape")
    expect(row(lecturer, "Zoë Müller")).to_contain_text("connected")
    lecturer.find("student-lock-out").click()
    lecturer.find("confirm-yes").click()
    expect(row(lecturer, "Zoë Müller")).to_contain_text("locked out")
    expect(student.find("banner")).to_contain_text("You are locked out")
    lecturer.find("student-lock-out").click()
    expect(row(lecturer, "Zoë Müller")).to_contain_text("away")
    student.find("retry").click()
    expect(student.find("connection")).to_have_text("controller")
    expect(lecturer.find("student-disconnect")).to_be_enabled()
    lecturer.find("student-disconnect").click()
    lecturer.find("confirm-yes").click()
    expect(student.find("banner")).to_contain_text("You were disconnected")
    student.page.reload()  # the link is as good as before
    expect(student.find("connection")).to_have_text("controller")


def test_student_reads_exercise_and_submits_program(lesson: ServedClass, lecturer: Visit, visit: Any) -> None:
    page: Visit = visit(lesson.link("محمد الأمين"), permissions=["clipboard-read", "clipboard-write"])
    expect(page.find("exercise-title")).to_have_text("Follow the line")
    expect(page.find("allowed")).to_contain_text("ground")
    expect(page.find("seed")).to_be_hidden()  # students do not know it
    expect(page.find("due")).to_contain_text("2020")
    page.find("starter-copy").click()
    expect(page.find("toast")).to_contain_text("Copied")
    assert page.ask("navigator.clipboard.readText()") == page.ask("paddock.session.exercise.starter")
    chosen = {"name": "drive.py", "mimeType": "text/x-python", "buffer": PROGRAM}
    page.find("submit-file").set_input_files({**chosen, "name": "notes.py"})
    expect(page.find("confirm")).to_contain_text("Submit notes.py (3 lines)? This is your first submission.")
    page.page.keyboard.press("Escape")
    expect(page.find("receipt")).to_have_text("notes.py was not submitted.")
    expect(page.find("receipt-row")).to_have_count(0)
    page.find("submit-file").set_input_files(chosen)
    expect(page.find("confirm")).to_be_visible()
    page.page.keyboard.press("Tab")  # from Cancel
    page.page.keyboard.press("Enter")
    expect(page.find("receipt")).to_contain_text("Received: number 1")
    page.find("drop").evaluate(DROP, PROGRAM.decode() + "\n")
    expect(page.find("confirm")).to_contain_text(re.compile(r"It replaces that of \d\d:\d\d"))
    page.find("confirm-yes").click()
    expect(page.find("receipt-row")).to_have_count(2)
    expect(page.find("receipt-row").first).to_contain_text("this one counts")
    expect(page.find("receipt-row").first).to_contain_text("late")
    expect(row(lecturer, "محمد الأمين").locator(".submitted")).to_contain_text("(2) late")
    expect(row(lecturer, "Ada Lovelace").locator(".submitted")).to_be_empty()
    expect(lecturer.find("class-summary")).to_contain_text("1 submitted")
    (kept,) = lesson.folder.collect("line-following", lesson.folder.path / "collected").values()
    assert kept.read_bytes() == PROGRAM + b"\n"
    page.find("submit-file").set_input_files({**chosen, "buffer": b"#" * 2_000_000})
    expect(page.find("receipt")).to_contain_text("too large for a program")
    page.find("tab-robot").click()
    expect(page.find("monitor-name")).to_have_text("محمد الأمين")
    expect(page.find("exercise")).to_be_hidden()
    page.ask("paddock.session.on_released({ client: paddock.session.client, robots: [], reason: 'no step in time' })")
    expect(page.find("toast").last).to_contain_text("Your program was released from the lock: no step in time.")
    assert page.ask(NAMELESS) == []


def test_page_of_student_sends_no_refused_requests(visit: Any, tmp_path: Path) -> None:
    with served_class(make_class(tmp_path), speed=1.0) as served:
        student: Visit = visit(served.link("Ben"))
        student.until("paddock.frames > 40")
        assert "Ben's page joined" in served.log
        assert served.teacher.ask("open_world", exercise="maze")["type"] == "done"
        student.until("paddock.session.shows === 'nothing' && paddock.session.clock.tick > 20")  # it knows the time
        expect(student.find("pace")).to_have_text(re.compile(r"runs (?!0×)"))
        assert "refused" not in served.log


def test_pages_follow_world_that_lecturer_opens(lesson: ServedClass, lecturer: Visit, shared_visit: Any) -> None:
    student: Visit = shared_visit(lesson.link("Ada Lovelace"))
    for choice, world in (("world clutter", "clutter"), ("exercise line-following", "line-following")):
        lecturer.find("lesson-choice").select_option(choice)
        lecturer.find("lesson-open").click()
        expect(lecturer.find("confirm")).to_contain_text("the best scores are kept")
        lecturer.find("confirm-yes").click()
        for page in (student, lecturer):
            expect(page.find("about")).to_contain_text(world)
            expect(page.find("toast").last).to_contain_text("another world")
        student.until(
            f"paddock.robots().length === {len(NAMES)} && paddock.robots().every(({{ x }}) => Number.isFinite(x))"
        )
        expect(student.find("tab-exercise")).to_be_visible(visible=choice.startswith("exercise"))


CHOOSE = """() => {
    const choice = document.getElementById("lesson-choice");
    const lists = (open) => paddock.session.on_class({ ...paddock.session.roster, exercise: "", world: "", ...open });
    choice.value = "exercise line-following";
    choice.dispatchEvent(new Event("change"));
    lists({ world: "clutter" });
    const chosen = [choice.value];
    lists({ exercise: "line-following" });
    lists({ world: "clutter" });
    return [...chosen, choice.value];
}"""


def test_lesson_choice_is_kept_until_it_is_opened(lecturer: Visit) -> None:
    assert lecturer.page.evaluate(CHOOSE) == ["exercise line-following", "world clutter"]


class Slowness(ScoreFunction):
    """A race in which the last student is the fastest, and the second never finishes."""

    higher_is_better = False

    def __init__(self) -> None:
        super().__init__(lambda arena: {name: math.inf if i == 1 else 30.0 - i for i, name in enumerate(arena.robots)})


def test_best_time_is_the_shortest(lesson: ServedClass, lecturer: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    on_loop(lesson.server, lambda: lesson.server.scoreboard.set_referee(Slowness()))
    monkeypatch.setattr(
        Classroom, "entrants", property(lambda classroom: {*classroom.present})
    )  # as if their programs ran
    lecturer.until("paddock.session.scoreInfo.lower_is_better")
    lecturer.find("sort-best").get_by_role("button").click()
    expect(lecturer.find("sort-best")).to_have_attribute("aria-sort", "ascending")
    lecturer.until("document.querySelectorAll('[data-testid=student-row] .best')[25].textContent.match(/[0-9]/)")
    texts = lecturer.find("student-row").locator(".best").all_inner_texts()
    times = [float(text) for text in texts if text.replace(".", "").isdigit()]
    assert times == sorted(times), texts
    assert all(not text.isdigit() for text in texts[len(times) :])  # who never arrives comes last
    assert len(times) < len(texts)


def test_heat_has_countdown_on_all_pages_and_scoreboard_on_projector(
    lesson: ServedClass, lecturer: Visit, shared_visit: Any, visit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        Classroom, "entrants", property(lambda classroom: {*classroom.present})
    )  # as if their programs ran
    referee = ScoreFunction(lambda arena: {name: i for i, name in enumerate(arena.robots)})
    on_loop(lesson.server, lambda: lesson.server.scoreboard.set_referee(referee))
    student: Visit = shared_visit(lesson.link("Ada Lovelace"))
    secret = lesson.folder.keys.projector
    wall: Visit = visit(f"{lesson.server.url(token=secret)}&view=projector")
    expect(lecturer.find("heat-start")).to_be_disabled()
    lecturer.find("heat-prepare").click()
    expect(student.find("toast").last).to_contain_text("Heat 1 is about to start.")
    lecturer.find("heat-start").click()
    for page in (student, wall):
        expect(page.find("countdown")).not_to_be_empty()
    for page in (student, wall):
        expect(page.find("countdown")).to_have_text("Go!")
    expect(student.find("heat-pill")).to_contain_text("Heat 1")
    expect(student.find("own-score")).to_contain_text("in this heat: 0 · place 30 of 30")
    expect(lecturer.find("sort-score")).to_have_text("This heat")
    expect(row(lecturer, NAMES[-1]).locator(".score")).to_have_text("29")
    expect(row(lecturer, NAMES[-1]).locator(".best")).to_have_text("29")
    expect(wall.find("board-heading")).to_have_text("Score · this heat")
    rows = wall.find("board-row")
    expect(rows).to_have_count(len(NAMES))
    expect(rows.first.locator(".name")).to_have_text(NAMES[-1])
    expect(rows.last.locator(".name")).to_have_text("Ada Lovelace")
    expect(wall.find("stage-heat")).to_contain_text("Heat 1")
    assert wall.ask(LEGIBLE)
    for kind in ("a", "button", "input", "select"):
        expect(wall.page.locator(kind).filter(visible=True)).to_have_count(0)
    assert secret not in wall.page.content()
    assert secret not in wall.page.url
    lecturer.find("heat-stop").click()
    lecturer.find("confirm-yes").click()
    expect(student.find("toast").last).to_contain_text("Heat 1 is over")
    expect(student.find("heat-pill")).to_have_text("Heat 1 · over")
    for wide in (1300, 1001, 1000, 400):
        student.page.set_viewport_size({"width": wide, "height": 800})
        assert student.ask(IN_PLACE), wide
    wall.page.reload()
    expect(wall.find("stage-heat")).to_contain_text("over")  # it is still the projector's view
