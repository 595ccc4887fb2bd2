"""Viewers of a run receive its end and reason, can start it again, and can request its history."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Self

import numpy as np
import pytest
from websockets.sync.client import connect

import paddock
from paddock.network.protocol import VERSION
from paddock.network.server.services.history import MAX_SAMPLES, HistoryService, RunHistory
from paddock.network.server.show import Show

LONG = 60.0  # seconds after which a test gives up


class RawViewer:
    """A plain JSON client."""

    def __init__(self, show: Show) -> None:
        self._exit = ExitStack()
        self.socket = self._exit.enter_context(connect(show.server.url(scheme="ws"), max_size=None))
        self.number = 0
        self.news: dict[str, dict[str, Any]] = {}
        self.seen: list[tuple[str, int]] = []  # the run's state and the clock's seed, after each message
        self.ask("hello", version=VERSION)

    def ask(self, type: str, **fields: Any) -> dict[str, Any]:
        """Send a request and return its answer."""
        self.number += 1
        self.socket.send(json.dumps({"type": type, "id": self.number, **fields}))
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv(LONG))
            if message.get("id") == self.number:
                return message
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        self.news[message["type"]] = message
        if {"run", "clock"} <= self.news.keys():
            self.seen.append((self.news["run"]["state"], self.news["clock"]["seed"]))

    def wait_for_end(self) -> dict[str, Any]:
        """Wait for the message that the run has ended."""
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv(LONG))
            self._note(message)
            if message["type"] == "run" and message["state"] != "running":
                return message

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._exit.close()


@pytest.fixture
def shown() -> Iterator[Show]:
    arena = paddock.open("clutter", seed=2)
    with paddock.show(arena, speed=None, port=0, open_page=False) as page:
        yield page


@pytest.fixture
def viewer(shown: Show) -> Iterator[RawViewer]:
    with RawViewer(shown) as client:
        yield client


def test_program_waits_for_first_viewer(shown: Show) -> None:
    waiting = threading.Thread(target=shown.wait_for_viewer, daemon=True)
    waiting.start()
    with RawViewer(shown) as viewer:
        viewer.ask("get_scene")  # someone who does not watch yet
        assert waiting.is_alive()
        viewer.ask("frames", rate=30)
        waiting.join(LONG)
        assert not waiting.is_alive()


def test_reason_of_end_is_sent_to_current_and_later_viewers(shown: Show, viewer: RawViewer) -> None:
    shown.end("exc.py line 4: IndexError: list index out of range", failed=True, again=True)
    told = viewer.wait_for_end()
    assert told["state"] == "failed"
    assert told["reason"] == "exc.py line 4: IndexError: list index out of range"
    with RawViewer(shown) as late:
        late.ask("get_scene")
        assert late.news["run"] == told
        assert not late.news["clock"]["running"]


@pytest.mark.parametrize("request_type", ["run_again", "reset", "play"])
def test_viewer_can_run_ended_run_again(shown: Show, viewer: RawViewer, request_type: str) -> None:
    shown.arena.step(50)
    shown.end("1 s is over", again=True)
    assert viewer.wait_for_end()["state"] == "ended"
    fields = {} if request_type == "play" else {"seed": 9}
    assert viewer.ask(request_type, **fields)["type"] == "done"
    shown.wait_for_run_again()
    assert (shown.arena.tick, shown.arena.seed) == (0, 2 if request_type == "play" else 9)
    shown.arena.step(5)  # the clock runs
    assert shown.arena.tick == 5


def test_end_of_run_is_never_seen_with_clock_of_next_run(shown: Show, viewer: RawViewer) -> None:
    """A page in that state showed `Run again`, and a click on it paused the new run."""
    shown.end("the first is over", again=True)
    viewer.wait_for_end()
    viewer.ask("run_again", seed=9)
    viewer.ask("get_scene")
    assert ("ended", 9) not in viewer.seen
    assert ("running", 9) in viewer.seen
    shown.wait_for_run_again()
    shown.end("the second is over", again=True)
    viewer.wait_for_end()
    assert ("ended", 9) in viewer.seen


def test_run_again_is_refused_while_run_is_active(shown: Show, viewer: RawViewer) -> None:
    refused = viewer.ask("run_again")
    assert refused["type"] == "refused"
    assert "no run has ended" in refused["message"]


def test_robot_that_was_added_between_two_runs_makes_the_next_unrepeatable(shown: Show, viewer: RawViewer) -> None:
    viewer.ask("set_pose", robot="red", x=0.06, y=0.94, heading=0.0)
    viewer.ask("get_scene")
    assert "red was moved" in viewer.news["run"]["intervention"]
    shown.end("the first is over", again=True)
    viewer.wait_for_end()
    viewer.ask("spawn", robot="green", kind="e-puck", stays=True)
    viewer.ask("run_again")
    viewer.ask("get_scene")
    assert viewer.news["run"]["intervention"] == shown.arena.nondeterminism == "green was spawned"


def test_interventions_are_recorded_in_trace_and_first_is_sent(shown: Show, viewer: RawViewer) -> None:
    done = threading.Event()
    program = threading.Thread(
        target=lambda: shown.arena.run(600, {"red": lambda seen: (0.05, 0.05)}, until=lambda arena: done.is_set()),
        daemon=True,
    )
    program.start()
    while shown.arena.tick < 5:
        viewer.ask("get_scene")
    viewer.ask("set_speed", speed=2)
    viewer.ask("pause")
    viewer.ask("claim", robot="red")
    viewer.ask("set_pose", robot="red", x=0.06, y=0.94, heading=0.0)
    viewer.ask("release_robot", robot="red")
    viewer.ask("play")
    done.set()
    program.join(LONG)
    assert "took over red at" in viewer.news["run"]["intervention"]  # neither the speed nor the pause
    episode = shown.arena.episode
    assert episode is not None
    kinds = [event.kind for event in episode.interventions]
    assert kinds == ["speed", "pause", "driver", "teleport", "driver", "resume"]
    assert not episode.repeatable


# ---- history


def shown_history(shown: Show) -> RunHistory:
    return next(service.run for service in shown.server.services if isinstance(service, HistoryService))


def paths(shown: Show) -> np.ndarray[Any, np.dtype[np.float32]]:
    history = shown_history(shown)
    return np.frombuffer(history.paths(), "<f4").reshape(len(history.samples), -1, 2)


def test_late_viewer_receives_paths_and_readings(shown: Show) -> None:
    start = shown.arena["red"].pose[:2]
    shown.arena["red"].wheels.set(0.05, 0.05)
    shown.arena.step(100)
    with RawViewer(shown) as viewer:
        answer = viewer.ask("get_history")
        assert len(answer["ticks"]) > 10
        assert paths(shown)[0, 0] == pytest.approx(start, abs=0.005)
        assert paths(shown)[-1, 0] == pytest.approx(shown.arena["red"].pose[:2], abs=0.005)
        of_red = viewer.ask("get_history", robot="red")
        assert of_red["ticks"] == answer["ticks"]
        assert of_red["wheels"][-2:] == pytest.approx([0.05, 0.05], abs=0.002)
        assert len(of_red["readings"]["proximity"]) == 8 * len(answer["ticks"])
        assert "camera" not in of_red["readings"]
        unknown = viewer.ask("get_history", robot="rad")
        assert "did you mean 'red'" in unknown["message"]


def test_history_is_bounded_and_cleared_by_reset(shown: Show, viewer: RawViewer) -> None:
    history = shown_history(shown)
    for _ in range(2000):
        shown.arena.step(3)
    ticks = np.diff(history.ticks)
    assert MAX_SAMPLES / 2 <= len(ticks) <= MAX_SAMPLES
    assert ticks.min() * 3 >= ticks.max()
    assert history.samples[0].tick == 0
    viewer.ask("reset")
    assert len(history.samples) == 0


def test_path_gap_of_teleport_remains_after_samples_are_dropped(shown: Show, viewer: RawViewer) -> None:
    shown.arena.step(100)
    viewer.ask("set_pose", robot="red", x=0.06, y=0.94, heading=0.0)
    shown.arena.step(100)
    assert np.isnan(paths(shown)[:, 0, 0]).sum() == 1
    shown_history(shown)._drop_every_second()
    assert np.isnan(paths(shown)[:, 0, 0]).sum() == 1


def test_teleport_by_program_breaks_path(shown: Show) -> None:
    shown.arena.step(100)
    shown.arena["red"].set_pose(0.06, 0.94)
    shown.arena.step(100)
    assert np.isnan(paths(shown)[:, 0, 0]).sum() == 1


def test_spawned_robot_leaves_paths_of_others_intact(shown: Show) -> None:
    arena = shown.arena
    arena.step(50)
    arena.spawn("green", "e-puck", at=(0.06, 0.94))
    arena.step(50)
    path = paths(shown)
    column = arena.numbers["green"]
    assert np.isnan(path[0, column]).all()
    assert path[-1, column] == pytest.approx((0.06, 0.94), abs=0.005)
    assert not np.isnan(path[:, arena.numbers["red"]]).any()


def test_failing_history_does_not_stop_clock(shown: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: RunHistory) -> None:
        raise ValueError("no more room")

    monkeypatch.setattr(RunHistory, "_take_sample", fail)
    shown.arena.step(50)
    assert shown.arena.tick == 50
