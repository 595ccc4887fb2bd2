"""A recording on the page: timeline, play, step back and go live."""

from __future__ import annotations

import pytest

import paddock
from browser.stage import Served, Visit, expect
from browser.test_drawing import HAS_TRAIL
from paddock import Recording
from paddock.control.policies import explorer

SECONDS = 20.0


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    path = tmp_path_factory.mktemp("replay") / "run.mcap"
    with paddock.open("clutter", seed=2) as arena, paddock.record(arena, path):
        arena["red"].enable("proximity")
        arena.run(SECONDS / 2, explorer())
        arena["red"].set_pose(0.75, 0.75, 1.0)
        arena.run(SECONDS / 2, explorer())
    return Recording(path)


def expect_robot_at(page: Visit, recording: Recording, tick: int) -> None:
    """Check that the page draws the robot at its recorded pose."""
    x, y, _ = recording.replay(tick * recording.dt)["red"].pose
    near = "Math.hypot(paddock.robots()[0].x - x, paddock.robots()[0].y - y) < 2e-3"
    page.until(f"paddock.robots().length === 1 && {near}", x=x, y=y)


def test_recording_is_scrubbed_played_stepped_back_and_made_live(visit, recording: Recording):
    with Served(str(recording.path), command="record replay") as replay:
        page = visit(replay.url)
        expect(page.find("timeline")).to_be_visible()
        expect(page.find("position-shown")).to_have_text("0.00 s / 20.00 s")
        expect(page.find("timeline-marks").locator("i")).to_have_count(1)
        for control in ("seed", "reset"):  # they mean nothing to a recording
            expect(page.find(control)).to_be_hidden()
        slider = page.find("position")
        for tick in (700, 123):
            slider.fill(str(tick))  # as if it was dragged there
            expect(page.find("time")).to_have_text(f"{tick * recording.dt:.2f} s")
            expect_robot_at(page, recording, tick)
        page.find("step-back").click()
        expect(page.find("position-shown")).to_have_text("2.44 s / 20.00 s")
        page.page.keyboard.press(",")
        expect(page.find("position-shown")).to_have_text("2.42 s / 20.00 s")
        page.find("step").click()
        expect(page.find("position-shown")).to_have_text("2.44 s / 20.00 s")
        expect_robot_at(page, recording, 122)
        page.choose("red")
        expect(page.find("drive")).to_be_disabled()
        slider.fill("990")
        page.find("play").click()
        expect(page.find("play")).to_have_attribute("aria-label", "Play")  # it stands at its end
        expect(page.find("position-shown")).to_have_text("20.00 s / 20.00 s")
        slider.fill("500")
        page.find("go-live").click()
        expect(page.find("go-live")).to_have_text("Live")
        expect(slider).to_be_disabled()
        expect(page.find("reset")).to_be_visible()
        expect(page.find("drive")).to_be_enabled()
        expect(page.find("time")).to_have_text("10.00 s")


def test_replay_goes_live_from_given_time(visit, recording: Recording):
    with Served(str(recording.path), "--from", "12.3", command="record replay") as live:
        page = visit(live.url)
        expect(page.find("go-live")).to_have_text("Live")
        page.until("paddock.session.clock.tick > 615")


def test_trails_and_charts_show_what_was_recorded_before_the_position(visit, recording: Recording):
    """Also after jumps to and fro, and they stay when the replay goes live."""
    path = {tick: recording.replay(tick * recording.dt)["red"].pose[:2] for tick in (150, 300, 450, 700)}
    with Served(str(recording.path), command="record replay") as replay:
        page = visit(replay.url)
        page.choose("red")
        slider = page.find("position")
        shown = "paddock.charts()[0].start === 0 && Math.abs(paddock.charts()[0].end - time) < 1e-6"
        for tick, passed in ((900, (150, 300, 450, 700)), (100, ()), (500, (150, 300, 450))):
            slider.fill(str(tick))
            page.until(shown, time=tick * recording.dt)
            for other, (x, y) in path.items():
                page.until(f"{HAS_TRAIL} === has", x=x, y=y, has=other in passed)
            assert page.ask("paddock.charts()[0].gap") < 0.1  # no line without data
        page.find("go-live").click()
        expect(page.find("go-live")).to_have_text("Live")
        page.pictures(5)
        page.until(shown, time=10.0)
        assert page.ask("paddock.charts()[0].gap") < 0.1  # no line without data
        page.until(HAS_TRAIL, x=path[300][0], y=path[300][1])
