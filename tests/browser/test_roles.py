"""Roles on the page: controls that a link does not permit are disabled with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser.stage import Served, expect, run, until

CLOCK = ("play", "step", "speed", "seed", "reset")
SCORE = """
def score(arena):
    return {name: round(10 * robot.pose.x, 1) for name, robot in arena.robots.items()}
"""


@pytest.fixture(scope="module")
def classroom(chromium, tmp_path_factory):
    """A class server with two students, a supervisor's token, and scores for the x position."""
    folder: Path = tmp_path_factory.mktemp("classroom")
    (folder / "names.txt").write_text("Ada\nZoë M.\n", encoding="utf-8")
    (folder / "score.py").write_text(SCORE)
    files = ("--classroom", str(folder / "names.txt"), "--referee", str(folder / "score.py"))
    with Served("clutter", *files, "--token", "sesame") as server:
        yield server


@pytest.fixture
def truth(classroom):
    with classroom.connect(name="truth", token="sesame") as arena:
        arena.play()
        until(arena, lambda: not any(map(arena.owner, arena)))
        arena.reset()
        yield arena
        arena.pause()  # so that pages that stay open draw nothing


def link(server: Served, robot: str) -> str:
    return server.line(rf"(http://\S+&robot={robot})\b")


def test_viewer_cannot_control_clock_or_robots(classroom, truth, shared_visit):
    page = shared_visit(classroom.line(r"viewer: +(http://\S+)"))
    expect(page.find("connection")).to_have_text("viewer")
    for control in CLOCK:
        expect(page.find(control)).to_be_disabled()
        expect(page.find(control)).to_have_attribute("title", "Only a supervisor may do this.")
    page.choose("ada")
    expect(page.find("drive")).to_be_disabled()
    expect(page.find("drive")).to_have_attribute(
        "title", "Your link is for watching; driving needs a controller's link."
    )
    page.until("document.querySelector('[data-testid=bar-proximity-0]')?.dataset.value > 0")
    before = tuple(truth["ada"].pose)
    page.drag(page.robot_at("ada"), page.at(0.5, 0.45))
    page.page.keyboard.press("e")
    page.page.keyboard.press("ArrowUp")
    page.page.keyboard.press(" ")
    page.page.keyboard.press("r")
    page.pictures(10)
    until(truth, lambda: truth.tick > 20)
    assert tuple(truth["ada"].pose) == before
    assert truth.running
    expect(page.find("toast")).to_have_count(0)


def test_student_drives_own_robot(classroom, truth, shared_visit):
    page = shared_visit(link(classroom, "ada"))
    expect(page.find("connection")).to_have_text("controller")
    expect(page.find("monitor-name")).to_have_text("Ada")
    assert "token" not in page.page.url  # nobody reads it over a shoulder
    page.drive("ada")
    start = truth["ada"].pose
    page.page.keyboard.down("ArrowLeft")
    until(truth, lambda: truth["ada"].pose.heading > start.heading + 0.1)
    page.page.keyboard.up("ArrowLeft")
    until(truth, lambda: tuple(truth["ada"].wheels.speeds) == (0.0, 0.0))
    for control in CLOCK:
        expect(page.find(control)).to_be_disabled()


def test_student_cannot_drive_read_or_move_another_robot(classroom, truth, shared_visit):
    page = shared_visit(link(classroom, "ada"))
    page.choose("zoe-m")
    expect(page.find("drive")).to_be_disabled()
    expect(page.find("drive")).to_have_attribute("title", "Your link is for another robot.")
    expect(page.find("unseen")).to_contain_text("does not name robot 'zoe-m'")
    before = tuple(truth["zoe-m"].pose)
    page.drag(page.robot_at("zoe-m"), page.at(0.5, 0.45))
    page.pictures(10)
    assert tuple(truth["zoe-m"].pose) == before


