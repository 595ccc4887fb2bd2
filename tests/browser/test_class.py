"""A class on the page: what its lecturer, a student and the whole room see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from browser.stage import Served, Visit, expect
from paddock.classes import ClassFolder, ClassSpec
from paddock.links.remote import RemoteArena

LONG_NAME = "Johanna-Theresia von und zu Hohenlohe-Waldenburg"
NAMES = ["Ada Lovelace", "Zoë Müller", "李娜", "محمد الأمين", LONG_NAME, *(f"Student {i:02d}" for i in range(6, 31))]
PROGRAM = b"class Controller:\n    def act(self, seen):\n        return 0.05, 0.05\n"


@dataclass
class Lesson:
    """A class of thirty that is served."""

    server: Served
    folder: ClassFolder

    def link(self, name: str) -> str:
        student = self.folder.find(name)
        return f"{self.server.url}#token={self.folder.token(student)}&robot={student.robot}"

    @property
    def lecturer(self) -> str:
        return f"{self.server.url}#token={self.folder.keys.supervisor}"

    @property
    def projector(self) -> str:
        return f"{self.server.url}#token={self.folder.keys.projector}&view=projector"

    def connect(self, name: str, **options: object) -> RemoteArena:
        """A student's program."""
        return self.server.connect(token=self.folder.token(self.folder.find(name)), **options)


@pytest.fixture(scope="module")
def lesson(chromium, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lesson]:
    path: Path = tmp_path_factory.mktemp("classes") / "robotics-101"
    folder = ClassFolder.create(path, ClassSpec(title="Robotics 101", exercise="line-following", host="127.0.0.1"), NAMES)
    with Served("serve", str(path), command="class") as server:
        server.url = server.url.partition("#")[0]
        yield Lesson(server, folder)


def row(page: Visit, name: str):
    return page.find("student-row").and_(page.page.locator(f"[data-student='{name}']"))


