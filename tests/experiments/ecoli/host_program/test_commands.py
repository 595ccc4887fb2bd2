"""Commands of the host program against a served world: find, send, thresholds, odometry, init."""

from __future__ import annotations

import json
import math
import os
import pty
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiments.ecoli.host_program.stage import LEGACY, NAMES, configure
from experiments.ecoli.host_program.stage import run_orders as orders
from paddock import connect
from paddock.experiments.ecoli.walk.detection_trials import build_lit_dish
from paddock.experiments.ecoli.waypoint_robots import load_host_config
from paddock.network.client.remote import RemoteArena
from paddock.testing import PaddockProcess

Lines = list[dict[str, Any]]


def orders_json(*arguments: str, status: int = 0) -> Lines:
    """Return the JSON lines that a command prints."""
    return [json.loads(line) for line in orders(*arguments, "--json", status=status).splitlines()]


# ---- find


def test_find_distinguishes_robots_from_silent_and_missing_devices(folder: Path, devices: dict[str, str]) -> None:
    ours, theirs = pty.openpty()
    silent = os.ttyname(theirs)
    configure(folder / "orders.toml", {NAMES[0]: devices[NAMES[0]], NAMES[1]: silent, LEGACY: "/dev/rfcomm97"})
    try:
        found = {line["device"]: line for line in orders_json("find")}
    finally:
        os.close(ours)
        os.close(theirs)
    assert (found[devices[NAMES[0]]]["robot"], found[devices[NAMES[0]]]["state"]) == (NAMES[0], "robot")
    assert found[silent]["state"] == "silent"
    assert found["/dev/rfcomm97"]["state"] == "closed"
    assert "is the robot on and paired?" in found["/dev/rfcomm97"]["text"]


def test_find_without_a_configuration_searches_local_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("paddock.experiments.ecoli.commands.orders.find.list_serial_devices", dict)
    assert "searching serial devices (0)" in orders("find", status=1)


# ---- send


@pytest.mark.parametrize("robot", [NAMES[0], LEGACY])
def test_orders_are_sent_and_their_replies_printed(folder: Path, robot: str) -> None:
    told = orders("send", robot, "P22.50;14.36", "A0.5", "D", "b0.5", "N480")
    assert f"{robot}: P22.50;14.36 → SEND_POSITION(22.500000,14.360000)" in told
    assert "D → X:22.500000,Y:14.360000,ANGLE:0.500000" in told
    assert "b0.5 → GO_TO_ANGLE(1.00" in told
    assert "N480 → SEND_NEAR(480)" in told


def test_robot_in_checked_mode_returns_to_legacy_mode_on_request(folder: Path, devices: dict[str, str]) -> None:
    assert orders_json("send", NAMES[0], "q")[0]["done"] is True  # a question of checked mode
    configure(folder / "orders.toml", devices, mode="legacy")
    assert "D → X:" in orders("send", NAMES[0], "D")
    assert "needs checked mode" in orders("send", NAMES[0], "q", status=2)


def test_nothing_is_sent_if_an_order_is_invalid(folder: Path, dish: RemoteArena) -> None:
    assert re.search(
        r"expected an order such as 'O39\.00;95\.00', got 'O39'", orders("send", NAMES[0], "b1.5", "O39", status=2)
    )
    dish.step(0)
    assert dish[NAMES[0]].pose.heading == 0.0


def test_required_checked_mode_applies_to_single_orders(folder: Path, devices: dict[str, str]) -> None:
    configure(folder / "orders.toml", devices, mode="checked")
    assert re.search(
        rf"{LEGACY}: does not support checked mode, which orders.toml requires", orders("send", LEGACY, "D", status=2)
    )


# ---- thresholds


