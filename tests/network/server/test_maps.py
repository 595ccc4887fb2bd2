"""Controllers send their maps to viewers and receive goals."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import command_line
import paddock
from network.server.parties import Peer, served
from paddock.arena import Arena
from paddock.core.errors import Refused
from paddock.core.geometry import Pose
from paddock.core.observation import Observation
from paddock.network.client.remote import RemoteArena
from paddock.network.client.remote_monitor import RemoteMonitor
from paddock.network.protocol import messages
from paddock.network.server import Server
from paddock.network.server.core.access import Grant, Role
from paddock.network.server.show import Show
from paddock.perception.estimation import Estimate
from paddock.perception.mapping import GridFrame, MapView
from paddock.testing import wait_for

FRAME = GridFrame(-0.5, 0.25, 0.05, 3, 4)


class Cartographer:
    """A controller whose map gains a cell per tick and that accepts any goal with x > 0."""

    def __init__(self) -> None:
        self.cells = np.full(FRAME.shape, 255, np.uint8)
        self.version = 0
        self.goal, self.refusal, self.task = np.empty((0, 2)), "", "maps"
        self.estimate = Estimate(Pose(0.25, 0.5, 0.0), np.diag([0.04, 0.01, 0.1]))

    def act(self, observation: Observation) -> tuple[float, float]:
        self.cells.flat[self.version % self.cells.size] = 100 * (self.version % 2)
        self.version += 1
        return 0.05, -0.05

    def set_goal(self, x: float, y: float) -> bool:
        self.refusal = "" if x > 0 else f"({x:g}, {y:g}) is in an obstacle"
        if not self.refusal:
            self.goal = np.array([[x, y]])
        return not self.refusal

    @property
    def map_view(self) -> MapView:
        plan = np.array([[0.0, 0.0], [0.5, 0.25]])
        return MapView(frame=FRAME, cells=self.cells.copy(), plan=plan, goal=self.goal, version=self.version)


@contextmanager
def running(arena: Arena, controller: Any) -> Iterator[Show]:
    """Show the arena on a page while the controller drives its robot in a thread, until the end of the block."""
    over = threading.Event()
    with paddock.show(arena, speed=None, port=0, open_page=False) as shown:
        until = {"until": lambda _: over.is_set()}
        program = threading.Thread(target=arena.run, args=(1e6, {"red": controller}), kwargs=until)
        program.start()
        try:
            wait_for(lambda: arena.tick > 0)
            yield shown
        finally:
            over.set()
            program.join()


@pytest.fixture
def arena() -> Arena:
    return paddock.open("clutter")


@contextmanager
def elsewhere(server: Server, controller: Any) -> Iterator[RemoteArena]:
    """Drive the robot from a program over the network, until the end of the block."""
    over = threading.Event()
    with paddock.connect(server.url(), name="Ada") as arena:
        until = {"until": lambda _: over.is_set()}
        program = threading.Thread(target=arena.run, args=(1e6, {"red": controller}), kwargs=until)
        program.start()
        try:
            wait_for(lambda: arena.tick > 0)
            yield arena  # type: ignore[misc]
        finally:
            over.set()
            program.join()


def watch(shown: Show | Server, **options: Any) -> Peer:
    """Connect a client that watches the robot, as the page does."""
    peer = Peer(shown.server if isinstance(shown, Show) else shown, **options)
    peer.ask("frames", rate=10.0)
    peer.ask("subscribe", robot="red", devices=["proximity"], period=1.0)
    return peer


def test_map_cells_are_sent_first_and_then_only_after_changes(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.network.server.services.maps.GRID_PERIOD", 3600.0)
    with running(arena, Cartographer()) as shown, watch(shown) as peer:
        first = peer.wait("map", robot="red")["map"]
        grid = first["grid"]
        assert [grid[key] for key in ("x", "y", "resolution", "rows", "columns")] == [-0.5, 0.25, 0.05, 3, 4]
        cells = np.frombuffer(zlib.decompress(grid["cells"]), np.uint8)
        assert set(cells.tolist()) <= {0, 100, 255}
        assert np.frombuffer(first["plan"]).tolist() == [0.0, 0.0, 0.5, 0.25]
        assert first["task"] == "maps"
        later = peer.wait("map", robot="red")["map"]
        assert "grid" not in later  # the cells come less often
        monkeypatch.setattr("paddock.network.server.services.maps.GRID_PERIOD", 0.0)
        while "grid" not in later:
            later = peer.wait("map", robot="red")["map"]
        assert later["grid"]["version"] > grid["version"]


def test_map_is_not_computed_without_viewers(arena: Arena) -> None:
    class Costly(Cartographer):
        @property
        def map_view(self) -> MapView:
            raise AssertionError("nobody asked")

    assert arena.run(0.2, {"red": Costly()}).reason == "0.2 s elapsed"


def test_map_remains_after_run_and_is_cleared_by_next_run(arena: Arena) -> None:
    with running(arena, Cartographer()) as shown, watch(shown) as peer:
        peer.wait("map", robot="red")
        assert arena.map_views["red"].frame == FRAME
    assert arena.map_views["red"].version == arena.tick  # as it was at the end
    arena.run(0.02, {"red": lambda seen: (0.0, 0.0)})
    assert not arena.map_views


def test_removal_of_map_is_sent(arena: Arena) -> None:
    with paddock.show(arena, speed=None, port=0, open_page=False) as shown, watch(shown) as peer:
        until = {"until": lambda _: bool(arena.map_views)}
        arena.run(1e6, {"red": Cartographer()}, **until)
        peer.wait("map", robot="red")
        arena.run(0.02, {"red": lambda seen: (0.0, 0.0)})
        assert peer.wait("map", robot="red", map=None)


def test_goal_is_sent_to_controller_and_shown(arena: Arena) -> None:
    controller = Cartographer()
    with running(arena, controller) as shown, watch(shown) as peer:
        assert peer.ask("send_goal", robot="red", x=0.5, y=0.75)["type"] == "done"
        assert controller.goal.tolist() == [[0.5, 0.75]]
        news = peer.wait("map", robot="red")["map"]
        while "goal" not in news:
            news = peer.wait("map", robot="red")["map"]
        assert np.frombuffer(news["goal"]).tolist() == [0.5, 0.75]
    assert arena.episode is not None
    assert any(event.kind == "goal" and event.disturbs for event in arena.episode.events)


def test_goal_refused_by_controller_is_reported_with_reason(arena: Arena) -> None:
    with running(arena, Cartographer()) as shown, paddock.connect(shown.server.url(), lock_step=False) as onlooker:
        assert isinstance(onlooker, RemoteArena)
        with pytest.raises(Refused, match=r"red: \(-1, 0.5\) is in an obstacle"):
            onlooker.send_goal("red", -1.0, 0.5)
        onlooker.send_goal("red", 1.0, 0.5)


def test_goal_for_controller_without_set_goal_is_refused(arena: Arena) -> None:
    with running(arena, lambda seen: (0.0, 0.0)) as shown, watch(shown) as peer:
        refused = peer.ask("send_goal", robot="red", x=0.5, y=0.5)
        assert refused["error"] == "Refused"
        assert "method set_goal(x, y)" in refused["message"]
        assert "did you mean 'red'" in peer.ask("send_goal", robot="rde", x=0.5, y=0.5)["message"]


def test_client_without_run_refuses_goals_at_once() -> None:
    """The client answers also while it waits for an answer itself."""
    with served("clutter") as server, paddock.connect(server.url()) as driver:
        assert isinstance(driver, RemoteArena)
        driver["red"].drive(0.01, 0.0)
        driver.step()
        with pytest.raises(Refused, match="no running controller"):
            driver.send_goal("red", 0.5, 0.5)


def test_only_clients_that_may_drive_robot_may_send_goals(arena: Arena) -> None:
    controller = Cartographer()
    with running(arena, controller) as shown:
        tokens = shown.server.tokens
        viewer, other = tokens.add(Grant(Role.VIEWER)), tokens.add(Grant(Role.CONTROLLER, frozenset({"blue"}), "Ben"))
        driver = tokens.add(Grant(Role.CONTROLLER, frozenset({"red"}), "Ada"))
        for token, answer in ((viewer, "only a controller"), (other, "does not name robot 'red'")):
            with Peer(shown.server, token=token) as peer:
                assert answer in peer.ask("send_goal", robot="red", x=0.5, y=0.5)["message"]
        assert not len(controller.goal)
        with Peer(shown.server, token=driver) as peer:
            assert peer.ask("send_goal", robot="red", x=0.5, y=0.5)["type"] == "done"


def test_goal_is_sent_from_command_line(arena: Arena) -> None:
    with running(arena, Cartographer()) as shown:
        taken = command_line.paddock("robot", "goal", shown.server.url(), "0.5", "0.75")
        assert taken.stdout == "red drives to (0.5, 0.75)\n"
        refused = command_line.paddock("robot", "goal", f"{shown.server.url()}?robot=red", "-1", "0.5")
        assert refused.returncode == 2
        assert "is in an obstacle" in refused.stderr


# ---- programs elsewhere


def test_remote_program_shows_map_and_estimate() -> None:
    with served("clutter", speed=None) as server, watch(server) as peer:
        with elsewhere(server, Cartographer()):
            first = peer.wait("map", robot="red")["map"]
            cells = np.frombuffer(zlib.decompress(first["grid"]["cells"]), np.uint8)
            assert cells.size == 12
            assert first["task"] == "maps"
            later = peer.wait("map", robot="red")["map"]
            while "grid" not in later:
                later = peer.wait("map", robot="red")["map"]
            assert later["grid"]["version"] > first["grid"]["version"]
            seen = peer.wait("sensed", robot="red")["seen"]
            while "estimate" not in seen:
                seen = peer.wait("sensed", robot="red")["seen"]
            assert seen["estimate"]["pose"] == [0.25, 0.5, 0.0]
            assert seen["estimate"]["ellipse"] == pytest.approx([0.489, 0.245, 0.0], abs=1e-3)
        assert peer.wait("map", robot="red", map=None)  # it has taken its map along


def test_goal_is_sent_to_remote_program_and_its_answer_is_returned() -> None:
    controller = Cartographer()
    with served("clutter", speed=None) as server, watch(server) as peer, elsewhere(server, controller):
        peer.wait("map", robot="red")
        while not peer.wait("robots")["robots"][0].get("goals"):  # it is listed as one that takes goals
            pass
        assert peer.ask("send_goal", robot="red", x=0.5, y=0.75)["type"] == "done"
        assert controller.goal.tolist() == [[0.5, 0.75]]
        assert "red: (-1, 0.5) is in an obstacle" in peer.ask("send_goal", robot="red", x=-1, y=0.5)["message"]


def test_goal_is_refused_when_its_program_disconnects() -> None:
    with served("clutter") as server, watch(server) as peer, Peer(server, hello=False) as driver:
        driver.ask("hello", version=1, minor=2, name="Ada", shows=True)
        driver.ask("claim", robot="red")
        number = peer.tell("send_goal", robot="red", x=0.5, y=0.5)
        goal = driver.wait("goal_request", robot="red")
        assert (goal["x"], goal["y"]) == (0.5, 0.5)
        driver.close()
        assert "has disconnected" in peer.answer(number)["message"]


GRID = {"x": 0.0, "y": 0.0, "resolution": 0.05, "rows": 2, "columns": 2, "cells": zlib.compress(bytes(4)), "version": 1}


@pytest.mark.parametrize(
    ("shown", "problem"),
    [
        ({"map": {"grid": GRID | {"rows": 3}}}, "expected 3 × 2 bytes, got 4"),
        ({"map": {"grid": GRID | {"cells": zlib.compress(bytes(10**6))}}}, "expected 2 × 2 bytes, got 5 or more"),
        ({"map": {"grid": GRID | {"cells": b"nonsense"}}}, "expected bytes compressed with zlib"),
        ({"map": {"grid": GRID | {"rows": 10**9, "columns": 10**9}}}, "expected at most 16000000 cells"),
        ({"map": {"grid": GRID | {"rows": -2, "columns": -2}}}, "expected at most 16000000 cells"),
        ({"map": {"grid": GRID | {"resolution": 0.0}}}, "with a side > 0"),
        ({"map": {"grid": GRID, "plan": bytes(24)}}, "plan: expected x and y of points, got 3 numbers"),
        ({"pose": [0, 0, 0], "covariance": bytes(16)}, "expected 9 numbers, got 2"),
        ({"pose": [0, 0, 0], "covariance": np.diag([1.0, -1.0, 1.0]).tobytes()}, "without negative variances"),
    ],
)
def test_invalid_map_is_refused_without_effect_on_others(shown: Any, problem: str) -> None:
    with served("clutter") as server, watch(server) as peer, Peer(server) as driver:
        driver.ask("claim", robot="red")
        driver.send({"type": "show", "robot": "red", **shown})
        assert problem in driver.wait("refused")["message"]
        driver.send({"type": "show", "robot": "red", "map": {"grid": GRID}})
        assert peer.wait("map", robot="red")["map"]["grid"]["version"] == 1


def test_only_driver_of_robot_may_show_map() -> None:
    with served("clutter") as server, watch(server) as peer, Peer(server) as stranger, Peer(server) as driver:
        driver.ask("claim", robot="red")
        stranger.send({"type": "show", "robot": "red", "map": {"grid": GRID | {"version": 666}}})
        stranger.ask("sense", robot="red")
        driver.send({"type": "show", "robot": "red", "map": {"grid": GRID}})
        assert peer.wait("map", robot="red")["map"]["grid"]["version"] == 1


def test_remote_goal_is_queued_during_run_and_refused_without_run() -> None:
    sent: list[Any] = []
    monitor, cartographer = RemoteMonitor(sent.append), Cartographer()
    monitor.begin({"red": cartographer})
    monitor.on_message(messages.GoalRequested(robot="red", x=1.0, y=2.0, number=1))
    assert (sent, cartographer.goal.size) == ([], 0)  # the reader of messages does not call the controller
    monitor.give_goals()
    assert cartographer.goal.tolist() == [[1.0, 2.0]]
    monitor.end()
    monitor.on_message(messages.GoalRequested(robot="red", x=1.0, y=2.0, number=2))
    assert [(answer.number, answer.refusal) for answer in sent] == [
        (1, ""),
        (2, "no running controller accepts goals"),
    ]


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_estimate_with_any_number_of_particles_leaves_readings_intact(
    count: int, caplog: pytest.LogCaptureFixture
) -> None:
    with served("clutter") as server, watch(server) as viewer, Peer(server) as driver:
        driver.ask("claim", robot="red")
        shown = {"pose": [0, 0, 0], "covariance": np.eye(3).tobytes(), "particles": np.zeros(2 * count).tobytes()}
        driver.send({"type": "show", "robot": "red", **shown})
        seen = viewer.ask("sense", robot="red")["robots"]["red"]
        while "estimate" not in seen:
            seen = viewer.ask("sense", robot="red")["robots"]["red"]
        assert seen["estimate"]["pose"] == [0, 0, 0]
        assert caplog.text == ""
