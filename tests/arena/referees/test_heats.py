"""Heats on a server: robots wait for the start signal, and scores equal those of a run without a server."""

from __future__ import annotations

import csv
import logging
from dataclasses import replace
from pathlib import Path

import pytest

import paddock
from arena.referees.circles import LAPS, circle_world, drive_circle
from network.server.parties import Peer, ServerProcess, on_loop
from paddock.arena.referees import make_referee, officiate
from paddock.cli.referee import plan_heats
from paddock.network.server import Server, Settings
from paddock.network.server.services.heats import HeatSettings
from paddock.report.recordings import Recording
from paddock.simulation.worlds import Start
from paddock.testing import wait_for

RADII = (0.1, 0.2, 0.35)
SECONDS = 30.0


@pytest.fixture(scope="module")
def times():
    """The lap times of the robots in a run without a server."""
    with paddock.open(circle_world(*RADII), seed=7) as arena, officiate(arena, LAPS) as game:
        for name in arena:
            drive_circle(arena, name)
        arena.run(SECONDS)
    return game.referee.times


def serve_heats(settings: HeatSettings, *, speed=None, world=None) -> Server:
    arena = paddock.open(world or circle_world(*RADII), seed=7)
    server_settings = Settings(port=0, speed=speed, lock_step=False)
    return Server(arena, server_settings, referee=make_referee(LAPS), heats=settings)


def run_heat(server: Server) -> None:
    """Run a whole heat with robots on their circles."""
    on_loop(server, server.heats.prepare)
    on_loop(server, lambda: [drive_circle(server.arena, name) for name in server.arena])
    on_loop(server, server.heats.start)
    wait_for(lambda: server.heats.phase == "finished", 300)


@pytest.mark.parametrize(
    ("speed", "watched"),
    [(None, False), (None, True), (50.0, True), *(pytest.param(*case, marks=pytest.mark.long) for case in
     ((1.0, False), (1.0, True), (50.0, False)))],
)  # fmt: skip
def test_laps_and_times_are_bit_identical_at_every_speed(times, speed, watched):
    settings = HeatSettings(seconds=SECONDS, countdown=0)
    with serve_heats(settings, speed=speed).in_background() as server, Peer(server) as peer:
        if watched:
            peer.ask("frames", rate=60)
        run_heat(server)
        assert server.scoreboard.game.referee.times == times  # to the last bit
        assert server.arena.time == SECONDS  # and not a tick more
        assert min(len(those) for those in times.values()) >= 1
        if watched:
            assert {line["robot"] for line in peer.wait("scores")["scores"]} == set(server.arena)


def test_heat_starts_after_failed_new_preparation(monkeypatch):
    def refuse(*_):
        raise paddock.SimulationError("there is no room")

    monkeypatch.setattr("paddock.network.server.services.heats.COUNT_INTERVAL", 0.1)
    with serve_heats(HeatSettings(seconds=1.0, countdown=1)).in_background() as server, Peer(server) as peer:
        peer.ask("set_heat", action="start")
        monkeypatch.setattr("paddock.network.server.services.heats.deal_starts", refuse)
        assert peer.ask("set_heat", action="prepare")["message"] == "there is no room"
        wait_for(lambda: server.heats.phase == "finished")


def test_robots_wait_for_start_signal_and_earlier_commands_apply_then():
    with serve_heats(HeatSettings(seconds=1.0, countdown=1)).in_background() as server, Peer(server) as peer:
        peer.ask("lock", on=False)
        peer.ask("set_heat", action="prepare")
        assert peer.wait("heat")["state"] == "prepared"
        start = server.arena.poses
        peer.send({"type": "command", "commands": {"robot-0": {"wheels": [0.1, 0.1]}}})
        peer.ask("set_heat", action="start")
        assert "waits for its start signal" in peer.ask("play")["message"]
        assert "heat 1 is active; stop it first" in peer.ask("reset")["message"]
        assert (server.arena.poses == start).all()
        wait_for(lambda: server.heats.phase == "finished")
        states = {peer.wait("heat")["state"] for _ in range(3)}
        assert states <= {"prepared", "countdown", "running", "finished"}
        moved = server.arena.poses - start
        assert abs(moved[0, :2]).max() > 0.05
        assert not moved[1:].any()
        assert server.arena.time == pytest.approx(1.0)
        peer.ask("play")
        wait_for(lambda: server.arena.time > 1.1)
        assert server.heats.phase == "none"
        assert not server.scoreboard.game.finished


