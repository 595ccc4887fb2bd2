"""Sensors over the network: streams with their own period, polling, panning, raw values, pictures."""

from __future__ import annotations

import base64
import io
import math
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image

import paddock
from network.server.parties import Peer, on_loop, served
from paddock.core.errors import DeviceNotEnabled, DeviceRefused, UnknownName
from paddock.network.server import Server


@pytest.fixture
def server() -> Iterator[Server]:
    with served("clutter", seed=2) as one:
        yield one


@pytest.fixture
def peer(server: Server) -> Iterator[Peer]:
    with Peer(server) as one:
        one.ask("lock")
        yield one


def ticks(peer: Peer, stream: str = "") -> list[int]:
    return [news["tick"] for news in peer.all_news("sensed") if news.get("stream", "") == stream]


@pytest.mark.parametrize(
    ("period", "every"), [(0, 1), (0.02, 1), (0.03, 2), (0.1, 5), (0.5, 25), (0.064, 3), (1e-9, 1), (3600, 180_000)]
)
def test_stream_is_sent_at_exactly_its_own_ticks(peer: Peer, period: float, every: int) -> None:
    peer.ask("step", ticks=7)
    peer.ask("subscribe", robot="red", devices=["proximity"], period=period)
    peer.ask("step", ticks=60)
    assert ticks(peer) == list(range(7, 68, every))


def test_streams_of_one_robot_keep_their_own_periods(peer: Peer) -> None:
    peer.ask("subscribe", robot="red", devices=["proximity"], period=0.1, stream="often")
    peer.ask("subscribe", robot="red", devices=["camera"], period=0.4, stream="pictures")
    for _ in range(8):
        peer.ask("step", ticks=5)
    news = peer.all_news("sensed")
    often = [one for one in news if one["stream"] == "often"]
    pictures = [one for one in news if one["stream"] == "pictures"]
    assert [one["tick"] for one in often] == list(range(0, 41, 5))
    assert [one["tick"] for one in pictures] == [0, 20, 40]
    assert all(set(one["seen"]["readings"]) == {"proximity"} for one in often)
    assert all("readings" not in one["seen"] for one in pictures)


def test_new_subscription_replaces_stream_and_unsubscribe_ends_it(peer: Peer) -> None:
    peer.ask("subscribe", robot="red", devices=["ground"], period=0.02)
    peer.ask("subscribe", robot="red", devices=["ground"], period=0.2)
    peer.all_news("sensed")
    peer.ask("step", ticks=20)
    assert ticks(peer) == [10, 20]
    assert peer.ask("unsubscribe", robot="red")["type"] == "done"
    peer.ask("step", ticks=20)
    assert ticks(peer) == []


def test_stream_continues_after_reset(peer: Peer) -> None:
    peer.ask("subscribe", robot="red", devices=["ground"], period=0.1)
    peer.ask("step", ticks=12)
    assert ticks(peer) == [0, 5, 10]
    peer.ask("reset")
    peer.ask("step", ticks=12)
    after = ticks(peer)
    assert after == sorted(after)
    assert after[-1] - after[-2] == 5


def test_streamed_observed_and_polled_readings_are_equal(peer: Peer) -> None:
    peer.ask("subscribe", robot="red", devices=["proximity", "ground"], period=0.02)
    peer.ask("enable", robot="red", devices=["proximity"])
    for _ in range(5):
        observed = peer.ask("step", commands={"red": {"wheels": [0.1, 0.05]}})
        polled = peer.ask("read", robot="red", device="proximity")
        sensed = peer.all_news("sensed")[-1]
        assert sensed["tick"] == observed["tick"] == polled["tick"]
        assert (
            sensed["seen"]["readings"]["proximity"]
            == observed["robots"]["red"]["readings"]["proximity"]
            == polled["values"]
        )


def test_streams_per_client_are_limited(peer: Peer) -> None:
    for i in range(256):
        assert peer.ask("subscribe", robot="red", devices=["ground"], stream=str(i))["type"] == "done"
    assert "256 subscriptions already" in peer.ask("subscribe", robot="red", stream="more")["message"]
    assert peer.ask("subscribe", robot="red", devices=["ground"], stream="7", period=1)["type"] == "done"


