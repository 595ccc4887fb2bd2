"""Takes the pictures of the page for the README and the documentation: `make screenshots`."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

import paddock
from paddock.arena import Robot, make_mapper
from paddock.arena.controller_choice import choose_built_in
from paddock.cli.bench.local import swarm_world
from paddock.cli.bench.page import browser
from paddock.control.navigation import Explorer
from paddock.network.server import Settings
from paddock.network.server.show import Show
from paddock.simulation.worlds import load_world
from paddock.simulation.worlds.world_spec import WorldSpec
from paddock.teaching.classroom import ClassFolder, ClassSpec, robot_names
from paddock.teaching.exercises import load_exercise
from paddock.testing import PaddockProcess

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PICTURES = Path(__file__).parent / "pictures"
DESKTOP, PHONE = (1280, 800), (390, 844)
GIF_SIZE, GIF_DELAY, COLOURS = (1000, 620), 120, 127  # pixels; milliseconds per frame; and one for transparency
FIRST, FRAMES, GIF_STEP = 1.0, 60, 0.4  # simulated seconds; the robots meet after 5 s
STUDENTS = ["Ada", "Grace", "Hedy", "Katherine", "Lise", "Zoë M."]
SCORE = """
import math

def score(arena):  # centimetres from the start
    starts = {robot.name: robot.at for robot in arena.world.robots}
    return {name: round(100 * math.dist(starts[name], robot.pose[:2])) for name, robot in arena.robots.items()}
"""
CLASS = """
Ada Lovelace, Grace Hopper, Çiğdem Şahin, محمد الأمين, Zoë Müller, Johanna-Theresia von Hohenlohe-Waldenburg,
Łucja Śliwa, שירה כהן, Lise Meitner, Emmy Noether, Hedy Lamarr, Barbara Liskov, Frances Allen, Radia Perlman,
Shafi Goldwasser, Donald Knuth, Edsger Dijkstra, Tony Hoare, Alan Kay, Niklaus Wirth, John McCarthy, Marvin Minsky,
Rodney Brooks, Grey Walter, Valentino Braitenberg, Nils Nilsson, Rosalind Picard, Cynthia Breazeal, Ngô Bảo Châu,
Katherine Johnson
"""
EXERCISE = "braitenberg-avoidance"
CRASH = "def drive(robot):\n    near = robot.sense().proximity\n    return near[8]\n"
LARGEST = 250_000  # bytes of a picture with all its colours
SEED = 7


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    chosen = sys.argv[1:]
    with browser() as chromium:
        for name, take in SHOTS.items():
            if not chosen or name in chosen:
                take(chromium, PICTURES / f"page-{name}.png")


def line_crossing(chromium: Browser, file: Path) -> None:
    """Two robots on their line, their trails, and the monitor of one: light."""
    with driven(load_world("line-crossing")) as (url, drive), visit(chromium, url) as page:
        choose(page, "red")
        drive(30.0)
        settle(page)
        shoot(page, file)


def moving(chromium: Browser, file: Path) -> None:
    """Two robots on their line while they meet, as an animated GIF."""
    with driven(load_world("line-crossing")) as (url, drive), visit(chromium, url, size=GIF_SIZE) as page:
        choose(page, "red")
        drive(FIRST)
        frames = []
        for _ in range(FRAMES):
            drive(GIF_STEP)
            wait(page, "!paddock.session.states.moving")
            page.wait_for_timeout(150)
            frames.append(Image.open(BytesIO(page.screenshot())).convert("RGB"))
    save_moving(frames, file.with_suffix(".gif"))


def save_moving(frames: list[Image.Image], file: Path) -> None:
    """Save an animated GIF. What does not change from frame to frame is transparent, and takes hardly any room."""
    colours = frames[-1].quantize(COLOURS)
    tables = [np.asarray(frame.quantize(palette=colours, dither=Image.Dither.NONE)) for frame in frames]
    pictures = []
    for before, table in zip([None, *tables], tables, strict=False):
        picture = Image.fromarray(table if before is None else np.where(table == before, COLOURS, table), "P")
        picture.putpalette(colours.getpalette() or [])
        pictures.append(picture)
    pictures[0].save(
        file, save_all=True, append_images=pictures[1:], duration=GIF_DELAY, loop=0,
        transparency=COLOURS, disposal=1, optimize=False,
    )  # fmt: skip
    sys.stdout.write(f"{file.name}: {file.stat().st_size // 1000} kB\n")


def clutter(chromium: Browser, file: Path) -> None:
    """One robot among obstacles, and the picture of its camera: dark."""
    with driven(load_world("clutter")) as (url, drive), visit(chromium, url, color_scheme="dark") as page:
        choose(page, "red")
        drive(24.0)
        settle(page)
        page.get_by_test_id("device-camera").scroll_into_view_if_needed()
        settle(page)
        shoot(page, file)


def swarm(chromium: Browser, file: Path) -> None:
    """200 robots in one world."""
    world = swarm_world(200)
    colors = ["#d1495b", "#3d6fb4", "#2f9e6e", "#e09f3e", "#7b5ea7"]
    robots = [replace(robot, color=colors[i % len(colors)]) for i, robot in enumerate(world.robots)]
    titled = replace(world.with_robots(*robots), title="Two hundred e-pucks", dt=0.02)
    with driven(titled) as (url, drive), visit(chromium, url) as page:
        choose(page, "robot17")
        drive(20.0)
        settle(page)
        shoot(page, file)


def phone(chromium: Browser, file: Path) -> None:
    """On a phone, with the stick for driving."""
    options = {"size": PHONE, "has_touch": True, "is_mobile": True}
    with driven(load_world("clutter")) as (url, drive), visit(chromium, url, **options) as page:
        choose(page, "red")
        drive(12.0)
        page.get_by_test_id("drive").tap()
        page.get_by_test_id("stick").wait_for()
        page.evaluate("scrollTo(0, 0)")
        settle(page)
        shoot(page, file)


def classroom(chromium: Browser, file: Path) -> None:
    """A program for every student's robot, the scores, and the page of one student."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "names.txt").write_text("\n".join(STUDENTS), encoding="utf-8")
        (Path(folder) / "score.py").write_text(SCORE)
        files = ("--classroom", f"{folder}/names.txt", "--referee", f"{folder}/score.py")
        with (
            serving("clutter", *files, "--seed", str(SEED)) as links,
            ExitStack() as stack,
        ):
            arenas = [stack.enter_context(paddock.connect(link)) for link in links]
            page = stack.enter_context(visit(chromium, links[1]))
            with ThreadPoolExecutor(len(arenas)) as students:
                list(students.map(explore, arenas, robot_names(STUDENTS).values()))
            settle(page)
            page.wait_for_timeout(1200)  # a last round of scores
            shoot(page, file)


