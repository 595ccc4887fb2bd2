"""The program that the page offers runs unchanged against its server."""

from __future__ import annotations

import subprocess
import sys

import pytest

from browser.stage import Visit, expect, run, until
from paddock.simulation.robots import robot_names


@pytest.fixture
def page(page: Visit) -> Visit:
    """A page with permission to use the clipboard."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return page


def test_copied_program_drives_robot(clutter, page):
    _, arena = clutter
    page.choose("red")
    page.find("snippet-copy").click()
    expect(page.find("toast")).to_contain_text("Copied")
    program = page.ask("navigator.clipboard.readText()")
    assert page.find("snippet-code").text_content() == program
    start = arena["red"].pose
    arena.play()
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True) as process:
        try:
            until(arena, lambda: arena["red"].pose.y > start.y + 0.02 or process.poll() is not None)
        finally:
            process.kill()
        assert process.stderr is not None
        assert arena["red"].pose.y > start.y + 0.02, process.stderr.read()
    page.until("paddock.session.robot('red').owner === ''")


def test_copied_program_survives_a_takeover_and_drives_on(clutter, page):
    _, arena = clutter
    page.choose("red")
    page.find("snippet-copy").click()
    program = page.ask("navigator.clipboard.readText()")
    arena.play()
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True) as process:
        try:
            expect(page.find("drive")).to_have_text("Take over")
            page.find("drive").click()
            expect(page.find("drive")).to_have_attribute("aria-checked", "true")
            assert process.stderr is not None
            assert "took over red: commands from here are not applied" in process.stderr.readline()
            page.find("drive").click()
            assert "red is driven from here again" in process.stderr.readline()
            expect(page.find("drive")).to_have_text("Take over")
            assert process.poll() is None
        finally:
            process.kill()
    page.until("paddock.session.robot('red').owner === ''")


def test_snippet_of_every_robot_type_runs(stage, visit):
    """Run a few iterations of the endless loop in this process."""
    server, arena = stage("empty")
    arena["red"].set_pose(1.8, 0.2)
    arena.play()
    page = visit(server.url)
    for kind in robot_names():
        name = kind.replace("-", "_")
        arena.spawn(name, kind, at=(0.6, 1.5))
        page.choose(name)
        program = page.find("snippet-code").text_content()
        assert program is not None
        page.page.keyboard.press("Escape")
        arena.remove(name)
        page.until("!paddock.session.robot(name)", name=name)
        once = program.replace("while True:", "for _ in range(3):")  # the robot vanished, so it brings its own
        once = once.replace(f'arena["{name}"]', f'arena.spawn("{name}", "{kind}", at=(0.6, 1.5))')
        assert once.count("spawn") == once.count("range(3)") == 1
        run(once)
        page.until("!paddock.session.robot(name)", name=name)


def test_copy_falls_back_without_clipboard_api(page):
    page.choose("red")
    page.ask("(navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden')), true)")
    page.find("snippet-copy").click()
    expect(page.find("toast")).to_contain_text("Copied")
    assert "import paddock" in page.ask("navigator.clipboard.readText()")
    page.ask("delete navigator.clipboard.writeText")
