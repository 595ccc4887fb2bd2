"""`paddock ecoli host walk` against a served world, run as a process."""

from __future__ import annotations

import json
import math
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from command_line import paddock
from experiments.ecoli.host_program.stage import (
    FAR,
    FAST,
    LEGACY,
    NAMES,
    Program,
    Relay,
    configure,
    find_devices,
    run_orders,
    serve_dish,
)
from paddock import connect
from paddock.experiments.ecoli.walk.detection_trials import build_lit_dish
from paddock.experiments.ecoli.waypoint_robots import HostConfig, OrderRobotSpec
from paddock.network.client.remote import RemoteArena
from paddock.testing import PaddockProcess, wait_for
from terminal import LONG
from warm_start import start_python


def position(dish: RemoteArena, name: str) -> tuple[float, float]:
    """Return the true position of a robot [cm]."""
    dish.step(0)
    return 100 * dish[name].pose.x, 100 * dish[name].pose.y


def stands(dish: RemoteArena, name: str) -> bool:
    """Return whether a robot has not moved for 0.1 s of simulated time."""
    before, tick = position(dish, name), dish.tick
    wait_for(lambda: (dish.step(0), dish.tick > tick + 0.1 / dish.dt)[1])
    return math.dist(before, position(dish, name)) < 1e-6


def test_walk_brings_all_robots_to_their_waypoints(folder: Path, dish: RemoteArena) -> None:
    with Program("walk", "walk.txt", "--log", "walk.log", folder=folder, columns=150) as program:
        program.expect("e-puck_2481: connected, legacy mode")
        assert program.end() == 0
        assert "Walk" in program.printed  # the live table
        summary = program.printed[program.printed.index("Summary") :]
    for name, orders in zip(NAMES, (2, 1, 1), strict=True):
        assert f"{name}" in summary
        assert f"{orders}/{orders}" in summary
    log = (folder / "walk.log").read_text()
    for text in (
        "e-puck_2478: connected, checked mode",
        "e-puck_2479: set: SEND_POSITION(90.000000,50.000000)",
        "e-puck_2479: set: SEND_NEAR(600)",
        "e-puck_2481: order 1: GO_TO(130.000000,45.000000)",
        "e-puck_2478: order 2: GO_TO(",
        "obstacles detected: 0",
    ):
        assert text in log
    targets = {NAMES[0]: (125, 85), NAMES[1]: (75, 30), NAMES[2]: (130, 45)}
    for name, target in targets.items():
        assert math.dist(position(dish, name), target) < 1.0


def test_json_lines_report_every_event_and_a_summary_per_robot(folder: Path) -> None:
    lines = [json.loads(line) for line in run_orders("walk", "walk.txt", "--avoid", "--json").splitlines()]
    assert [line["order"] for line in lines if line.get("event") == "done" and line["robot"] == NAMES[0]] == [0, 1]
    summary = {line["robot"]: line for line in lines if "orders" in line}
    assert {name: (line["done"], line["orders"]) for name, line in summary.items()} == dict(
        zip(NAMES, [(2, 2), (1, 1), (1, 1)], strict=True)
    )
    assert {name: line["mode"] for name, line in summary.items()} == dict(
        zip(NAMES, ["checked", "checked", "legacy"], strict=True)
    )


def test_walk_continues_when_its_output_is_closed(folder: Path, dish: RemoteArena) -> None:
    program = ["-m", "paddock", "ecoli", "host", "walk", "walk.txt", "--json", "--log", "walk.log"]
    with start_python(program, folder=folder) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(LONG) == 0
    assert (folder / "walk.log").read_text().count("total time") == 3


def test_ctrl_c_stops_robots_and_reports_those_that_cannot_be_stopped(folder: Path, dish: RemoteArena) -> None:
    (folder / "far.txt").write_text(FAR)
    dish.set_speed(2.0)
    with Program("walk", "far.txt", folder=folder) as program:
        for _robot in NAMES:
            program.expect(r"set: SEND_NEAR\(600\)")
        wait_for(lambda: all(math.dist(position(dish, name), (95, 55)) > 9 for name in NAMES[:2]))
        os.kill(program.process.pid, signal.SIGINT)
        assert program.end() == 130
        assert "e-puck_2478: stopped" in program.printed
        assert "e-puck_2479: stopped" in program.printed
        assert f"{LEGACY}: cannot be stopped in legacy mode" in program.printed
        assert "0/1" in program.printed
    assert stands(dish, NAMES[0])
    assert stands(dish, NAMES[1])
    assert not stands(dish, LEGACY)