def crash(lesson: Lesson, name: str) -> None:
    """A student's program that ends with an error."""
    with suppress(ZeroDivisionError), lesson.connect(name) as arena:
        arena.step(1 // 0)


def test_the_lecturer_sees_at_a_glance_who_needs_help(lesson: Lesson, visit):
    page: Visit = visit(lesson.lecturer)
    expect(page.find("class-title")).to_have_text("Robotics 101")
    expect(page.find("student-row")).to_have_count(len(NAMES))
    expect(row(page, NAMES[0])).to_contain_text("away")
    with lesson.connect("Student 07") as program:
        program.step()
        expect(row(page, "Student 07")).to_contain_text("connected")
        crash(lesson, LONG_NAME)
        crashed = page.find("student-row").first  # it moves to the top by itself
        expect(crashed).to_contain_text("crashed")
        expect(crashed.locator(".student")).to_have_text(LONG_NAME)
        expect(crashed.locator(".detail")).to_contain_text("test_class.py line")
        page.find("needs-help").click()
        expect(page.find("student-row")).to_have_count(1)
        page.find("needs-help").click()
        page.find("sort-student").get_by_role("button").click()
        expect(page.find("student-row").first).to_contain_text("Ada Lovelace")
        page.find("student-search").fill("李")
        expect(page.find("student-row")).to_have_count(1)
        page.find("student-row").click()  # the picture follows the robot
        expect(page.find("student-name")).to_have_text("李娜")
        expect(page.find("follow")).to_have_attribute("aria-pressed", "true")
        page.find("student-search").fill("")
        page.page.keyboard.press("Tab")
        for key in ("ArrowDown", "ArrowUp", "Enter"):
            page.page.keyboard.press(key)
        expect(page.find("student-name")).to_have_text("李娜")
    expect(row(page, "Student 07")).to_contain_text("finished")
    expect(page.find("class-log")).to_contain_text("Student 07")
    for size in ((1280, 800), (1920, 1080)):
        page.page.set_viewport_size({"width": size[0], "height": size[1]})
        page.pictures(2)
        assert page.ask("document.documentElement.scrollWidth <= innerWidth")
        assert page.ask("[...document.querySelectorAll('.state-mark')].every((mark) => mark.scrollWidth <= mark.parentElement.clientWidth)")


def test_the_lecturer_locks_a_student_out_and_lets_them_in_again(lesson: Lesson, visit):
    student: Visit = visit(lesson.link("Zoë Müller"))
    page: Visit = visit(lesson.lecturer)
    row(page, "Zoë Müller").click()
    page.find("student-lock-out").click()
    expect(page.find("confirm")).to_contain_text("Lock Zoë Müller out?")
    page.page.keyboard.press("Escape")
    expect(row(page, "Zoë Müller")).not_to_contain_text("locked out")
    page.find("student-lock-out").click()
    page.find("confirm-yes").click()
    expect(row(page, "Zoë Müller")).to_contain_text("locked out")
    expect(student.find("banner")).to_contain_text("locked out")
    page.find("student-lock-out").click()
    expect(row(page, "Zoë Müller")).not_to_contain_text("locked out")
    student.find("retry").click()
    expect(student.find("connection")).to_have_text("controller")
    page.find("student-disconnect").click()
    page.find("confirm-yes").click()
    expect(student.find("banner")).to_contain_text("You were disconnected")
    student.page.reload()  # the link is as good as before
    expect(student.find("connection")).to_have_text("controller")


def test_a_student_reads_the_exercise_and_hands_a_program_in(lesson: Lesson, visit):
    page: Visit = visit(lesson.link("محمد الأمين"), permissions=["clipboard-read", "clipboard-write"])
    expect(page.find("exercise-title")).to_have_text("Follow the line")
    expect(page.find("allowed")).to_contain_text("ground")
    assert len(page.find("exercise-text").inner_text()) > 100
    page.find("starter-copy").click()
    expect(page.find("toast")).to_contain_text("Copied")
    assert page.ask("navigator.clipboard.readText()") == page.ask("paddock.session.exercise.starter")
    page.find("submit-file").set_input_files({"name": "drive.py", "mimeType": "text/x-python", "buffer": PROGRAM})
    expect(page.find("receipt")).to_contain_text("Received: number 1")
    expect(page.find("receipt-row")).to_contain_text("drive.py")
    page.find("drop").evaluate(DROP, PROGRAM.decode() + "\n")
    expect(page.find("receipt-row")).to_have_count(2)
    expect(page.find("receipt-row").first).to_contain_text("this one counts")
    (kept,) = lesson.folder.collect("line-following", lesson.folder.path / "collected").values()
    assert kept.read_bytes() == PROGRAM + b"\n"
    page.find("submit-file").set_input_files({"name": "big.py", "mimeType": "text/x-python", "buffer": b"#" * 2_000_000})
    expect(page.find("receipt")).to_contain_text("larger than a program")
    page.find("tab-robot").click()
    expect(page.find("monitor-name")).to_have_text("محمد الأمين")
    expect(page.find("exercise")).to_be_hidden()


DROP = """(zone, text) => {
    const files = new DataTransfer();
    files.items.add(new File([text], "drive.py"));
    zone.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
}"""


def test_everybody_sees_that_the_lecturer_opens_another_world(lesson: Lesson, visit):
    student: Visit = visit(lesson.link("Ada Lovelace"))
    page: Visit = visit(lesson.lecturer)
    page.find("lesson-choice").select_option("world clutter")
    page.find("lesson-open").click()
    page.find("confirm-yes").click()
    for view in (student, page):
        expect(view.find("about")).to_contain_text("clutter")
        expect(view.find("toast").first).to_contain_text("another world")
    expect(student.find("tab-exercise")).to_be_hidden()
    student.until("paddock.robots().length === 30")
    page.find("lesson-choice").select_option("exercise line-following")
    page.find("lesson-open").click()
    page.find("confirm-yes").click()
    expect(student.find("exercise-title")).to_have_text("Follow the line")


def test_the_projector_shows_names_and_points_and_nothing_to_click(lesson: Lesson, visit):
    page: Visit = visit(lesson.projector, size=(1920, 1080))
    scores = [{"robot": s.robot, "name": s.name, "score": i, "place": 30 - i} for i, s in enumerate(lesson.folder.students)]
    page.page.evaluate("(scores) => paddock.session.on_scores({ scores, label: 'laps' })", scores)
    expect(page.find("board-row")).to_have_count(len(NAMES))
    expect(page.find("board-row").last).to_contain_text("Ada Lovelace")
    box = page.find("board-row").last.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 1080
    assert page.find("board-row").last.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)") > 20
    for kind in ("a", "button", "input", "select"):
        expect(page.page.locator(kind).filter(visible=True)).to_have_count(0)
    for secret in (lesson.folder.keys.projector, lesson.folder.keys.supervisor):
        assert secret not in page.page.content()
        assert secret not in page.page.url
    page.page.reload()
    expect(page.find("stage-title")).to_be_visible()  # it is still the projector's view
