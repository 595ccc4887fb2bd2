"""The robot's firmware: exact 2012 behaviour in legacy mode, and checked mode."""

from __future__ import annotations

import math

import pytest

from experiments.ecoli.waypoint_robots.lines import Bench
from paddock.core.geometry import Pose
from paddock.experiments.ecoli.waypoint_robots.frames import FrameReader, read_checked, write_checked, write_frame
from paddock.experiments.ecoli.waypoint_robots.motion import CONSTANTS


def read_all(sent: bytes) -> list[tuple[int, str]]:
    frames = [read_checked(text) for text in FrameReader().feed(sent)]
    assert None not in frames
    return [tuple(frame) for frame in frames if frame is not None]


# ---- legacy mode


@pytest.mark.parametrize(
    ("order", "reply"),
    [
        ("i", "CONNECTION_ESTABLISHED()"),
        ("P22.50;14.36", "SEND_POSITION(22.500000,14.360000)"),
        ("A1.5", "SEND_ANGLE(1.500000)"),
        ("N650", "SEND_NEAR(650)"),
        ("G30.00;20.00", "GO_TO(30.000000,20.000000)"),
        ("O30.00;20.00", "GO_TO_AVOIDING(30.000000,20.000000)"),
        ("S", "SEND_STOP()"),
        ("D", "X:0.000000,Y:0.000000,ANGLE:0.000000"),
        ("T", "OVERALL_TIME(0.000000)"),
        ("U", "OBSTACLES_DETECTED(0)"),
        ("X", "PROX0:1-PROX1:2-PROX7:8-PROX6:7"),
        ("a0.5", "1;2;8;7"),
        ("b0", "GO_TO_ANGLE(0.000000),TIME ELAPSED(0.000000)"),
        ("c0;0", "FORWARD, TIME_ELAPSED (0.000000)"),
        ("hello", "UNKNOWN ORDER, length string is: 5"),
        ("w100;100", "UNKNOWN ORDER, length string is: 8"),
    ],
)
def test_every_order_is_answered_as_published(order: str, reply: str) -> None:
    bench = Bench()
    bench.robot.proximity = (1, 2, 3, 4, 5, 6, 7, 8)
    bench.order("N6000")
    assert bench.order(order) == reply


def test_connection_is_greeted_with_an_unknown_order_message() -> None:
    assert Bench().firmware.welcome() == b"\2UNKNOWN ORDER, length string is: 16\3"


def test_legacy_robot_does_not_read_while_driving_and_ignores_stop() -> None:
    bench = Bench(knows_checked=False)
    bench.order("P0;0")
    bench.order("N6000")
    bench.tick(write_frame("O50.00;0.00"))
    sent = b"".join(bench.tick(write_frame("S")) for _ in range(50))
    assert sent == b""
    assert bench.robot.speeds == (800, 800)
    sent = bench.send(b"")
    assert sent.startswith(b"\2GO_TO_AVOIDING(50.000000,0.000000)\3")
    assert sent.endswith(b"\2SEND_STOP()\3")  # fifty messages in a row have become one
    assert sent.count(b"SEND_STOP") == 1
    assert bench.robot.pose.x - 0.04 == pytest.approx(0.5, abs=1e-3)


def test_legacy_robot_sets_its_pose_to_the_target_and_heading_to_zero() -> None:
    bench = Bench()
    bench.order("P4.00;3.50")
    bench.order("N6000")
    assert bench.order("O10.00;50.00") == "GO_TO_AVOIDING(10.000000,50.000000)"
    assert bench.firmware.pose[:2] == pytest.approx((0.1, 0.5))
    assert bench.robot.pose.heading == pytest.approx(0.0, abs=0.01)
    turn, way = math.atan2(46.5, 6), math.hypot(46.5, 6) / 100
    seconds = 2 * CONSTANTS.turn_seconds(turn) + CONSTANTS.drive_seconds(way)
    assert float(bench.order("T")[len("OVERALL_TIME(") : -1]) == pytest.approx(seconds, rel=0.01)


