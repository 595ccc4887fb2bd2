"""Lines recorded from programs and servers, compared byte by byte."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from paddock.bridges.usarsim.wire import UsarReports, format_line, parse_line
from paddock.bridges.usarsim.wire import messages as lines
from paddock.core.geometry import Pose

GOLDEN = Path(__file__).parents[2] / "golden" / "usarsim"
SERVER = (GOLDEN / "server.txt").read_text().splitlines()
HERE = Pose(1.5, 2.0, math.pi / 4)
SAID: list[Callable[[], bytes]] = [
    lambda: lines.greeting_line("DM-compWorldDay1_250", 20),
    lambda: lines.state_line(395.389),
    lambda: lines.pan_line(395.38, 0.0),
    lambda: lines.sonar_line(395.77165, [4.57989, 2.1461, 1.745, 2.06571]),
    lambda: lines.scanner_line(2202.98, [2.1951, 2.1962, 2.2], math.pi, math.radians(1)),
    lambda: lines.odometry_line(Pose(0.42651, -0.16431, -0.91051)),
    lambda: lines.inertial_line(HERE),
    lambda: lines.ground_truth_line(395.77165, HERE),
    lambda: lines.encoder_line({"ECLeft": -277, "ECRight": -141, "ECTilt": 0, "ECPan": 0}),
    lambda: format_line("GEO", "Type Sonar", lines.mount_words("F2", (0.185, 0.115, 0.0), 0.87271)),
    lambda: format_line("GEO", "Type RangeScanner", lines.mount_words("Scanner1", (0.1439, 0.0, 0.092), 0.0)),
    lambda: format_line(
        "GEO", "Type Encoder", lines.mount_words("ECRight", (0.0, 0.0, 0.0), -math.pi / 2, "RightFWheel")
    ),
    lambda: lines.body_line(
        "P2AT", (0.5238, 0.4968, 0.2913), wheel_radius=0.13, wheel_separation=0.4712, wheel_base=0.2884
    ),
    lambda: lines.drive_line("P2AT", mass=14.0, max_speed=5.385),
    lambda: format_line("CONF", "Type Odometry", *lines.odometry_settings(0.2, 0.0099)),
    lambda: format_line("CONF", "Type MisPkg", "Name CameraPanTilt", *lines.link_settings(1, 0.17, 1.0, 0.0)),
    lambda: lines.result_line(395.7716, "Odometry", "Odometry", done=True),
    lambda: format_line("GEO", "Type MisPkg"),
]


@pytest.mark.parametrize(("golden", "say"), list(zip(SERVER, SAID, strict=True)), ids=range(len(SERVER)))
def test_server_lines_match_the_golden_lines(golden: str, say: Callable[[], bytes]) -> None:
    assert say() == golden.encode() + b"\r\n"


@pytest.mark.parametrize("golden", [*SERVER, *(GOLDEN / "client.txt").read_text().splitlines()])
def test_every_golden_line_is_parsed_without_loss(golden: str) -> None:
    line = parse_line(golden)
    again = " ".join([line.type, *("{" + " ".join(words) + "}" for words in line.segments)])
    assert again == golden


def test_reports_of_the_classic_simulator_are_converted_to_our_frame() -> None:
    reports = UsarReports()
    for golden in SERVER:
        reports.update(parse_line(golden))
    assert reports.sonar == {"F1": 4.5798, "F2": 2.1461, "F3": 1.745, "F4": 2.0657}
    assert reports.odometry == pytest.approx(Pose(0.4265, -0.1643, -0.9105))
    assert reports.inertial == reports.truth == pytest.approx(HERE, abs=1e-4)
    assert reports.wheel_ticks == (-277, -141)
    assert reports.battery == 1200


def test_reports_of_the_later_simulator_are_parsed() -> None:
    reports = UsarReports()
    for text in (
        "STA {Time 4.2000} {Battery 1100} {FrontSteer 0} {RearSteer 0}",
        "SEN {Time 4.2500} {Type Sonar} {Name F2} {Range 2.5}",
        "SEN {Time 4.2500} {Type Sonar} {Name F10} {Range 1.0}",
        "SEN {Time 4.2500} {Type Sonar} {Name F1} {Range 4.4690}",
        "SEN {Time 4.3} {Type Encoder} {Name W1} {Tick 17} {Name W2} {Tick -3}",
    ):
        reports.update(parse_line(text))
    assert [reports.sonar[name] for name in reports.sonar_names] == [4.469, 2.5, 1.0]
    assert reports.wheel_ticks == (17, -3)
    assert (reports.time, reports.battery, reports.restarts) == (4.3, 1100, 0)


def test_scan_step_is_computed_from_the_number_of_values() -> None:
    reports = UsarReports()
    ranges = ",".join(["2.0"] * 133)
    told = f"SEN {{Time 1.0}} {{Type RangeScanner}} {{Name S}} {{Resolution 0.0174}} {{FOV 3.1415}} {{Range {ranges}}}"
    reports.update(parse_line(told))
    assert reports.scan is not None
    assert reports.scan.step == pytest.approx(3.1415 / 132)


def test_clock_running_backwards_is_a_restart_but_lost_decimals_are_not() -> None:
    reports = UsarReports()
    for time in ("12.3456", "12.34", "12.4000"):
        reports.update(parse_line(f"STA {{Time {time}}}"))
    assert reports.restarts == 0
    reports.update(parse_line("STA {Time 0.02}"))
    assert (reports.restarts, reports.time) == (1, 0.02)


def test_sonars_are_sorted_by_number() -> None:
    reports = UsarReports()
    for name in ("F10", "²", "F2"):
        reports.update(parse_line(f"SEN {{Time 1.0}} {{Type Sonar}} {{Name {name}}} {{Range 1.0}}"))
    assert reports.sonar_names == ["F2", "F10", "²"]
