"""The page of a running program: it waits for a viewer, shows the reason of the end, and runs again."""

from __future__ import annotations

from pathlib import Path

from browser.stage import Served, expect
from terminal import TerminalProgram

CRASH = """
from pathlib import Path

def act(observation):
    if Path(__file__).with_name("crash").exists():
        return [1.0, 2.0][7]
    return 0.05, 0.05
"""


def test_demo_waits_for_viewer_and_runs_again_until_ctrl_c(visit, tmp_path: Path):
    picture = str(tmp_path / "demo.png")
    with Served("--seconds", "4", "--speed", "0", "--picture", picture, command="demo") as demo:
        demo.line("(starts when the page is open)")
        page = visit(demo.url)
        expect(page.find("run-banner")).to_be_visible()
        expect(page.find("run-reason")).to_have_text("4 s elapsed")
        expect(page.find("time")).to_have_text("4.00 s")
        expect(page.find("pace")).to_contain_text("ended")
        expect(page.find("connection")).to_have_attribute("data-state", "live")
        demo.line("digest ([0-9a-f]+)")
        page.find("seed").fill("5")
        page.find("run-again").click()
        demo.line("(running again with seed 5)")
        page.until("paddock.session.run.state === 'ended' && paddock.session.clock.seed === 5")
        expect(page.find("play")).to_have_attribute("aria-label", "Run again")
        page.ask("window.states = []")
        page.ask("paddock.session.on('run', () => states.push(paddock.session.run.state)) && 0")
        page.find("play").click()
        page.until("states.includes('running') && states.at(-1) === 'ended'")  # however short the run was
        digests = [line for line in demo.printed if line.startswith("digest")]
        assert len(digests) == 3
        assert digests[0] != digests[1] == digests[2]
        demo.end_politely()
        assert demo.process.returncode == 0
        expect(page.find("connection")).to_have_text("ended")
        page.forgive_lost_connections()


def test_crash_is_shown_with_message_of_terminal(visit, tmp_path: Path):
    """File names may contain any characters: the page shows them as text."""
    file = tmp_path / "<img src=x onerror=alert(1)>.py"
    file.write_text(CRASH)
    with Served("clutter", "-c", str(file), "--seconds", "600", command="run") as run:
        page = visit(run.url)
        (tmp_path / "crash").touch()
        expect(page.find("run-banner")).to_be_visible()
        expect(page.find("run-banner")).to_have_attribute("data-kind", "failed")
        reason = page.find("run-reason").text_content()
        assert "IndexError" in reason
        assert f"{file.name} line 6" in reason
        assert page.page.locator("#run-banner img").count() == 0
        assert run.line("the run has ended: (.*)").strip() == reason
        file.write_text(CRASH.replace("[7]", "[:]"))  # mended
        page.find("run-again").click()
        expect(page.find("run-banner")).to_be_hidden()
        page.until("paddock.session.clock.tick > 5 && paddock.session.run.state === 'running'")


def test_page_of_a_crash_in_the_first_tick_stays_open_for_a_user_at_the_terminal(visit, tmp_path: Path):
    """The error comes before anybody can open the page."""
    (tmp_path / "mine.py").write_text("def act(observation):\n    return 1 / 0\n")
    with TerminalProgram("run", "clutter", "-c", "mine.py", "--port", "0", folder=tmp_path) as run:
        run.expect(r"the run has ended: mine.py line 2: ZeroDivisionError")
        page = visit(run.expect(r"http://127.0.0.1:\d+/"))
        expect(page.find("run-reason")).to_contain_text("mine.py line 2: ZeroDivisionError")
        run.type("\x03")
        assert run.end() == 2
        page.forgive_lost_connections()


def test_page_of_an_exercise_shows_only_its_devices_and_ends_with_points(visit, tmp_path: Path):
    (tmp_path / "mine.py").write_text("def act(observation):\n    return 0.05, 0.05\n")
    with TerminalProgram("exercise", "try", "line-following", "-c", "mine.py", "--port", "0",
                         folder=tmp_path) as run:  # fmt: skip
        page = visit(run.expect(r"http://127.0.0.1:\d+/"))
        assert page.ask("paddock.session.kinds[0].sensors.map(({ name }) => name)") == ["ground"]
        page.ask("paddock.session.ask('set_speed', { speed: 0 }) && 0")
        expect(page.find("run-reason")).to_contain_text("of 10 points")
        run.expect("drives a whole lap")
        run.type("\x03")
        assert run.end() == 0
        page.forgive_lost_connections()


def test_page_shows_that_intervention_makes_run_unrepeatable(visit, tmp_path: Path):
    with Served("clutter", "--seconds", "600", command="run") as run:
        page = visit(run.url)
        expect(page.find("intervention")).to_be_hidden()
        page.until("paddock.session.clock.tick > 5")
        page.find("play").click()
        expect(page.find("play")).to_have_attribute("aria-label", "Play")
        page.find("play").click()  # a pause changes nothing
        expect(page.find("play")).to_have_attribute("aria-label", "Pause")
        expect(page.find("intervention")).to_be_hidden()
        page.page.evaluate("paddock.session.ask('claim', {robot: 'red'})")
        expect(page.find("intervention")).to_contain_text("took over red at")
        page.page.evaluate("paddock.session.ask('release_robot', {robot: 'red'})")
        page.page.evaluate("paddock.session.ask('reset', {})")
        expect(page.find("intervention")).to_be_hidden()


def test_error_between_two_runs_is_shown(visit, tmp_path: Path):
    file = tmp_path / "drive.py"
    file.write_text(CRASH)
    with Served("clutter", "-c", str(file), "--seconds", "600", command="run") as run:
        page = visit(run.url)
        (tmp_path / "crash").touch()
        expect(page.find("run-reason")).to_contain_text("IndexError")
        file.write_text("def act(observation:\n    return 0.05, 0.05\n")
        page.find("run-again").click()
        expect(page.find("run-reason")).to_contain_text("SyntaxError")
        file.write_text("def act(observation):\n    return 0.0, 0.05\n")
        page.find("run-again").click()
        page.until("paddock.session.run.state === 'running' && paddock.session.clock.tick > 5")