def test_supervisor_stops_heat_and_results_are_kept(tmp_path: Path):
    kept = []
    settings = HeatSettings(countdown=0, keep=kept.extend, recordings=tmp_path)
    with serve_heats(settings).in_background() as server, Peer(server) as peer:
        peer.ask("set_heat", action="start")  # prepares it, too
        wait_for(lambda: server.arena.time > 1.0)
        assert "heat 1 is running; stop it first" in peer.ask("set_heat", action="prepare")["message"]
        peer.ask("set_heat", action="stop")
        assert server.arena.recorder is None
        assert peer.wait("heat", state="finished")["text"] == "ended by the supervisor"
        assert [(row.heat, row.place, row.score) for row in kept] == [(1, 1, 0.0)] * 3
        peer.ask("frames", rate=1)
        assert peer.wait("heat", state="finished")["number"] == 1
        before = on_loop(server, server.scoreboard.message)
        assert "no heat is running: heat 1 is already over" in peer.ask("set_heat", action="stop")["message"]
        assert on_loop(server, server.scoreboard.message) == before
        assert on_loop(server, lambda: server.heats.phase) == "finished"
        peer.ask("play")
        assert "no heat to stop" in peer.ask("set_heat", action="stop")["message"]
    assert (tmp_path / "heat-0001.mcap").is_file()


def test_results_and_recordings_are_kept_and_heat_numbers_continue(tmp_path: Path):
    for expected in (1, 2):
        settings = replace(plan_heats(2.0, tmp_path), countdown=0)
        with serve_heats(settings).in_background() as server:
            server.people["robot-0"] = "Ada Lovelace"
            run_heat(server)
            assert server.heats.number == expected
            wait_for(lambda: server.arena.recorder is None)
    with (tmp_path / "results.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["heat"], row["robot"], row["fouls"]) for row in rows] == [
        (str(heat), f"robot-{i}", "0") for heat in (1, 2) for i in range(3)
    ]
    assert rows[0]["student"] == "Ada Lovelace"
    recording = Recording(tmp_path / "heat-0002.mcap")
    assert recording.end - recording.start == pytest.approx(2.0)
    recording.check()
    with Server(recording.replay(), Settings(port=0)).in_background() as server, Peer(server) as peer:
        named = {robot["name"]: robot.get("person", "") for robot in peer.wait("robots")["robots"]}
        assert named == {"robot-0": "Ada Lovelace", "robot-1": "", "robot-2": ""}


def test_robots_rotate_through_starts_of_world():
    starts = tuple(Start(name=name, at=(0.3 + 0.2 * i, 0.3)) for i, name in enumerate(("a", "b", "exit")))
    world = replace(circle_world(0.1, 0.3), starts=starts)
    with serve_heats(HeatSettings(seconds=0.1, countdown=0), world=world).in_background() as server:
        seen = []
        for _ in range(2):
            on_loop(server, server.heats.prepare)
            seen.append([tuple(pose[:2].round(3)) for pose in server.arena.poses])
            on_loop(server, server.heats.start)
            wait_for(lambda: server.heats.phase == "finished")
    assert seen == [[(0.3, 0.3), (0.5, 0.3)], [(0.5, 0.3), (0.3, 0.3)]]


def test_heat_without_referee_and_unknown_actions_are_refused():
    server = Server(paddock.open("empty"), Settings(port=0, speed=None))
    with server.in_background(), Peer(server) as peer:
        assert "need a referee" in peer.ask("set_heat", action="prepare")["message"]
        assert "did you mean 'start'" in peer.ask("set_heat", action="strat")["message"]


def test_failing_referee_is_reported_to_viewers_and_logged(caplog: pytest.LogCaptureFixture):
    server = Server(paddock.open("empty"), Settings(port=0), referee=make_referee("laps"))
    with server.in_background(), Peer(server) as peer:
        peer.ask("frames", rate=60)
        assert "neither a closed line" in peer.wait("scores")["error"]
    assert [record.levelno for record in caplog.records if "the referee failed" in record.message] == [logging.WARNING]


def test_command_line_serves_heats_with_referee_from_file(tmp_path: Path):
    (tmp_path / "rules.toml").write_text('kind = "laps"\ngates = 6\nlaps = 3\n')
    options = ("--referee", str(tmp_path / "rules.toml"), "--heat-seconds", "2", "--results", str(tmp_path / "out"))
    with ServerProcess("line-track", "--speed", "0", *options) as server, Peer(server) as peer:
        peer.ask("set_heat", action="start")
        ended = peer.wait("heat", state="finished")
        assert (ended["number"], ended["text"]) == (1, "2 s elapsed")
        peer.ask("frames", rate=60)
        assert peer.wait("scores")["label"] == "laps"
    assert "line-track,1,red,red,1,0.0,,0" in (tmp_path / "out" / "results.csv").read_text(encoding="utf-8")
    assert Recording(tmp_path / "out" / "heat-0001.mcap").end == pytest.approx(2.0)


def test_page_of_run_shows_scores():
    with (
        paddock.open(circle_world(0.1)) as arena,
        paddock.show(arena, port=0, open_page=False) as page,
        officiate(arena, LAPS) as game,
        Peer(page.server) as peer,
    ):
        page.show_game(game)
        peer.ask("frames", rate=60)
        assert [line["robot"] for line in peer.wait("scores")["scores"]] == ["robot-0"]
