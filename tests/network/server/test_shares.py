"""Division of server time among tokens, with a simulated clock: charging, holding and release."""

from __future__ import annotations

from collections.abc import Callable

import msgpack
import pytest
from websockets.frames import Frame, Opcode

from network.server.parties import Peer, on_loop, served
from paddock.core.user_limits import UserLimits
from paddock.network.server import Server
from paddock.network.server.core.access import Grant, Role
from paddock.network.server.core.fair_shares import OUTSIDE, TURN, WELCOME, Share, ShareLedger


class World:
    """A simulated clock, its scheduled calls, and the shares in the lock."""

    def __init__(self) -> None:
        self.time, self.later = 0.0, list[tuple[float, Callable[[], object]]]()
        self.first: set[Share] = set()
        self.flat_out = False
        self.shares = ShareLedger(self.call_later, lambda: self.first, lambda: self.flat_out, lambda: self.time)

    def call_later(self, seconds: float, function: Callable[[], object]) -> None:
        self.later.append((self.time + seconds, function))

    def token(self, name: str) -> Share:
        share = self.shares.of_grant(Grant(Role.CONTROLLER, frozenset(), name), "10.0.0.1")
        share.balance = TURN  # its welcome is used up
        return share

    def use(self, share: Share, seconds: float) -> bool:
        """Spend time for a share; return whether its turn is over."""
        before = self.shares.switch(share)
        self.time += seconds
        self.shares.switch(before)
        return self.shares.is_over(share)

    def rest(self, seconds: float) -> None:
        """Let time pass and run the scheduled calls."""
        end = self.time + seconds
        while self.later and (soonest := min(self.later, key=lambda entry: entry[0]))[0] <= end:
            self.later.remove(soonest)
            self.time = max(self.time, soonest[0])
            soonest[1]()
        self.time = end


class Reading:
    """A connection that records whether it is held."""

    held = False

    def hold(self, why: str) -> None:
        self.held = True

    def release(self, why: str) -> None:
        self.held = False


def test_time_is_charged_to_current_share_also_when_nested() -> None:
    world = World()
    outer, inner = world.token("outer"), world.token("inner")
    before = world.shares.switch(outer)
    world.time += 0.25
    assert world.shares.switch(inner) is outer
    world.time += 0.5
    world.shares.switch(outer)
    world.time += 0.125
    world.shares.switch(before)
    world.time += 1.0
    assert (outer.used, inner.used) == (0.375, 0.5)


def test_single_share_is_never_held() -> None:
    world = World()
    only = world.token("only")
    assert not any(world.use(only, 10 * TURN) for _ in range(100))


def test_busy_share_is_held_with_all_connections_after_its_turn() -> None:
    world = World()
    busy, other = world.token("busy"), world.token("other")
    connections = [Reading(), Reading()]
    busy.connections = dict.fromkeys(connections)
    world.use(other, 0.001)
    assert not world.use(busy, 0.9 * TURN)
    assert world.use(busy, 0.2 * TURN)
    assert [connection.held for connection in connections] == [True, True]
    world.rest(0.0)  # time is plentiful: just until the others had their turn
    assert not busy.held
    assert [connection.held for connection in connections] == [False, False]


def used_in_a_second(world: World, busy: Share, others: list[Share]) -> float:
    """The time in one second of a share that always wants more, while others use a little."""
    before, end = busy.used, world.time + 1.0
    while world.time < end:
        for other in others:
            world.use(other, 0.0001)
        if not busy.held:
            world.use(busy, TURN)
        world.rest(0.001)
    return busy.used - before


@pytest.mark.parametrize("count", [1, 4, 29])
def test_busy_share_gets_only_its_fair_part_under_load(count: int) -> None:
    world = World()
    busy, others = world.token("busy"), [world.token(f"student {i}") for i in range(count)]
    world.shares.load = 1.0
    used_in_a_second(world, busy, others)
    world.shares.load = 1.0
    used = used_in_a_second(world, busy, others)
    assert used == pytest.approx(1 / (count + 2), abs=3 * TURN)