def test_calibration_is_written_into_the_configuration_with_comments_kept(
    folder: Path, dish: RemoteArena, devices: dict[str, str]
) -> None:
    text = (folder / "orders.toml").read_text().replace("[[robots]]", "# a robot of ours\n[[robots]]")
    (folder / "orders.toml").write_text(text)
    dish[NAMES[1]].set_pose(0.5, 0.3)
    (line,) = orders_json("thresholds", NAMES[1], "--lamp", "two lamps")
    assert line["clutter_deg"] == []
    assert line["threshold"] >= line["mean"] + 6 * line["spread"]
    after = (folder / "orders.toml").read_text()
    assert after.count("# a robot of ours") == 3
    robot = load_host_config("orders.toml").robot(NAMES[1])
    assert (robot.near, robot.lamp) == (line["threshold"], "two lamps")
    assert robot.calibrated[:2] == "20"
    before, changed = tomllib.loads(text), tomllib.loads(after)
    for key in ("near", "lamp", "calibrated"):
        del changed["robots"][1][key]
    assert changed == before
    dish.step(0)
    assert abs(dish[NAMES[1]].pose.heading) < 0.02  # it looks where it did


def test_calibration_near_an_obstacle_is_refused_with_its_direction(folder: Path, dish: RemoteArena) -> None:
    dish[NAMES[1]].set_pose(1.95, 0.5)  # 1.3 cm before the right wall
    before = (folder / "orders.toml").read_text()
    told = orders("thresholds", NAMES[1], status=1)
    assert "e-puck_2479: obstacle at" in told
    assert re.search(r"at -\d+° … \d+°;", told)  # around its nose
    assert (folder / "orders.toml").read_text() == before  # such a threshold would let it run into anything


def test_calibration_in_a_corner_is_refused(folder: Path, dish: RemoteArena) -> None:
    dish[NAMES[1]].set_pose(0.06, 0.06)  # all headings have raised readings
    assert "e-puck_2479: obstacle at" in orders("thresholds", NAMES[1], status=1)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["checked", "legacy"])