def test_legacy_moving_time_counts_only_orders_with_avoidance() -> None:
    bench = Bench()
    bench.order("N6000")
    bench.order("G20.00;0.00")
    bench.order("b1.00")
    assert bench.order("T") == "OVERALL_TIME(0.000000)"
    bench.order("O0.00;0.00")
    assert bench.order("T") != "OVERALL_TIME(0.000000)"


def test_legacy_odometry_ignores_wheel_differences() -> None:
    bench = Bench()
    odometry, step = bench.firmware.motion.odometry, CONSTANTS.step
    odometry.pose = Pose(0.0, 0.0, 0.5)
    pose = odometry.update(100 * step, 300 * step)
    assert pose.heading == 0.5
    assert math.hypot(pose.x, pose.y) == pytest.approx(200 * step)
    for travel in ((0, 400), (100, 500)):  # absolute values
        odometry.pose, odometry.routine = Pose(0.0, 0.0, 0.0), "left"
        turned = odometry.update(*(steps * step for steps in travel))
        assert turned == pytest.approx((0.0, 0.0, 200 * step / 0.053))


def test_obstacle_on_both_sides_is_passed_on_the_left_and_counted() -> None:
    bench = Bench()
    bench.order("P0;0")
    bench.order("N500")
    bench.robot.proximity = (300, 300, 0, 0, 0, 0, 300, 300)
    bench.tick(write_frame("O50.00;0.00"))
    while bench.robot.pose.heading < 0.7:
        bench.tick()
    bench.robot.proximity = (0,) * 8
    assert bench.send(b"") == b"\2GO_TO_AVOIDING(50.000000,0.000000)\3"
    assert bench.order("U") == "OBSTACLES_DETECTED(1)"


def test_robot_gives_up_after_repeated_obstacles() -> None:
    bench = Bench(tries=3)
    bench.order("P0;0")
    bench.order("N500")
    met = 0
    bench.tick(write_frame("O80.00;0.00"))
    sent = b""
    while not bench.firmware.idle:
        driving = bench.robot.speeds == (800, 800)
        met += driving
        bench.robot.proximity = (400, 400, 0, 0, 0, 0, 0, 0) if driving and met % 50 == 0 else (0,) * 8
        sent += bench.tick()
    assert sent.startswith(b"\2STOPS_AT(")


def test_body_led_is_on_while_the_robot_waits() -> None:
    bench = Bench()
    bench.order("P0;0")
    assert bench.robot.leds == {"body": 1.0}
    bench.tick(write_frame("G50.00;0.00"))
    assert bench.robot.leds == {"body": 0.0}


# ---- checked mode


def test_checked_mode_is_accepted_or_answered_as_unknown() -> None:
    Bench().agree()
    frame = write_checked(0, "K5")
    assert Bench().send(frame.replace(b"K5", b"K7")) == write_checked(0, "REPEAT()")  # damaged, but meant as one
    assert Bench(knows_checked=False).send(frame) == write_frame(f"UNKNOWN ORDER, length string is: {len(frame) - 2}")


def test_damaged_order_is_refused_before_the_robot_moves() -> None:
    bench = Bench()
    bench.agree()
    frame = write_checked(1, "O134.00;11.07")
    for damaged in (frame.replace(b"O134", b"O34"), frame.replace(b"11", b"12"), frame[:-3] + frame[-1:]):
        assert read_all(bench.send(damaged)) == [(0, "REPEAT()")]
    assert bench.robot.speeds == (0, 0)
    assert bench.firmware.idle


def test_repeated_order_is_answered_without_being_executed_again() -> None:
    bench = Bench()
    bench.agree()
    frame = write_checked(1, "b1.00")
    first = read_all(bench.send(frame))
    assert [text for _, text in first] == ["ACCEPTED()", first[-1][1]]
    heading = bench.robot.pose.heading
    assert read_all(bench.send(frame)) == [first[-1]]
    assert bench.robot.pose.heading == heading == pytest.approx(1.0, abs=0.005)


