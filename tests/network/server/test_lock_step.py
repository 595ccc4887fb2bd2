"""In lock-step the clock waits for all clients in the lock and for no others."""

from __future__ import annotations

import random
import threading

import pytest

import paddock
from network.server.parties import Peer, ServerProcess, on_loop, program, served
from paddock.testing import wait_for


def locked(server: object, name: str, **lock: float) -> Peer:
    peer = Peer(server, name=name)  # type: ignore[arg-type]
    assert peer.ask("lock", **lock)["type"] == "done"
    return peer


def test_clock_waits_until_all_members_have_requested_step() -> None:
    with served() as server, locked(server, "a") as a, locked(server, "b") as b, Peer(server, name="c") as c:
        first = a.tell("step", ticks=3)
        assert c.wait("clock", lock=["a", "b"])["tick"] == 0
        second = b.tell("step", ticks=3)
        assert a.answer(first)["tick"] == b.answer(second)["tick"] == 3


def test_clock_never_passes_nearest_target() -> None:
    with served() as server, locked(server, "a") as a, locked(server, "b") as b, locked(server, "c") as c:
        far, middle = a.tell("step", ticks=100), b.tell("step", ticks=10)
        assert c.ask("step", ticks=1)["tick"] == 1
        assert c.ask("step", ticks=4)["tick"] == 5
        near = c.tell("step", ticks=50)
        assert b.answer(middle)["tick"] == 10
        b.tell("step", ticks=1000)
        assert c.answer(near)["tick"] == 55
        c.tell("step", ticks=1000)
        assert a.answer(far)["tick"] == 100


@pytest.mark.parametrize("number", [2, 5, 12])
def test_clients_with_any_strides_receive_exactly_their_ticks(number: int) -> None:
    draw = random.Random(number)
    strides = [[draw.randint(1, 9) for _ in range(30)] for _ in range(number)]
    seen: list[list[int]] = [[] for _ in range(number)]
    with served() as server:
        peers = [locked(server, f"p{i}") for i in range(number)]

        def work(i: int) -> None:
            for stride in strides[i]:
                seen[i].append(peers[i].ask("step", ticks=stride)["tick"])
            peers[i].ask("lock", on=False)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for peer in peers:
            peer.close()
    for mine, wanted in zip(seen, strides, strict=True):
        assert mine == [sum(wanted[: i + 1]) for i in range(len(wanted))]


def test_step_of_zero_ticks_is_answered_at_once_and_does_not_advance_clock() -> None:
    with served() as server, locked(server, "a") as a, locked(server, "b") as b:
        waiting = b.tell("step", ticks=5)
        assert [a.ask("step", ticks=0)["tick"] for _ in range(3)] == [0, 0, 0]
        a.tell("step", ticks=5)
        assert b.answer(waiting)["tick"] == 5


def test_second_step_while_first_is_pending_is_refused_without_effect() -> None:
    with served() as server, locked(server, "a") as a, locked(server, "b") as b:
        first = a.tell("step", ticks=5)
        refused = a.ask("step", ticks=1, commands={"red": {"wheels": [0.1, 0.1]}})
        assert (refused["error"], refused["message"]) == ("Refused", "step: your last step is still pending")
        b.ask("step", ticks=5)
        assert a.answer(first)["tick"] == 5
        assert a.ask("sense", robot="red")["robots"]["red"]["wheels"] == [0.0, 0.0]


def test_unresponsive_client_is_released_its_robot_stops_and_all_are_notified() -> None:
    with (
        served("line-crossing") as server,
        locked(server, "diligent") as diligent,
        locked(server, "lazy", timeout=0.2) as lazy,
        Peer(server, name="onlooker") as onlooker,
    ):
        both = {"ticks": 50}
        last = lazy.tell("step", **both, commands={"red": {"wheels": [0.05, 0.05]}})
        diligent.ask("step", **both, commands={"blue": {"wheels": [0.05, 0.05]}})
        lazy.answer(last)
        answer = diligent.ask("step", ticks=50)  # waits for the lazy one, then goes on without
        assert answer["tick"] == 100
        for peer in (diligent, lazy, onlooker):
            told = peer.wait("released")
            assert (told["client"], told["robots"]) == ("lazy", ["red"])
            assert "0.2 s" in told["reason"]
        assert diligent.ask("sense", robot="red")["robots"]["red"]["wheels"] == [0.0, 0.0]
        assert diligent.ask("sense", robot="blue")["robots"]["blue"]["wheels"] != [0.0, 0.0]
        assert onlooker.wait("clock", lock=["diligent"])


def test_released_client_rejoins_with_next_step() -> None:
    with served() as server, locked(server, "a") as a, locked(server, "b", timeout=0.1) as b:
        a.ask("step", ticks=10)
        b.wait("released", client="b")
        mine = b.tell("step", ticks=5)
        a.wait("clock", lock=["a", "b"])
        assert a.ask("step", ticks=3)["tick"] == 13
        a.tell("step", ticks=100)
        assert b.answer(mine)["tick"] == 15


def test_released_client_keeps_its_robot() -> None:
    with served() as server, locked(server, "a") as a, locked(server, "b", timeout=0.1) as b:
        assert b.ask("claim", robot="red")["type"] == "done"
        a.ask("step", ticks=10)
        b.wait("released")
        assert (
            a.ask("claim", robot="red")["message"]
            == "robot 'red' is driven by b: arena.claim('red', force=True) takes it"
        )