def test_student_takes_over_from_own_program(classroom, truth, shared_visit):
    token = link(classroom, "ada").split("token=")[1].split("&")[0]
    page = shared_visit(link(classroom, "ada"))
    with classroom.connect(token=token) as program:
        program["ada"].wheels.set(0.02, -0.02)
        page.until("paddock.session.robot('ada').owner === 'Ada'")
        assert page.ask("paddock.session.client") == "Ada's page"
        expect(page.find("drive")).to_have_text("Take over")
        expect(page.find("drive")).to_be_enabled()
        page.find("drive").click()
        expect(page.find("drive")).to_have_attribute("aria-checked", "true")
        expect(page.find("monitor")).to_contain_text("driven by you")
        until(truth, lambda: truth.owner("ada") == "Ada's page")
        expect(page.find("toast")).to_have_count(0)


def test_robot_driven_by_another_client_cannot_be_taken(classroom, truth, shared_visit):
    page = shared_visit(link(classroom, "ada"))
    truth["ada"].wheels.set(0.02, -0.02)
    page.until("paddock.session.robot('ada').owner === 'truth'")
    expect(page.find("drive")).to_be_disabled()
    expect(page.find("drive")).to_have_attribute("title", "truth currently drives it.")
    truth.release_robot("ada")


def test_snippet_of_student_contains_token(classroom, truth, shared_visit):
    page = shared_visit(link(classroom, "ada"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(page.find("snippet-code")).to_contain_text('token="…"')  # others may be looking on
    page.find("snippet-copy").click()
    expect(page.find("toast")).to_contain_text("Copied")
    program = page.ask("navigator.clipboard.readText()")
    run(program.replace("while True:", "for _ in range(2):"))


def test_reload_keeps_token(classroom, truth, shared_visit):
    page = shared_visit(link(classroom, "ada"))
    page.page.reload()
    page.until("window.paddock?.state === 'live' && paddock.frames > 0")
    expect(page.find("connection")).to_have_text("controller")
    expect(page.find("monitor-name")).to_have_text("Ada")


def test_scoreboard_is_sorted_by_score(classroom, truth, shared_visit):
    page = shared_visit(classroom.line(r"viewer: +(http://\S+)"))
    rows = page.find("score-row")
    names = {"ada": "Ada", "zoe-m": "Zoë M."}  # as people write them
    for first, second, y in (("ada", "zoe-m", 0.5), ("zoe-m", "ada", 0.1)):
        truth[first].set_pose(1.35, y)
        truth[second].set_pose(0.15, y)
        expect(rows.nth(0)).to_contain_text(names[first])
        expect(rows.nth(0).locator(".points")).to_have_text("13.50")
        expect(rows.nth(1).locator(".points")).to_have_text("1.50")
    rows.nth(1).click()
    expect(page.find("monitor-name")).to_have_text("Ada")


@pytest.mark.parametrize(
    ("scores", "shown"),
    [
        ([3, 12, -1], ["12", "3", "-1"]),
        ([3, 12.5, 0.125], ["12.50", "3.00", "0.13"]),
        ([1234.56, 7, -0.001], ["1234.6", "7.0", "0.0"]),
    ],
)
def test_scores_are_aligned_and_long_names_are_cut(page, scores, shown):
    names = ["Johanna-Theresia the First of All", "Bo", "Maximiliane"]
    rows = [{"robot": name, "score": score} for name, score in zip(names, scores, strict=True)]
    page.page.evaluate("(scores) => paddock.session.on_scores({ scores })", rows)
    expect(page.find("score-row").locator(".points")).to_have_text(shown)
    for name in names:
        row = page.page.locator(f"[data-testid=score-row][data-robot='{name}']")
        expect(row).to_have_attribute("title", name)
        fits = row.locator(".name").evaluate("(one) => one.scrollWidth <= one.clientWidth")
        assert fits == (len(name) < 15)
        assert row.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    page.ask("paddock.session.on_scores({ scores: [] })")
    expect(page.find("scores")).to_be_hidden()


def test_invalid_token_is_reported(clutter, visit):
    server, _ = clutter
    page = visit(server.url + "#token=wrong", live=False)
    expect(page.find("banner")).to_be_visible()
    expect(page.find("banner")).to_contain_text("This link is not valid")
    expect(page.find("banner")).to_contain_text("ask for a new join link")
    expect(page.find("connection")).to_have_attribute("data-state", "refused")
    expect(page.find("play")).to_be_disabled()
    assert page.ask("paddock.state") == "refused"