def test_robot_with_a_cut_line_is_reported_and_the_others_continue(
    folder: Path, dish: RemoteArena, devices: dict[str, str]
) -> None:
    (folder / "far.txt").write_text(FAR)
    relay = Relay(devices[NAMES[0]])
    configure(folder / "orders.toml", {**devices, NAMES[0]: relay.device}, timeout_s=2.0)
    dish.set_speed(4.0)
    with Program("walk", "far.txt", folder=folder) as program:
        program.expect(rf"{NAMES[0]}: set: SEND_NEAR\(600\)")
        assert relay.heard.wait(LONG)
        relay.cut()
        assert program.end() == 1
        assert f"{NAMES[0]}: lost: " in program.printed
        for name in NAMES[1:]:
            assert f"{name}: total time" in program.printed
        summary = program.printed[program.printed.index("Summary") :]
    assert "lost" in summary
    assert summary.count("1/1") == 2


def test_killed_server_loses_all_robots(tmp_path: Path) -> None:
    (tmp_path / "far.txt").write_text(FAR)
    with serve_dish() as server:
        configure(tmp_path / "orders.toml", find_devices(server), timeout_s=2.0)
        with Program("walk", "far.txt", folder=tmp_path) as program:
            program.expect("connected")
            server.stop()
            assert program.end() == 1
            for name in NAMES:
                assert f"{name}: lost: " in program.printed or f"{name}: connection failed: " in program.printed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("e-puck_2479;10", "walk.txt:1: expected name;x;y in centimetres"),
        ("e-puck_2497;10;20", "walk.txt: no robot called 'e-puck_2497' (did you mean 'e-puck_2479'?)"),
        ("e-puck_2479;1,5;20", "numbers have a decimal point"),
    ],
)
def test_invalid_file_is_refused_before_any_robot_moves(folder: Path, text: str, told: str) -> None:
    (folder / "walk.txt").write_text(text)
    assert told in run_orders("walk", "walk.txt", status=2)


def test_missing_device_is_reported_with_the_robot_name(folder: Path, devices: dict[str, str]) -> None:
    configure(folder / "orders.toml", {**devices, NAMES[1]: "/dev/rfcomm97"})
    with Program("walk", "walk.txt", folder=folder) as program:
        program.expect(f"{NAMES[1]}: connection failed: /dev/rfcomm97: cannot open it")
        assert program.end() == 1
        assert "2/2" in program.printed


def test_robot_without_required_checked_mode_is_refused(folder: Path, devices: dict[str, str]) -> None:
    configure(folder / "orders.toml", devices, mode="checked")
    with Program("walk", "walk.txt", folder=folder) as program:
        program.expect(f"{LEGACY}: lost: it does not support checked mode")
        assert program.end() == 1


@pytest.mark.long
def test_summary_tells_walls_from_light_and_robots_that_know_the_light_ignore_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    world = build_lit_dish(0.36)
    starts = {NAMES[0]: (0.4, 0.3), NAMES[1]: (1.7, 0.5)}
    robots = [replace(robot, at=at) for robot, at in zip(world.robots, starts.values(), strict=False)]
    Path("lit.toml").write_text(world.with_robots(*robots).to_toml(), encoding="utf-8")
    Path("walk.txt").write_text(f"{NAMES[0]};60;15\n{NAMES[1]};197;50\n", encoding="utf-8")
    orders = [part for name in starts for part in ("--bridge", f"orders={name}")]
    with PaddockProcess("serve", "lit.toml", *orders, "--speed", str(FAST)) as server:
        seen = {}
        for light in (0.0, 1500.0):
            specs = [
                OrderRobotSpec(
                    name=name,
                    device=server.line(rf"^{name}: takes orders at (\S+) "),
                    at_cm=(100 * x, 100 * y),
                    near=480 if name == NAMES[0] else 250,
                    light=light,
                )
                for name, (x, y) in starts.items()
            ]
            Path("orders.toml").write_text(HostConfig(robots=tuple(specs), world="petri-dish").to_toml())
            printed = paddock("ecoli", "host", "walk", "walk.txt", "--avoid", "--json").stdout
            lines = [json.loads(line) for line in printed.splitlines()]
            seen[light] = {line["robot"]: line for line in lines if "orders" in line}
            with connect(server.url, lock_step=False) as arena:
                arena.reset()
    lit, walled = (seen[0.0][name]["causes"] for name in NAMES[:2])
    assert lit["light"] > 0 == lit["wall"]
    assert walled["wall"] > 0 == walled["light"]
    lit, walled = (seen[1500.0][name]["causes"] for name in NAMES[:2])
    assert lit == {"wall": 0, "robot": 0, "light": 0}
    assert walled["wall"] > 0
    assert seen[1500.0][NAMES[0]]["done"] == 1
    assert {line["start"] for line in seen[0.0].values()} == {line["end"] for line in seen[0.0].values()} == {1, 2}