def lesson(chromium: Browser, file: Path) -> None:
    """The pages of lecturer, student and projector in a class of thirty; two programs crashed, one hangs."""
    with tempfile.TemporaryDirectory() as folder, serving_class(Path(folder)) as (server, kept), ExitStack() as stack:
        tokens = {student.name: kept.token(student) for student in kept.students}
        url = server.url.partition("#")[0]
        arenas = {name: stack.enter_context(paddock.connect(url, token=tokens[name])) for name in list(tokens)[:-3]}
        *busy, hung, first, second = arenas
        arenas[hung][kept.find(hung).robot].enable()  # and no further command
        lecturer = stack.enter_context(visit(chromium, f"{url}#token={kept.keys.supervisor}"))
        link = f"{url}#token={tokens['Ada Lovelace']}&robot=ada-lovelace"
        student = stack.enter_context(visit(chromium, link, color_scheme="dark"))
        student.get_by_test_id("submit-file").set_input_files(load_exercise(EXERCISE).path("starter.py"))
        student.get_by_test_id("confirm-yes").click()
        projector = stack.enter_context(visit(chromium, f"{url}#token={kept.keys.projector}&view=projector"))
        for name in (first, second):
            crash(arenas[name], kept.find(name).robot)
        for button in ("heat-prepare", "heat-start"):
            lecturer.get_by_test_id(button).click()
        with ThreadPoolExecutor(len(busy)) as students:
            list(students.map(lambda name: explore(arenas[name], kept.find(name).robot, 40.0), busy))
        lecturer.get_by_test_id("student-row").first.click()
        for page, name in ((lecturer, "class"), (student, "exercise"), (projector, "projector")):
            settle(page)
            shoot(page, file.with_name(f"page-{name}.png"))


def crash(arena: Any, name: str) -> None:
    """Run a student's program that has an error."""
    names: dict[str, Any] = {}
    exec(compile(CRASH, "drive.py", "exec"), names)
    try:
        with arena:
            arena[name].enable("proximity")
            names["drive"](arena[name])
    except IndexError:
        return


