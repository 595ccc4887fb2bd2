"""A host that ends a walk stops its robots."""

from __future__ import annotations

from experiments.ecoli.waypoint_robots.lines import Connected


def drive_for(connected: Connected, seconds: float) -> None:
    while connected.bench.time < seconds:
        connected.tick()


def test_robot_in_checked_mode_stops_within_a_tenth_of_a_second() -> None:
    connected = Connected()
    drive_for(connected, 1.0)
    assert connected.bench.robot.speeds != (0, 0)
    connected.session.halt(connected.bench.time)
    drive_for(connected, 1.1)
    assert connected.bench.robot.speeds == (0, 0)
    assert connected.session.over
    assert connected.events[-1].kind == "stopped"
    assert connected.session.result.lost == ""


def test_robot_in_legacy_mode_keeps_driving_and_the_host_reports_it() -> None:
    connected = Connected(robot={"knows_checked": False})
    while not any(event.kind == "set" for event in connected.events):
        connected.tick()
    drive_for(connected, connected.bench.time + 0.5)
    connected.session.halt(connected.bench.time)
    assert connected.session.over
    assert connected.events[-1].kind == "drives on"
    drive_for(connected, connected.bench.time + 0.2)
    assert connected.bench.robot.speeds != (0, 0)


def test_finished_walk_cannot_be_halted() -> None:
    connected = Connected(targets=())
    while not connected.session.over:
        connected.tick()
    connected.session.halt(connected.bench.time)
    assert connected.events[-1].kind == "finished"


def test_abandoned_robot_is_stopped() -> None:
    connected = Connected()
    drive_for(connected, 1.0)
    connected.session.give_up("nobody wants it any more")
    drive_for(connected, 1.1)
    assert connected.bench.robot.speeds == (0, 0)
    assert connected.events[-1].kind == "lost"


def test_abandoned_legacy_robot_receives_the_stop_after_its_order() -> None:
    connected = Connected(robot={"knows_checked": False})
    while not connected.bench.firmware.current_order:
        connected.tick()
    connected.session.give_up("nobody wants it any more")
    drive_for(connected, connected.bench.time + 20.0)
    assert connected.transcript[-1] == ("robot", b"\2SEND_STOP()\3")