def test_repeated_order_is_answered_with_working_while_executed() -> None:
    bench = Bench()
    bench.agree()
    frame = write_checked(1, "G90.00;3.50")
    bench.tick(frame)
    assert read_all(bench.tick(frame)) == [(1, "WORKING()")]
    assert read_all(bench.tick(write_checked(2, "G0.00;0.00"))) == [(2, "BUSY()")]
    assert read_all(bench.tick(write_checked(3, "D")))[0][1].startswith("X:")


def test_stop_takes_effect_within_a_tenth_of_a_second() -> None:
    bench = Bench()
    bench.agree()
    bench.tick(write_checked(1, "O90.00;3.50"))
    for _ in range(100):
        bench.tick()
    before = bench.time
    sent = bench.tick(write_checked(2, "S"))
    while bench.robot.speeds != (0, 0) or not bench.firmware.idle:
        sent += bench.tick()
    assert bench.time - before <= 0.1
    assert [text.split("(")[0] for _, text in read_all(sent)] == ["SEND_STOP", "STOPS_AT"]


def test_stop_works_although_the_previous_order_was_lost() -> None:
    bench = Bench()
    bench.agree()
    bench.tick(write_checked(1, "O90.00;3.50"))
    sent = bench.send(write_checked(3, "S"), 0.1)
    assert [(number, text.split("(")[0]) for number, text in read_all(sent)] == [(3, "SEND_STOP"), (1, "STOPS_AT")]
    assert bench.robot.speeds == (0, 0)
    assert read_all(bench.send(write_checked(2, "S"))) == []  # too late


@pytest.mark.parametrize("order", ["b1.5", "c30;3.5", "a1.5", "G4;90"])
def test_stopped_or_blocked_drive_is_not_reported_as_done(order: str) -> None:
    bench = Bench()
    bench.agree()
    bench.tick(write_checked(1, order))
    sent = bench.send(write_checked(2, "S"))
    assert [text.split("(")[0] for _, text in read_all(sent)] == ["SEND_STOP", "STOPS_AT"]
    bench.robot.roll = lambda: None  # type: ignore[method-assign]  # its wheels are held
    sent = bench.send(write_checked(3, order), 200)
    assert [text.split("(")[0] for _, text in read_all(sent)] == ["ACCEPTED", "STOPS_AT"]
    assert bench.robot.speeds == (0, 0)


def test_checked_mode_reports_the_pose_estimate_instead_of_the_target() -> None:
    bench = Bench()
    bench.agree()
    bench.send(write_checked(1, "P4.00;3.50"))
    reply = read_all(bench.send(write_checked(2, "G33.33;71.70")))[-1][1]
    x, y = (float(number) for number in reply[len("GO_TO(") : -1].split(","))
    assert (x, y) != (33.33, 71.70)
    assert (x / 100, y / 100) == pytest.approx(bench.robot.pose[:2], abs=5e-4)
    assert (x, y) == pytest.approx((33.33, 71.70), abs=0.2)


@pytest.mark.parametrize("dt", [0.001, 0.005, 0.02, 0.05])
def test_final_approach_is_accurate_at_any_tick_length(dt: float) -> None:
    bench = Bench(dt)
    bench.agree()
    bench.send(write_checked(1, "P4.00;3.50"))
    for number, target in enumerate(("39.00;95.00", "26.00;91.00", "33.00;92.00"), 2):
        bench.send(write_checked(number, f"G{target}"))
        x, y = (float(part) / 100 for part in target.split(";"))
        assert math.dist(bench.robot.pose[:2], (x, y)) < 0.003