@contextmanager
def serving_class(folder: Path) -> Iterator[tuple[PaddockProcess, ClassFolder]]:
    """`paddock class serve` as a process, and its folder."""
    names = [name.strip() for name in CLASS.replace("\n", " ").split(",")]
    spec = ClassSpec(title="Robotics 101", exercise=EXERCISE, host="127.0.0.1")
    kept = ClassFolder.create(folder / "robotics-101", spec, names)
    with PaddockProcess("class", "serve", str(kept.path)) as server:
        yield server, kept


def exploration(chromium: Browser, file: Path) -> None:
    """A robot that maps rooms: the known area, the frontiers and the planned path."""

    def explorer(robot: Robot) -> Explorer:
        return Explorer(make_mapper(robot, method="scan-to-map", pose=robot.pose), robot.spec)

    with driven(load_world("yellow-rooms"), explorer) as (url, drive), visit(chromium, url) as page:
        choose(page, "pioneer")
        drive(40.0)
        settle(page)
        page.wait_for_timeout(1200)  # the last cells
        shoot(page, file)


def explore(arena: Any, name: str, seconds: float = 16.0) -> None:
    """Run a student's program: its robot avoids obstacles for some time."""
    robot = arena[name]
    robot.enable("proximity")
    arena.run(seconds, {name: choose_built_in(robot)})


@contextmanager
def serving(*arguments: str) -> Iterator[list[str]]:
    """`paddock serve` as a process: its students' links."""
    with PaddockProcess("serve", *arguments) as server:
        yield [server.line(rf"(http://\S+&robot={robot_names(STUDENTS)[student]})") for student in STUDENTS]


SHOTS: dict[str, Callable[[Browser, Path], None]] = {
    "line-crossing": line_crossing,
    "moving": moving,
    "clutter": clutter,
    "swarm": swarm,
    "phone": phone,
    "classroom": classroom,
    "class": lesson,
    "map": exploration,
}


@contextmanager
def driven(
    world: WorldSpec, make_controller: Callable[[Robot], Any] = choose_built_in
) -> Iterator[tuple[str, Callable[[float], None]]]:
    """An arena on a page, and a function that drives its robots for some simulated seconds, at four times real time."""
    with ExitStack() as stack:
        arena = stack.enter_context(paddock.open(world, seed=SEED))
        controllers = {name: make_controller(robot) for name, robot in arena.robots.items()}
        for robot in arena.robots.values():
            robot.enable(*(name for name in robot.devices if name != "camera"))
            for number, led in enumerate(robot.spec.leds):
                robot.leds.set(led, 1.0 if number in (0, 4) else 0.0)
        show = Show(arena, Settings(speed=4.0, lock_step=True, port=0))
        stack.callback(show.close)

        yield show.url, lambda seconds: arena.run(seconds, controllers)


@contextmanager
def visit(chromium: Browser, url: str, *, size: tuple[int, int] = DESKTOP, **options: Any) -> Iterator[Page]:
    wide, high = size
    options = {"color_scheme": "light", "device_scale_factor": 1, **options}
    context = chromium.new_context(viewport={"width": wide, "height": high}, **options)
    page = context.new_page()
    page.goto(url)
    wait(page, "window.paddock?.frames > 0")
    yield page
    context.close()


def choose(page: Page, robot: str) -> None:
    page.evaluate("(robot) => paddock.session.select(robot)", robot)
    page.get_by_test_id("monitor-name").wait_for()


def settle(page: Page) -> None:
    """Wait for the last frames and pictures."""
    wait(page, "!paddock.session.states.moving")
    page.wait_for_timeout(600)


def wait(page: Page, condition: str) -> None:
    page.evaluate(
        "() => new Promise((done) => {"
        f"  const look = () => ({condition}) ? done() : requestAnimationFrame(look);"
        "  look(); })"
    )


def shoot(page: Page, file: Path) -> None:
    """Save the visible part of the page, with 256 colours if the file would be too large."""
    page.mouse.move(0, 0)
    page.screenshot(path=file)
    picture = Image.open(file).convert("RGB")
    picture.save(file, optimize=True)
    if file.stat().st_size > LARGEST:
        picture.quantize(256).save(file, optimize=True)
    sys.stdout.write(f"{file.name}: {file.stat().st_size // 1000} kB\n")


if __name__ == "__main__":
    main()
