"""Real robots (emulators in a running simulation) in a served arena."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

import paddock
from bridges.common.drivers import drive_on_lawn, note_speeds
from bridges.epuck.epuck_fixtures import bench
from paddock.arena import Arena
from paddock.bridges import OpenBridges
from paddock.bridges.common.real_arena import RealArena, open_real
from paddock.bridges.common.scene_world import ArenaWorld
from paddock.bridges.epuck import EPuckEmulators
from paddock.cli.serve_world import open_real_arena
from paddock.core.observation import Command
from paddock.network.protocol import messages
from paddock.network.server import Server, Settings
from paddock.simulation.worlds.world_spec import Box, RobotPlacement, WorldSpec
from paddock.testing import PaddockProcess, wait_for

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="no pseudo terminals here")

STANDS = (0.0, 0.0)
LAB = WorldSpec(
    name="lab",
    bounds=(0, 0, 2, 2),
    boxes=(Box(at=(1.5, 1.5), size=(0.2, 0.2)),),
    robots=(
        RobotPlacement(name="serial", type="e-puck", at=(0.5, 1.0)),
        RobotPlacement(name="simulated", type="e-puck", at=(1, 1)),
    ),
)


@pytest.fixture(scope="module")
def lawn() -> Iterator[tuple[Arena, dict[str, str]]]:
    with drive_on_lawn() as lawn:
        yield lawn


@pytest.fixture
def arena(lawn: tuple[Arena, dict[str, str]]) -> Iterator[RealArena]:
    urls = [f"{lawn[1][name]}?name={name}&silence=inf" for name in ("serial", "wifi")]
    with open_real(urls, LAB, timeout=60) as arena:
        yield arena


@pytest.fixture
def told() -> Iterator[dict[str, list[tuple[int, int]]]]:
    with note_speeds() as told:
        yield told


def drives(told: list[tuple[int, int]], tell: Callable[[], object]) -> bool:
    """Repeat a command until the robot receives nonzero wheel speeds."""
    told.clear()
    wait_for(lambda: tell() or any(map(any, told)))  # whoever is slow to say so once more counts as silent
    return True


def test_real_robots_are_served_like_simulated_ones(arena: RealArena, lawn: tuple[Arena, dict[str, str]]) -> None:
    assert list(arena) == ["serial", "wifi"]  # those that are there; the world's others are left out
    simulated = lawn[0]
    with Server(arena, Settings(port=0)).in_background() as server:
        with paddock.connect(server.url(scheme="ws"), lock_step=False, name="me") as remote:
            robot = remote["serial"]
            assert robot.pose == pytest.approx((0.5, 1.0, 0.0), abs=1e-6)  # where the world has it
            robot.enable("proximity", "encoders")
            remote["wifi"].enable("proximity", "camera")
            there = lambda arena: arena["serial"].pose.x > 0.52 and "it is there"  # noqa: E731
            episode = remote.run(60.0, {"serial": lambda seen: (0.05, 0.05)}, until=there)
            assert episode.reason == "it is there"
            assert episode.trace.pose[-1, 0] > episode.trace.pose[0, 0] + 0.01
            assert robot.encoders.read().left > 0.01
            assert ArenaWorld(arena).list_robots()[0].travel[0] > 0.01  # joint angles, in a scene
            assert not np.isnan(remote["wifi"].proximity.read()).any()
            wait_for(lambda: remote["wifi"].camera.image().max() > 0)
            robot.leds.set("led0")
            wait_for(lambda: simulated["serial"].leds.read()["led0"] == 1)
            for call in (remote.reset, remote.snapshot, remote.digest):
                with pytest.raises(paddock.SimulationError, match="the robots of this arena are real"):
                    call()
            with pytest.raises(paddock.DeviceRefused, match="serial is a real robot: its pose cannot be set"):
                robot.set_pose(1.0, 1.0)
            robot.wheels.set(0.05, 0.05)
            wait_for(lambda: simulated["serial"].wheels.speeds != STANDS)
        wait_for(lambda: simulated["serial"].wheels.speeds == STANDS)  # its driver has left


def test_robots_of_unresponsive_client_stop(
    arena: RealArena, told: dict[str, list[tuple[int, int]]], caplog: pytest.LogCaptureFixture
) -> None:
    with (
        Server(arena, Settings(port=0)).in_background() as server,
        paddock.connect(server.url(scheme="ws"), lock_step=False) as remote,
    ):
        for _ in range(2):
            assert drives(told["serial"], lambda: remote["serial"].wheels.set(0.05, 0.05))
            wait_for(lambda: not any(told["serial"][-1]))  # without a word of the client
    assert "does not respond: its robots stop (serial)" in caplog.text


def test_robot_stops_when_client_hangs_during_step(arena: RealArena, told: dict[str, list[tuple[int, int]]]) -> None:
    with (
        Server(arena, Settings(port=0)).in_background() as server,
        paddock.connect(server.url(scheme="ws"), lock_step=True) as remote,
    ):
        command = Command(wheels=(0.05, 0.05))
        remote.dialogue.wire.send(messages.Step(id=9999, ticks=100_000, commands={"serial": command}))
        wait_for(lambda: any(map(any, told["serial"])))
        wait_for(lambda: not any(told["serial"][-1]))  # though the step goes on


def test_bridge_without_token_is_refused_for_real_robots(arena: RealArena) -> None:
    with pytest.raises(paddock.PaddockError, match="vrep: a bridge requires no token"):
        OpenBridges(arena, [("vrep", "0")])


def test_robots_stop_while_clock_stands(arena: RealArena, told: dict[str, list[tuple[int, int]]]) -> None:
    robot = arena["serial"]
    assert robot.pose_source == "odometry"
    robot.wheels.set(0.05, 0.05)
    for _ in range(2):
        assert drives(told["serial"], arena.step)
        wait_for(lambda: not any(told["serial"][-1]))  # nobody lets time pass


@contextmanager
def time_passes(*arenas: Arena) -> Iterator[None]:
    ended = threading.Event()

    def tick() -> None:
        while not ended.wait(0.02):
            for arena in arenas:
                arena.step()

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_robot_found_again_after_connection_loss_stands(
    told: dict[str, list[tuple[int, int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    simulated = bench()
    simulated["blue"].set_pose(0.15, 0.2)  # with room ahead
    with ExitStack() as stack:
        with EPuckEmulators(simulated, wifi={"blue": 0}) as emulators:
            port = emulators.addresses["blue"][1]
            arena = stack.enter_context(open_real([f"epuck2://127.0.0.1:{port}?name=blue&silence=inf"], timeout=60))
            stack.enter_context(time_passes(simulated, arena))
            blue = arena["blue"]
            blue.enable("proximity")
            assert drives(told["blue"], lambda: blue.wheels.set(0.05, 0.05))
        wait_for(lambda: np.isnan(blue.proximity.read()).any())
        told.clear()
        with EPuckEmulators(simulated, wifi={"blue": port}):
            wait_for(lambda: not np.isnan(blue.proximity.read()).any())
            wait_for(lambda: len(told["blue"]) > 20)  # every question to it tells it speeds, too
            assert not any(map(any, told["blue"]))
            assert drives(told["blue"], lambda: blue.wheels.set(0.05, 0.05))  # as before, but told anew
            mirrored = arena.mirrors[0].robot
            for error in (paddock.DeviceRefused("no"), ValueError("a mistake")):
                with monkeypatch.context() as patch:
                    patch.setattr(mirrored.body, "set_wheels", Mock(side_effect=error))
                    blue.wheels.set(0.04, 0.04)
                    wait_for(lambda: not arena.commands.any())
                assert drives(told["blue"], lambda: blue.wheels.set(0.05, 0.05))
            stack.close()


def test_duplicate_robot_names_are_refused(lawn: tuple[Arena, dict[str, str]]) -> None:
    with pytest.raises(paddock.LinkError, match="two robots called 'e-puck2': name them in their addresses"):
        open_real([lawn[1]["wifi"], lawn[1]["serial-e-puck2"]], timeout=60)


def test_student_token_that_covers_another_real_robot_is_refused(lawn: tuple[Arena, dict[str, str]]) -> None:
    urls = [f"{lawn[1][wire]}?name={name}" for wire, name in (("serial", "puck"), ("wifi", "puck_2"))]
    with pytest.raises(paddock.PaddockError, match="robot 'puck_2' would also belong to the student of 'puck'"):
        open_real_arena(None, urls, ["Ada"])


def test_serve_command_serves_real_robots_with_student_tokens(
    lawn: tuple[Arena, dict[str, str]], tmp_path: Path
) -> None:
    names = tmp_path / "names.txt"
    names.write_text("Ada\n")
    simulated = lawn[0]["serial"]
    arguments = ("--robot", lawn[1]["serial"], "--classroom", str(names), "--token", "secret")
    with (
        PaddockProcess("serve", *arguments) as server,
        paddock.connect(server.url, token="secret", lock_step=False) as remote,
    ):
        assert any("Ada" in line for line in server.printed)
        remote["e-puck"].wheels.set(0.05, 0.05)
        wait_for(lambda: simulated.wheels.speeds != STANDS)
        server.process.send_signal(signal.SIGKILL)
        wait_for(lambda: simulated.wheels.speeds == STANDS)  # its watchdog has stopped it
