"""The host's session with a robot over faulty lines, without clock or device."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.ecoli.waypoint_robots.lines import SQUARE, START, Bench, Connected
from paddock import PaddockError
from paddock.experiments.ecoli.waypoint_robots import HostTiming, LineQuality, RobotPlan, RobotSession
from paddock.experiments.ecoli.waypoint_robots.conversation import ConversationRunner
from paddock.experiments.ecoli.waypoint_robots.frames import write_frame
from paddock.experiments.ecoli.waypoint_robots.host_end import HostEnd, RobotLost
from paddock.experiments.ecoli.waypoint_robots.texts import Order, write_reply

POOR = LineQuality(loss=0.02, jitter=0.02)


@pytest.mark.parametrize("knows", [True, False], ids=["checked", "legacy"])
def test_walk_over_a_good_line_needs_no_resends(knows: bool) -> None:
    line = Connected(robot={"knows_checked": knows}).run()
    assert line.kinds() == ["connected", "set", "set", "set", *["done"] * 4, "finished"]
    assert line.session.result.mode == ("checked" if knows else "legacy")
    assert line.session.statistics.resends == 0
    for reached, target in zip(line.session.result.reached, SQUARE, strict=True):
        assert reached == pytest.approx(target, abs=2e-3)
    assert line.session.result.moving_time == pytest.approx(line.bench.firmware.motion.moving_time)


def test_robot_without_a_greeting_is_queried_after_a_second() -> None:
    line = Connected()
    line.up.receive(math.inf)  # the greeting is gone
    line.run(until=lambda: line.transcript)
    assert 1.0 <= line.bench.time < 1.05
    assert line.run().session.result.done == 4


def test_host_can_prefer_legacy_mode() -> None:
    line = Connected(checked=False).run()
    assert line.session.result.mode == "legacy"
    assert line.session.result.done == 4
    assert not any(data.startswith(b"\2@") for _, data in line.transcript)


@settings(deadline=None, max_examples=25)
@given(
    loss=st.floats(0, 0.02),  # of each byte
    flips=st.floats(0, 0.01),
    duplicates=st.floats(0, 0.01),
    jitter=st.floats(0, 0.3),
    cut=st.floats(0, 10),
    seed=st.integers(0, 2**32),
)
def test_checked_mode_executes_every_order_once_despite_line_faults(
    loss: float, flips: float, duplicates: float, jitter: float, cut: float, seed: int
) -> None:
    quality = LineQuality(loss=loss, flips=flips, duplicates=duplicates, jitter=jitter, cuts=((cut, cut + 5),))
    line = Connected(quality, seed=seed, targets=SQUARE[:2]).run()
    assert line.session.result.done == 2
    assert line.session.result.mode == "checked"
    # P, A, N, two drives, T, and U four times: at the start, after each drive, and at the end: each once
    assert line.bench.firmware.orders_carried_out == 10
    assert line.bench.robot.pose[:2] == pytest.approx(SQUARE[1], abs=3e-3)


def test_session_is_bit_identical_for_the_same_seed() -> None:
    transcripts = [Connected(POOR, seed=seed).run().transcript for seed in (1, 1, 2)]
    assert transcripts[0] == transcripts[1] != transcripts[2]


def test_legacy_mode_detects_wrong_echoes_and_drives_again() -> None:
    wrong = 0
    for seed in range(10):
        line = Connected(POOR, seed=seed, robot={"knows_checked": False}).run(3000)
        assert (line.session.result.mode, line.session.result.done) == ("legacy", 4)
        for reached, target in zip(line.session.result.reached, SQUARE, strict=True):
            assert reached == pytest.approx(target, abs=1e-6)
        wrong += line.session.statistics.wrong_echoes
    assert wrong > 0


def test_legacy_host_waits_forever_after_a_lost_byte() -> None:
    line = Connected(patient=True, robot={"knows_checked": False})
    line.run(until=lambda: line.session.result.done == 1)
    line.down.quality = LineQuality(loss=1.0)
    line.tick()
    line.run(until=lambda: line.bench.time > 20)
    line.down.quality = LineQuality()
    line.run(200)
    assert not line.session.over
    assert line.session.deadline == math.inf
    assert line.bench.firmware.idle
    assert line.session.result.done < 4


@pytest.mark.parametrize("knows", [True, False], ids=["checked", "legacy"])
def test_silent_robot_is_reported_lost(knows: bool) -> None:
    line = Connected(robot={"knows_checked": knows})
    line.run(until=lambda: "done" in line.kinds())
    line.robot_works = False
    line.run()
    assert line.session.over
    assert line.kinds()[-1] == "lost"
    assert "silent" in line.session.result.lost
    assert line.session.statistics.reopenings > 0


def test_robot_that_only_receives_is_stopped_before_it_is_given_up() -> None:
    line = Connected(targets=((2.0, 0.035),), timing=HostTiming(silence=1.0))
    line.run(until=lambda: line.bench.firmware.current_order)
    line.robot_works = False
    line.run(5000, until=lambda: line.session.over)
    assert line.kinds()[-1] == "lost"
    assert line.transcript[-1][0] == "host"
    assert b":S*" in line.transcript[-1][1]
    assert line.bench.robot.speeds == (0, 0)


def test_restarted_robot_is_lost_because_its_pose_is_unknown() -> None:
    line = Connected()
    line.run(until=lambda: "done" in line.kinds())
    line.bench.firmware.restart()
    line.run()
    assert "its pose is unknown" in line.session.result.lost


def test_unreachable_target_fails_and_the_walk_continues() -> None:
    line = Connected(robot={"tries": 1})
    object.__setattr__(line.plan, "threshold", 500)
    driving = 0
    while not line.session.over and line.bench.time < 600:
        driving += line.bench.robot.speeds[0] > 0 and line.bench.robot.speeds[1] > 0
        seen = line.session.result.done == 1 and line.session.result.failed == 0
        line.bench.robot.proximity = (900 if seen else 0,) * 8
        line.tick()
    assert (line.session.result.done, line.session.result.failed) == (3, 1)
    assert line.session.result.reached[1] is None
    assert line.kinds().count("failed") == 1


def test_timeout_is_longer_than_a_long_leg() -> None:
    line = Connected(targets=((8.0, 0.035),), robot={"knows_checked": False}).run()
    assert line.session.result.done == 1
    assert line.session.result.moving_time == pytest.approx(7.96 / 0.10304, rel=0.01)
    assert line.session.statistics.resends == 0


def test_relative_order_is_not_sent_twice_to_a_legacy_robot() -> None:
    bench, end = Bench(knows_checked=False), HostEnd(checked=False)
    end.mode = "legacy"
    runner = ConversationRunner(end, end.ask(Order("b", (1.0,)), 1.0), 0.0)
    assert runner.take_output() == write_frame("b1.")
    bench.send(write_frame("b1."))  # its answer is lost
    with pytest.raises(RobotLost, match=r"not known whether b1\. was carried out"):
        runner.wake(runner.deadline)
    assert runner.take_output() == b""


def test_relative_order_answered_as_unknown_is_sent_again() -> None:
    end = HostEnd(checked=False)
    end.mode = "legacy"
    runner = ConversationRunner(end, end.ask(Order("b", (1.0,)), 1.0), 0.0)
    runner.take_output()
    runner.receive(write_frame("UNKNOWN ORDER, length string is: 16"), 0.05)  # a late greeting
    assert runner.take_output() == b""
    runner.receive(write_frame("UNKNOWN ORDER, length string is: 3"), 0.1)
    assert runner.take_output() == write_frame("b1.")


def test_robot_with_inconsistent_answers_is_lost() -> None:
    end = HostEnd(checked=False)
    end.mode = "legacy"
    runner = ConversationRunner(end, end.ask(Order("T")), 0.0)

    def answer_anew() -> None:
        for i in range(100):
            runner.receive(write_frame(write_reply("T", float(i))), 0.01 * i)

    with pytest.raises(RobotLost, match="no two equal answers to T in 12 attempts"):
        answer_anew()


def test_host_waits_for_late_answers_before_a_relative_legacy_order() -> None:
    end = HostEnd()
    runner = ConversationRunner(end, end.connect(), 0.0)
    runner.wake(1.0)
    length = len(runner.take_output()) - 2
    unknown = write_frame(f"UNKNOWN ORDER, length string is: {length}")
    runner.wake(1.5)  # the answers come 0.6 s late
    runner.receive(unknown, 1.6)
    runner.receive(unknown, 2.1)
    assert end.mode == "legacy"
    runner.take_output()
    runner = ConversationRunner(end, end.ask(Order("b", (1.0,)), 1.0), 2.1)
    runner.receive(unknown, 2.2)
    assert runner.take_output() == b""
    runner.wake(runner.deadline)
    assert runner.take_output() == write_frame("b1.")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: RobotPlan(name="r", start=START, threshold=math.nan), "plan of r: expected finite numbers"),
        (lambda: RobotPlan(name="r", start=START, threshold=1, targets=[(1e300, 0)]), "expected metres up to 1000"),
        (lambda: RobotPlan(name="r", start=START, threshold=1, attempts=0), "attempts: expected 1 or more"),
        (lambda: HostTiming(silence=0), "HostTiming: silence: expected seconds > 0"),
        (lambda: LineQuality(loss=2), "LineQuality: loss: expected a share"),
        (lambda: LineQuality(jitter=-1), "LineQuality: jitter: expected seconds >= 0"),
    ],
)
def test_invalid_plans_and_settings_are_refused(wrong: object, message: str) -> None:
    with pytest.raises(PaddockError, match=message):
        wrong()  # type: ignore[operator]


def test_echoing_device_is_not_accepted_as_a_robot() -> None:
    session, now = RobotSession(RobotPlan(name="r", start=START, threshold=1)), 0.0
    while not session.over:
        now += 0.01
        session.wake(now)
        session.receive(session.take_output() or write_frame("hello"), now)
    assert session.result.lost == "it answers, but not as a robot that takes orders"


def test_robot_that_never_answers_correctly_is_lost() -> None:
    line = Connected(targets=SQUARE[:1])
    line.run(until=lambda: "connected" in line.kinds())
    now = line.bench.time
    while not line.session.over:
        now += 0.1
        line.session.wake(now)
        line.session.receive(write_frame("noise"), now)
        line.session.take_output()
    assert "no right answer to P4.;3.5 in 30 s" in line.session.result.lost


@pytest.mark.parametrize("knows", [True, False], ids=["checked", "legacy"])
def test_displaced_robot_is_reported_before_its_second_walk(knows: bool) -> None:
    line = Connected(robot={"knows_checked": knows})
    object.__setattr__(line.plan, "asks_where", True)
    assert "elsewhere" not in line.run().kinds()  # it was just switched on
    line.session = RobotSession(line.plan, line.bench.time, session=2, on_event=line.events.append)
    line.run(2000)
    (told,) = [event for event in line.events if event.kind == "elsewhere"]
    assert told.text == "10.0; 10.0"


def test_session_accepts_arbitrary_bytes_at_any_time() -> None:
    session = RobotSession(RobotPlan(name="r", start=START, threshold=1))
    session.receive(bytes(range(256)) * 20, 0.5)
    session.receive(b"\2\3" * 100, 0.6)
    assert not session.over