def test_thresholds_under_a_lamp_exceed_its_light(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.chdir(tmp_path)
    world = build_lit_dish(0.36)
    dish = world.with_robots(replace(world.robots[0], at=(0.6, 0.2)), replace(world.robots[1], at=(1.93, 0.5)))
    Path("lit.toml").write_text(dish.to_toml(), encoding="utf-8")
    robots = [part for name in NAMES[:2] for part in ("--bridge", f"orders={name}={kind}")]
    with PaddockProcess("serve", "lit.toml", *robots, "--speed", "50") as server:
        devices = {name: server.line(rf"^{name}: takes orders.* at (\S+) ") for name in NAMES[:2]}
        configure(Path("orders.toml"), devices)
        lit, walled = orders_json("thresholds", status=1)
        assert (lit["lit"], lit["clutter_deg"], walled["lit"]) == (True, [], False)
        assert 650 < lit["threshold"] < 900  # the lamp alone causes sums up to about 670
        assert lit["range_cm"] > 1.5
        assert 0 in walled["clutter_deg"]  # the wall ahead, although the lamp shines on this robot, too
        config = load_host_config("orders.toml")
        assert config.robot(NAMES[0]).near == lit["threshold"]
        assert not config.robot(NAMES[1]).calibrated
        light = 1500 if kind == "checked" else 0  # robots of 2012 do not report it
        assert config.robot(NAMES[0]).light == pytest.approx(light, rel=0.05)
        with connect(server.url, lock_step=False) as arena:
            arena.step(0)
            assert math.dist(arena[NAMES[0]].pose[:2], (0.6, 0.2)) < 0.01  # it drove aside and back


def test_unreachable_robot_is_reported_and_the_next_is_calibrated(
    folder: Path, devices: dict[str, str], dish: RemoteArena
) -> None:
    configure(folder / "orders.toml", {NAMES[0]: "/dev/rfcomm97", LEGACY: devices[LEGACY]})
    dish[LEGACY].set_pose(1.5, 0.3)
    told = orders("thresholds", "--log", "mine.log", status=1)
    assert f"{NAMES[0]}: connection failed: /dev/rfcomm97" in told
    assert f"{LEGACY}: near = 50 written to orders.toml" in told
    assert f"{LEGACY}: near = 50" in (folder / "mine.log").read_text()
    assert "nowhere/mine.log: cannot be written" in orders("find", "--log", "nowhere/mine.log", status=2)


# ---- odometry


def test_odometry_is_measured_by_the_served_world(folder: Path, server: PaddockProcess) -> None:
    lines = orders_json("odometry", LEGACY, "--served", server.url, "--motions", "b90 b-90 c10 b180 c10")
    assert [(line["kind"], round(line["commanded"], 6)) for line in lines] == [
        ("turn", 90), ("turn", -90), ("distance", 10), ("turn", 180), ("distance", 10)
    ]  # fmt: skip
    for line in lines:
        assert line["measured"] == pytest.approx(line["commanded"], abs=0.3)
    told = orders("odometry", LEGACY, "--served", server.url, "--motions", "b90 c10", "--language", "es")
    assert "Odometría de e-puck_2481" in told
    assert "diámetro de rueda que explica los avances: 41." in told


@pytest.mark.parametrize("motions", ["b90 d20", "c-20", "b0", ""])
def test_invalid_motions_are_refused(folder: Path, motions: str) -> None:
    assert "--motions: expected" in orders("odometry", NAMES[1], "--motions", motions or " ", status=2)


# ---- init


def test_init_writes_an_example_and_never_overwrites_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "wrote orders.toml (3 robots)" in orders("init")
    assert [robot.name for robot in load_host_config("orders.toml").robots] == list(NAMES)
    assert "# proximity threshold for avoidance" in Path("orders.toml").read_text()
    assert "already exists" in orders("init", status=2)


def test_init_reads_the_robots_of_a_served_world(folder: Path, server: PaddockProcess, devices: dict[str, str]) -> None:
    (folder / "served.txt").write_text("".join(server.printed))
    orders("init", "--served", "served.txt", "--force")
    config = load_host_config("orders.toml")
    assert {robot.name: robot.path for robot in config.robots} == devices
    assert config.robot(LEGACY).at_cm == pytest.approx((100.0, 55.0))
    for content in (b"nothing of that kind\n", b"\xfd\x00\xff no text"):
        (folder / "served.txt").write_bytes(content)
        assert re.search(
            "expected lines such as 'red: takes orders at /dev/pts/3', found none",
            orders("init", "--served", "served.txt", "--force", status=2),
        )


# ---- configuration


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (("near =", "neer ="), r"orders.toml: robots\[0\].neer: unknown key \(did you mean 'near'\?\)"),
        (("mode = ", "mode = 'cheked' #"), r"orders.toml: mode: expected .* got 'cheked' \(did you mean 'checked'\?\)"),
        (("at_cm = [", "at_cm = 3 # ["), r"orders.toml: robots\[0\].at_cm: expected \[x, y\] in centimetres, got 3"),
        (("/dev/rfcomm1", "/dev/rfcomm0"), r"robots\[1\].device: /dev/rfcomm0 is already the device of e-puck_2478"),
        (("/dev/rfcomm1", "epuck:///dev/rfcomm1"), r"robots\[1\].device: expected a serial device such as"),
        (("e-puck_2479", "e-puck;2479"), r"robots\[1\].name: expected a robot's name such as"),
    ],
)
def test_invalid_configuration_is_refused_with_its_location(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str], error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    orders("init")
    text = Path("orders.toml").read_text()
    Path("orders.toml").write_text(text.replace(*change, 1))
    assert re.search(error, orders("send", NAMES[0], "D", status=2))


def test_missing_configuration_is_reported_with_a_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert re.search(
        r"orders\.toml: no such file; write one with: paddock ecoli host init", orders("send", NAMES[0], "D", status=2)
    )
    assert re.search(
        r"mine\.toml: diese Datei gibt es nicht",
        orders("send", NAMES[0], "D", "--config", "mine.toml", "--language", "de", status=2),
    )
    assert "mine.toml: no such file" in orders("find", "--config", "mine.toml", status=2)
    assert "no language called 'dee'" in orders("find", "--language", "dee", status=2)
