"""Tests of `paddock robot goal`, `replay`, `router` and `bench` with a real bus."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import Printed, paddock
from network.nodes.rooms import MAPPING, configure, write_configuration
from network.nodes.test_bus import free_port, meet
from network.nodes.test_modules import LONG, wait_for
from paddock.cli.nodes_view import draw_histogram
from paddock.network.nodes import ModuleThreads, open_bus
from paddock.network.nodes.bus import Bus, encode_message
from paddock.network.nodes.health import LatencyHistogram
from paddock.network.nodes.node_messages import DriveMessage, GoalMessage, ModuleMessage, RefusedMessage, SonarMessage
from paddock.network.nodes.transports.line_transport import LineServer


@pytest.fixture
def planner() -> Iterator[tuple[Bus, str]]:
    """Yield a planner and the URL of its bus."""
    with LineServer("memory://tools") as server, open_bus("memory://tools", "PLANNER") as bus:
        yield bus, f"lines://127.0.0.1:{server.port}"


def test_goal_reaches_the_planner_and_refusal_is_reported(planner: tuple[Bus, str]) -> None:
    bus, url = planner
    done: list[Printed] = []
    command = threading.Thread(target=lambda: done.append(paddock("robot", "goal", url, "3.5", "0.25")))
    command.start()
    goal = wait_for(bus, lambda message: isinstance(message, GoalMessage))
    assert isinstance(goal, GoalMessage)
    assert (goal.x, goal.y) == (3.5, 0.25)
    bus.send(RefusedMessage(reason="it is in an obstacle"))
    command.join()
    assert done[0].returncode == 2
    assert "refused: it is in an obstacle" in done[0].stderr


def test_missing_answer_to_a_goal_is_reported(planner: tuple[Bus, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paddock.network.nodes.goals.ANSWER", 0.5)
    bus, url = planner
    done = paddock("robot", "goal", url, "1", "0")
    assert done.returncode == 2
    assert f"the planner at {url} has not answered for 0.5 s" in done.stderr
    bus.close()
    done = paddock("robot", "goal", url, "1", "0")
    assert done.returncode == 2
    assert f"refused: there is no planner at {url}" in done.stderr
    nowhere = f"lines://127.0.0.1:{free_port()}"
    done = paddock("robot", "goal", nowhere, "1", "0")
    assert done.returncode != 0
    assert f"{nowhere}: no answer: are the modules running there?" in done.stderr


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("controller", "says"),
    [
        ("navigate", "the robot drives to (1, 0)\n"),
        ("wander", "paddock: refused: the controller wander does not accept goals\n"),
    ],
)
def test_planner_answers_a_goal_immediately(controller: str, says: str, tmp_path: Path) -> None:
    spec = configure(tmp_path, "coordinator", "planner", port=0, options={"planner": {"controller": controller}})
    with ModuleThreads(spec) as threads:
        assert threads.line_server is not None
        done = paddock("robot", "goal", f"lines://127.0.0.1:{threads.line_server.port}", "1", "0")
    assert done.stdout + done.stderr == says


def test_recording_is_replayed(planner: tuple[Bus, str], tmp_path: Path) -> None:
    bus, url = planner
    said: list[ModuleMessage] = [
        SonarMessage(source="SENSOR", values=[1.0, None], sequence=4, time=0.5),
        DriveMessage(source="REFLEX", destination="PLANNER", left=0.1, right=0.1),
        SonarMessage(source="SENSOR", values=[2.0, None], sequence=5, time=0.6),
    ]
    recording = tmp_path / "run.jsonl"
    recording.write_bytes(b"".join(encode_message(message) + b"\n" for message in said))
    done = paddock("nodes", "replay", str(recording), "--bus", url)
    assert done.stdout == "2 messages\n"
    assert wait_for(bus, lambda message: message == said[2]) == said[2]


def test_router_connects_modules_until_interrupted() -> None:
    pytest.importorskip("zenoh", reason="pip install -e '.[modules]'")
    place = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "paddock", "nodes", "router", "--listen", place]
    router = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert router.stdout is not None
        assert router.stdout.readline() == f"routing at {place}; Ctrl-C ends it\n"
        with open_bus(f"zenoh://{place}", "PLANNER") as planner, open_bus(f"zenoh://{place}", "REFLEX") as reflex:
            meet(planner, reflex)
            planner.send(GoalMessage(destination="REFLEX", x=1.0, y=2.0))
            assert isinstance(reflex.receive(LONG), GoalMessage)
        router.send_signal(signal.SIGINT)
        assert router.communicate(timeout=LONG)[0] == "ended\n"
        assert router.returncode == 0
    finally:
        router.kill()
        router.wait()


def test_histogram_has_one_line_per_class() -> None:
    latencies = LatencyHistogram()
    for milliseconds in (4.0, 4.5, 12.0):
        latencies.add(milliseconds / 1000)
    lines = draw_histogram(latencies).splitlines()
    assert [line.split()[:4] for line in lines] == [
        ["≤", "5", "ms", "2"], ["≤", "7", "ms", "0"], ["≤", "10", "ms", "0"], ["≤", "15", "ms", "1"],
    ]  # fmt: skip
    assert lines[0].count("█") == 2 * lines[3].count("█")
    assert draw_histogram(LatencyHistogram()) == ""


@pytest.mark.heavy
@pytest.mark.long
def test_bench_measures_lock_step_and_free_running(tmp_path: Path) -> None:
    file = write_configuration(configure(tmp_path, *MAPPING, bus="lines://127.0.0.1:0"))
    done = paddock("nodes", "bench", str(file), "--seconds", "60", "--json")
    assert done.returncode == 0, done.stderr
    stepped, free = (json.loads(line) for line in done.stdout.splitlines())
    assert set(stepped["cpu"]) == {"HUB", "COORDINATOR", "SENSOR", "MAPPER", "PLANNER", "REFLEX", "MOTOR"}
    assert stepped["critical_speed"] > 0
    assert free["speed"] > 0
    assert sum(free["latencies"]) > 0