def test_wheels_stop_when_commands_cease() -> None:
    bench = Bench()
    bench.agree()
    bench.tick(write_checked(1, "w300;300"))
    for _ in range(30):
        bench.tick()
    assert bench.robot.speeds == (300, 300)
    bench.tick(write_checked(2, "q"))  # someone is there
    for _ in range(40):
        bench.tick()
    assert bench.robot.speeds == (300, 300)
    for _ in range(20):
        bench.tick()
    assert bench.robot.speeds == (0, 0)
    assert bench.firmware.pose.x == pytest.approx(bench.robot.pose.x - 0.04, abs=1e-3)


def test_new_session_stops_the_orders_of_the_last_one() -> None:
    bench = Bench()
    bench.agree(5)
    bench.tick(write_checked(1, "G90.00;3.50"))
    bench.tick()
    bench.agree(6)
    assert bench.robot.speeds == (0, 0)
    assert read_all(bench.send(write_checked(1, "S"))) == [(1, "SEND_STOP()")]


def test_unknown_session_is_reported() -> None:
    bench = Bench()
    bench.agree()
    bench.firmware.restart()
    assert read_all(bench.send(write_checked(1, "S"))) == [(0, "NO_SESSION()")]


def test_robot_returns_to_legacy_mode_for_a_legacy_host() -> None:
    bench = Bench()
    bench.agree()
    assert read_all(bench.send(write_frame("i"))) == [(0, "REPEAT()")]  # not while the other host is there
    for _ in range(600):
        bench.tick()
    assert bench.order("i") == "CONNECTION_ESTABLISHED()"
    assert bench.order("P1;2") == "SEND_POSITION(1.000000,2.000000)"


def test_detections_are_kept_and_reported_with_the_readings_that_caused_them() -> None:
    bench = Bench()
    bench.agree()
    bench.tick(write_checked(1, "N500"))
    bench.tick(write_checked(2, "O60.;3.5"))
    for _ in range(100):
        bench.tick()
    there = bench.firmware.pose
    bench.robot.proximity = (400, 300, 0, 0, 0, 0, 0, 0)
    bench.tick()
    bench.robot.proximity = (0,) * 8
    sent = [text for _, text in read_all(bench.send(write_checked(3, "e1")) + bench.send(write_checked(4, "e0")))]
    first, now = (next(text for text in sent if text.startswith(f"DETECTION({number};")) for number in (1, 0))
    assert first.endswith(";400,300,0,0,0,0,0,0;-1,-1,-1,-1,-1,-1,-1,-1)")  # it has no light sensors
    assert float(first.split(";")[1].split(",")[0]) == pytest.approx(100 * there.x, abs=0.3)
    assert now.endswith(";0,0,0,0,0,0,0,0;-1,-1,-1,-1,-1,-1,-1,-1)")
    assert read_all(bench.send(write_checked(5, "e9")))[-1] == (5, "REFUSED()")


@pytest.mark.parametrize(("sensitivity", "detections"), [("0", 1), ("1500.", 0)])
def test_robot_that_knows_the_influence_of_light_ignores_it(sensitivity: str, detections: int) -> None:
    bench = Bench()
    plain = bench.robot.read
    light = 0.5  # W/m², whose echo of 750 1/m² looks like an object 3.7 cm away
    counts = (round(4095 * (1 - light / 2)),) * 8
    bench.robot.read = lambda device: counts if device == "light" else plain(device)  # type: ignore[method-assign]
    bench.agree()
    bench.tick(write_checked(1, "N300"))
    bench.tick(write_checked(2, f"l{sensitivity}"))
    bench.tick(write_checked(3, "O60.;3.5"))
    for _ in range(100):
        bench.tick()
    bench.robot.proximity = (185, 185, 0, 0, 0, 0, 0, 0)
    bench.tick()
    assert bench.firmware.driver.detections == detections
    bench.robot.proximity = (800, 800, 0, 0, 0, 0, 0, 0)  # a wall in the same light
    bench.tick()
    assert bench.firmware.driver.detections > 0