def test_shares_in_lock_are_never_held_and_others_get_small_part() -> None:
    world = World()
    world.flat_out = True
    busy, quick = world.token("busy"), world.token("quick")
    world.first = {quick}
    used_in_a_second(world, busy, [])
    assert used_in_a_second(world, busy, []) == pytest.approx(OUTSIDE, abs=2 * TURN)
    assert not any(world.use(quick, 10 * TURN) for _ in range(10))


def test_debt_is_paid_back_before_release() -> None:
    world = World()
    busy, other = world.token("busy"), world.token("other")
    world.shares.load = 1.0
    world.use(other, 0.001)
    assert world.use(busy, 0.1)  # one long piece of work
    world.rest(0.1)
    assert busy.held
    world.rest(0.3)  # a third of the time is earned
    assert not busy.held


def test_named_token_has_one_share_and_shared_token_one_per_address() -> None:
    shares = World().shares
    ada, viewer = Grant(Role.CONTROLLER, frozenset({"red"}), "Ada"), Grant(Role.VIEWER)
    assert shares.of_grant(ada, "10.0.0.1") is shares.of_grant(ada, "10.0.0.2")
    assert shares.of_grant(viewer, "10.0.0.1") is not shares.of_grant(viewer, "10.0.0.2")
    assert shares.of_address("10.0.0.1") is not shares.of_grant(viewer, "10.0.0.1")


def test_unused_shares_of_addresses_are_removed_but_not_of_tokens() -> None:
    world = World()
    world.shares.of_address("10.0.0.1")
    ada = world.token("Ada")
    world.rest(10.0)
    world.shares.forget_unused()
    assert list(world.shares) == [ada]


# ---- on a real server


def student(server: Server, name: str, robot: str) -> str:
    return server.tokens.add(Grant(Role.CONTROLLER, frozenset({robot}), name))


def find_share(server: Server, name: str) -> Share:
    found: Share = on_loop(server, lambda: next(share for share in server.session.shares if share.name == name))
    return found


def test_streams_are_charged_to_their_own_token() -> None:
    with (
        served("line-crossing") as server,
        Peer(server, token=student(server, "Ada", "red")) as ada,
        Peer(server, name="lecturer") as lecturer,
    ):
        ada.ask("subscribe", robot="red", devices=["camera"])
        lecturer.ask("lock")
        share = find_share(server, "Ada")
        before = share.used
        lecturer.ask("step", ticks=20)
        assert share.used > before
        assert ada.all_news("sensed")


def hold(server: Server, name: str) -> Share:
    """Give a share a debt of one hour, so that its next message holds it."""
    share = find_share(server, name)
    on_loop(server, lambda: setattr(share, "balance", -3600.0))
    return share


def test_held_share_is_not_read_and_its_streams_skip_ticks() -> None:
    with served("line-crossing") as server:
        token = student(server, "Ada", "red")
        with Peer(server, token=token) as ada, Peer(server, token=token) as second, Peer(server) as lecturer:
            ada.ask("subscribe", robot="red", devices=["ground"])
            lecturer.ask("lock")
            share = hold(server, "Ada")
            ada.ask("sense", robot="red")  # is still answered
            until_held = on_loop(server, lambda: share.held)
            assert until_held
            ada.tell("sense", robot="red")
            asked = second.tell("sense", robot="red")
            assert lecturer.ask("step", ticks=50)["tick"] == 50
            on_loop(server, lambda: setattr(share, "balance", 1.0))
            on_loop(server, lambda: server.session.shares._release(share))
            assert second.answer(asked)["tick"] == 50
            ticks = [news["tick"] for news in ada.all_news("sensed")]
            assert ticks == [0]


def test_clients_in_lock_are_answered_while_their_token_is_held() -> None:
    with served("line-crossing") as server:
        token = student(server, "Ada", "red")
        with Peer(server, token=token) as locked, Peer(server, token=token) as page, Peer(server) as lecturer:
            locked.ask("lock")
            lecturer.ask("lock")  # who is alone is never held
            share = hold(server, "Ada")
            page.ask("sense", robot="red")
            assert on_loop(server, lambda: share.held)
            page.tell("sense", robot="red")
            for tick in (5, 10, 15):
                other = lecturer.tell("step", ticks=5)
                assert locked.ask("step", ticks=5)["tick"] == tick
                lecturer.answer(other)