@pytest.mark.parametrize("request_", ["subscribe", "enable"])
def test_unknown_devices_are_refused_with_suggestion(peer: Peer, request_: str) -> None:
    refused = peer.ask(request_, robot="red", devices=["ground", "grond"])
    assert refused["message"] == "no device of red called 'grond' (did you mean 'ground'?)"
    peer.ask("step", ticks=5)
    assert ticks(peer) == []


def test_disabled_device_is_not_read(peer: Peer) -> None:
    assert peer.ask("read", robot="red", device="ground")["error"] == "DeviceNotEnabled"
    assert "readings" not in peer.ask("sense", robot="red")["robots"]["red"]


def test_enabled_devices_are_per_client(server: Server, peer: Peer) -> None:
    with Peer(server) as other:
        peer.ask("enable", robot="red", devices=["ground"])
        other.ask("enable", robot="red", devices=["proximity"])
        assert set(peer.ask("sense", robot="red")["robots"]["red"]["readings"]) == {"ground"}
        assert set(other.ask("sense", robot="red")["robots"]["red"]["readings"]) == {"proximity"}
        other.ask("enable", robot="red", devices=["proximity"], on=False)
        assert other.ask("read", robot="red", device="proximity")["error"] == "DeviceNotEnabled"


# ---- polling and panning


def test_poll_only_range_sensor_is_read_but_not_observed(server: Server) -> None:
    with paddock.connect(server.url()) as arena:
        red = arena["red"]
        red.enable("proximity", "ground")
        assert set(red.sense()) == {"proximity", "ground"}
        red.proximity.poll_only()
        arena.step()
        assert set(red.sense()) == {"ground"}
        assert red.proximity.read().shape == (8,)
        red.proximity.poll_only(False)
        arena.step()
        assert set(red.sense()) == {"proximity", "ground"}


def test_poll_only_is_per_client(server: Server, peer: Peer) -> None:
    with Peer(server) as other:
        for one in (peer, other):
            one.ask("enable", robot="red", devices=["proximity"])
        peer.ask("poll_only", robot="red", device="proximity")
        assert "readings" not in peer.ask("step")["robots"]["red"]
        assert "proximity" in other.ask("sense", robot="red")["robots"]["red"]["readings"]


@pytest.mark.parametrize("device", ["ground", "encoders", "accelerometer", "microphones"])
def test_poll_only_is_refused_for_other_than_range_sensors(peer: Peer, server: Server, device: str) -> None:
    refused = peer.ask("poll_only", robot="red", device=device)
    assert refused["error"] == "DeviceRefused"
    assert refused["message"].startswith(f"red.{device} cannot be polled only: it is not a range sensor but a")
    with paddock.connect(server.url(), lock_step=False) as arena, pytest.raises(DeviceRefused, match=device):
        arena["red"].device(device).poll_only()


def test_polled_sensor_is_streamed_when_named(peer: Peer) -> None:
    peer.ask("spawn", robot="scout", kind="scout")
    peer.ask("enable", robot="scout")
    assert "turret" not in peer.ask("sense", robot="scout")["robots"]["scout"]["readings"]
    peer.ask("subscribe", robot="scout", devices=["turret"])
    assert "turret" in peer.all_news("sensed")[0]["seen"]["readings"]


def test_pivoting_sensor_turns_gradually_and_reports_its_angle(server: Server) -> None:
    with paddock.connect(server.url()) as arena:
        scout = arena.spawn("scout", "scout")
        scout.enable()
        scout.turret.pan(1.0)
        arena.step()
        early = scout.turret.pan_angle
        arena.step(100)
        assert 0 < early < scout.turret.pan_angle == pytest.approx(1.0)


def test_invalid_pans_are_refused(peer: Peer) -> None:
    peer.ask("spawn", robot="scout", kind="scout")
    for robot, pans, told in (
        ("red", {"proximity": 0.1}, "red.proximity cannot pivot: its spec has no 'pivot'"),
        ("scout", {"turret": 3.0}, "scout.turret pivots between -2.356 and 2.356 rad, not to 3.0"),
        ("scout", {"turet": 0.0}, "no device of scout called 'turet' (did you mean 'turret'?)"),
    ):
        refused = peer.ask("step", commands={robot: {"pans": pans}})
        assert refused["message"] == told
    assert peer.ask("step")["robots"]["scout"]["pans"] == {"turret": 0.0}


# ---- what devices tell


