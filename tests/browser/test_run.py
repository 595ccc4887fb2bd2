"""The page of a running program: it waits for a viewer, shows the reason of the end, and runs again."""

from __future__ import annotations

from pathlib import Path

from browser.stage import Served, expect

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


def test_page_shows_that_intervention_makes_run_unrepeatable(visit, tmp_path: Path):
    with Served("clutter", "--seconds", "600", command="run") as run:
        page = visit(run.url)
        expect(page.find("intervention")).to_be_hidden()
        page.until("paddock.session.clock.tick > 5")
        page.find("play").click()
        expect(page.find("intervention")).to_contain_text("not repeatable: paused at")
        page.find("play").click()  # the first intervention counts
        expect(page.find("play")).to_have_attribute("aria-label", "Pause")
        expect(page.find("intervention")).to_contain_text("paused at")


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