def test_client_that_blocks_clock_is_logged_and_its_resume_too(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("paddock.network.server.core.clock.LAG_REPORT_DELAY", 0.05)
    with served() as server, locked(server, "a") as a, locked(server, "b") as b:
        b.ask("claim", robot="red")
        for _ in range(2):
            mine = a.tell("step", ticks=1)
            wait_for(lambda: on_loop(server, lambda: any(member.lags for member in server.session.clock.lock)))
            a.ask("sense", robot="red")  # others may be busy meanwhile
            b.ask("step", ticks=1)
            a.answer(mine)
    told = [record.getMessage() for record in caplog.records if record.name == "paddock.server"]
    assert told == 2 * ["the clock waits for b (driving red): no step for 3 s", "b (driving red) continues"]


def test_released_client_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with served() as server, locked(server, "a") as a, locked(server, "b", timeout=0.1) as b:
        a.ask("step", ticks=10)
        b.wait("released")
    assert "released b from the lock: no answer within 0.1 s" in caplog.text


def test_single_member_of_lock_step_server_is_never_released() -> None:
    with served() as server, locked(server, "thinker", timeout=0.05) as thinker:
        member = on_loop(server, lambda: server.session.clock.lock[0])
        thinker.ask("step")
        assert on_loop(server, lambda: member._timeout_timer) is None  # nobody watches the clock
        assert thinker.ask("step")["tick"] == 2
        assert not thinker.all_news("released")


def test_single_member_on_free_running_server_is_released() -> None:
    with served(lock_step=False, speed=None) as server, locked(server, "holder", timeout=0.1) as holder:
        holder.wait("released", client="holder")
        assert holder.wait("clock", lock=None)["running"]


def test_no_client_is_released_while_clock_is_paused() -> None:
    with served() as server, locked(server, "a") as a, locked(server, "b", timeout=0.05) as b, Peer(server) as person:
        person.ask("pause")
        mine = a.tell("step", ticks=1)
        lock = on_loop(server, lambda: [member._timeout_timer for member in server.session.clock.lock])
        assert lock == [None, None]
        assert person.ask("play")["type"] == "done"
        b.wait("released", client="b")
        assert a.answer(mine)["tick"] == 1


def test_clock_does_not_wait_for_client_that_left_lock_or_disconnected() -> None:
    with served() as server, locked(server, "a") as a, locked(server, "b") as b, locked(server, "c") as c:
        mine = a.tell("step", ticks=5)
        b.ask("lock", on=False)
        c.close()
        assert a.answer(mine)["tick"] == 5
        assert not a.all_news("released")


def test_client_that_left_lock_during_step_is_not_waited_for() -> None:
    with served() as server, locked(server, "a", timeout=0.3) as a, locked(server, "b") as b:
        last = a.tell("step", ticks=5)
        assert a.ask("lock", on=False, timeout=0.3)["type"] == "done"
        assert b.ask("step", ticks=5)["tick"] == 5
        assert a.answer(last)["tick"] == 5
        assert b.ask("step", ticks=5)["tick"] == 10
        assert not b.all_news("released")


def test_late_member_joins_lock_at_current_tick() -> None:
    with served() as server, locked(server, "a") as a:
        a.ask("step", ticks=20)
        with locked(server, "b") as b:
            mine = a.tell("step", ticks=10)
            assert b.ask("step", ticks=4)["tick"] == 24
            b.close()
        assert a.answer(mine)["tick"] == 30


def test_member_that_rejoins_after_reset_starts_at_tick_zero() -> None:
    with served() as server, locked(server, "a") as a, Peer(server) as supervisor:
        a.ask("step", ticks=500)
        a.ask("lock", on=False)
        supervisor.ask("reset")
        a.ask("lock")
        assert a.ask("step", ticks=1)["tick"] == 1


def test_reset_ends_pending_steps() -> None:
    with served() as server, locked(server, "a") as a, locked(server, "b") as b:
        first = a.tell("step", ticks=50)
        b.ask("step", ticks=20)
        b.ask("reset")
        assert a.answer(first)["tick"] == 0
        mine = a.tell("step", ticks=2)
        assert b.ask("step", ticks=2)["tick"] == a.answer(mine)["tick"] == 2


def test_non_member_waits_on_lock_step_server_for_members() -> None:
    with served() as server, locked(server, "a") as a, Peer(server, name="outsider") as outsider:
        mine = outsider.tell("step", ticks=7)
        outsider.wait("clock")
        assert a.ask("step", ticks=10)["tick"] == 10
        assert outsider.answer(mine)["tick"] == 7


HOLDER = """
import sys
import paddock
arena = paddock.connect(sys.argv[1], name="holder", timeout=2.0)
robot = arena.claim("red")
robot.wheels.set(0.05, 0.05)
print("ready", flush=True)
arena.step(10)
sys.stdin.readline()  # it stops answering
"""


def test_hung_process_is_released_and_python_client_continues() -> None:
    with (
        ServerProcess("line-crossing", "--lock-step") as server,
        program(HOLDER, server.url) as holder,
    ):
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == "ready"
        with paddock.connect(server.url, name="other") as other:
            blue = other["blue"]
            blue.wheels.set(0.05, 0.05)
            other.step(200)
            assert other["red"].wheels.speeds == (0.0, 0.0)
            assert blue.wheels.speeds != (0.0, 0.0)
            assert holder.poll() is None