def test_raw_readings_equal_hardware_values(server: Server, peer: Peer) -> None:
    peer.ask("enable", robot="red")
    values = np.frombuffer(peer.ask("read", robot="red", device="proximity", raw=True)["values"])
    here = on_loop(server, lambda: server.arena.robots.new_handle("red"))
    here.enable()
    assert values.tolist() == here.proximity.raw().tolist()
    assert (values == values.round()).all()
    with paddock.connect(server.url(), lock_step=False) as arena:
        arena["red"].enable()
        assert arena["red"].proximity.raw().tolist() == values.tolist()


def test_raw_is_refused_for_device_without_raw_values(peer: Peer) -> None:
    peer.ask("enable", robot="red", devices=["position"])
    refused = peer.ask("read", robot="red", device="position", raw=True)
    assert refused["message"] == "red.position has no raw values: use read()"


def test_pictures_are_identical_polled_observed_and_local(server: Server, peer: Peer) -> None:
    peer.ask("enable", robot="red", devices=["camera"])
    polled = peer.ask("read", robot="red", device="camera")["picture"]
    observed = peer.ask("sense", robot="red")["robots"]["red"]["pictures"]["camera"]
    assert polled == observed
    here = on_loop(server, lambda: server.arena.robots.new_handle("red"))
    here.enable("camera")
    pixels = np.frombuffer(polled["data"], np.uint8).reshape(polled["height"], polled["width"], 3)
    assert (pixels == here.camera.read()).all()


def test_pictures_are_sent_as_jpeg_on_request(peer: Peer) -> None:
    peer.ask("subscribe", robot="red", devices=["camera"], jpeg=True)
    picture = peer.wait("sensed")["seen"]["pictures"]["camera"]
    assert picture["jpeg"]
    image = Image.open(io.BytesIO(picture["data"]))
    assert (image.format, image.size) == ("JPEG", (picture["width"], picture["height"]))


def test_depth_is_identical_to_local_depth(server: Server) -> None:
    with paddock.connect(server.url()) as arena:
        arena["red"].enable("camera")
        depth = arena["red"].camera.depth()
    here = on_loop(server, lambda: server.arena.robots.new_handle("red"))
    here.enable("camera")
    assert (depth == here.camera.depth()).all()
    assert np.isfinite(depth).any()


def test_json_and_msgpack_carry_equal_values(server: Server, peer: Peer) -> None:
    with Peer(server, encoding="json") as plain:
        for one in (plain, peer):
            one.ask("enable", robot="red")
        ours = peer.ask("sense", robot="red")["robots"]["red"]
        theirs = plain.ask("sense", robot="red")["robots"]["red"]
        for name, values in ours["readings"].items():
            numbers = struct.unpack(f"<{len(values) // 8}d", values)
            assert [None if not math.isfinite(n) else n for n in numbers] == theirs["readings"][name]
        assert base64.b64decode(theirs["pictures"]["camera"]["data"]) == ours["pictures"]["camera"]["data"]
        depth = plain.ask("read", robot="red", device="camera", raw=True)["values"]
        assert None in depth  # sky has no depth
        assert ours["truth"] == theirs["truth"]


def test_client_may_change_encoding_with_every_message(peer: Peer) -> None:
    peer.encoding = "json"
    assert isinstance(peer.ask("get_scene")["floor"], str)
    peer.encoding = "msgpack"
    assert isinstance(peer.ask("get_scene")["floor"], bytes)


def test_failing_observer_does_not_affect_other_clients(server: Server) -> None:
    def broken(seen: Any) -> None:
        raise ZeroDivisionError("mine")

    with paddock.connect(server.url()) as arena, Peer(server) as other:
        red = arena["red"]
        red.enable("proximity")
        red.on_sense(broken)
        with pytest.raises(ZeroDivisionError, match="mine"):
            arena.run(1000.0, lambda seen: (0.05, 0.1))
        assert other.ask("sense", robot="red")["type"] == "observed"


def test_device_errors_are_identical_to_local_errors(server: Server) -> None:
    with paddock.connect(server.url()) as arena:
        red = arena["red"]
        with pytest.raises(DeviceNotEnabled, match=r"red\.ground is not enabled"):
            red.ground.read()
        with pytest.raises(UnknownName, match="did you mean 'ground'"):
            red.enable("grond")
        with pytest.raises(DeviceRefused, match="cannot pivot"):
            red.proximity.pan(0.1)
