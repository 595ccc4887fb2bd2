"""`paddock ecoli host walk` against a served world, run as a process."""

from __future__ import annotations

import json
import math
import os
import signal
from pathlib import Path

import pytest

from experiments.ecoli.host_program.stage import (
    FAR,
    LEGACY,
    NAMES,
    Program,
    Relay,
    configure,
    find_devices,
    run_orders,
    serve_dish,
)
from paddock.network.client.remote import RemoteArena
from paddock.testing import wait_for
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