def test_burst_of_requests_is_answered_in_turns_and_in_order() -> None:
    with (
        served("line-crossing") as server,
        Peer(server, token=student(server, "Ada", "red")) as ada,
        Peer(server) as lecturer,
    ):
        message = [msgpack.packb({"type": "sense", "id": i, "robot": "red"}) for i in range(1000)]
        ada.send_bytes(b"".join(Frame(Opcode.BINARY, data, True).serialize(mask=True) for data in message))
        assert lecturer.ask("sense", robot="red")["type"] == "observed"
        assert [ada.answer(i)["id"] for i in range(1000)] == list(range(1000))


def test_unreadable_messages_are_charged_to_share_of_address() -> None:
    with served() as server, Peer(server, hello=False) as stranger:
        strangers = find_share(server, "unauthenticated clients at 127.0.0.1")
        before = strangers.used
        stranger.send_frame(b"\xc1" * 1000)
        stranger.until_closed()
        assert strangers.used > before


def test_new_client_has_initial_balance() -> None:
    with served(limits=UserLimits()) as server, Peer(server, token=student(server, "Ada", "red")) as ada:
        ada.ask("get_scene")
        assert 0 < find_share(server, "Ada").balance < WELCOME


def test_other_requests_of_lock_members_are_charged_and_wait() -> None:
    with (
        served("line-crossing") as server,
        Peer(server, token=student(server, "Ada", "red")) as ada,
        Peer(server) as lecturer,
    ):
        ada.ask("lock")
        lecturer.ask("lock")
        share = hold(server, "Ada")
        before = share.used
        ada.ask("sense", robot="red")
        assert on_loop(server, lambda: (share.used, share.held)) == (before, False)  # it is a part of the cycle
        ada.ask("get_scene")  # is still answered
        assert on_loop(server, lambda: share.used > before and share.held)
        scene, steps = ada.tell("get_scene"), []
        for _ in range(3):
            other = lecturer.tell("step")
            steps.append(ada.ask("step")["tick"])
            lecturer.answer(other)
        assert steps == [1, 2, 3]
        assert not [news for news in ada.news if news.get("id") == scene]
        on_loop(server, lambda: setattr(share, "balance", 1.0))
        on_loop(server, lambda: server.session.shares._release(share))
        assert ada.answer(scene)["type"] == "scene"


def test_client_that_floods_from_lock_is_released() -> None:
    with (
        served("line-crossing") as server,
        Peer(server, token=student(server, "Ada", "red")) as ada,
        Peer(server) as lecturer,
    ):
        ada.ask("lock")
        lecturer.ask("lock")
        hold(server, "Ada")
        asked = [ada.tell("get_scene") for _ in range(100)]
        assert "its other requests" in lecturer.wait("released")["reason"]
        assert lecturer.ask("step", ticks=50)["tick"] == 50
        share = find_share(server, "Ada")
        on_loop(server, lambda: setattr(share, "balance", 3600.0))
        on_loop(server, lambda: server.session.shares._release(share))
        assert [ada.answer(id)["type"] for id in asked] == ["scene"] * 100  # in the end, nothing is lost


def test_client_with_many_requests_per_tick_is_released_unless_alone() -> None:
    with (
        served("line-crossing") as server,
        Peer(server, token=student(server, "Ada", "red")) as ada,
        Peer(server) as lecturer,
    ):
        ada.ask("lock")

        def ask_for_much() -> None:
            for asked in [ada.tell("get_scene") for _ in range(10)]:
                ada.answer(asked)
            ada.ask("step")

        for _ in range(30):
            ask_for_much()
        assert not ada.all_news("released")
        lecturer.ask("lock")
        lecturer.tell("step", ticks=1_000_000)
        ask_for_much()
        assert "its other requests" in lecturer.wait("released")["reason"]
