"""Sensors over the network: streams with their own period, polling, panning, raw numbers, pictures."""

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
from paddock.core.errors import DeviceNotEnabled, DeviceRefused, UnknownName
from paddock.server import Server
from server.parties import Peer, on_loop, served


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
def test_a_stream_comes_at_exactly_its_own_ticks(peer: Peer, period: float, every: int) -> None:
    peer.ask("step", ticks=7)
    peer.ask("subscribe", robot="red", devices=["proximity"], period=period)
    peer.ask("step", ticks=60)
    assert ticks(peer) == list(range(7, 68, every))


def test_several_streams_of_one_robot_keep_their_own_time(peer: Peer) -> None:
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


def test_a_stream_subscribed_again_is_replaced_and_one_unsubscribed_ends(peer: Peer) -> None:
    peer.ask("subscribe", robot="red", devices=["ground"], period=0.02)
    peer.ask("subscribe", robot="red", devices=["ground"], period=0.2)
    peer.all_news("sensed")
    peer.ask("step", ticks=20)
    assert ticks(peer) == [10, 20]
    assert peer.ask("unsubscribe", robot="red")["type"] == "done"
    peer.ask("step", ticks=20)
    assert ticks(peer) == []


def test_a_stream_goes_on_after_time_was_set_back(peer: Peer) -> None:
    peer.ask("subscribe", robot="red", devices=["ground"], period=0.1)
    peer.ask("step", ticks=12)
    assert ticks(peer) == [0, 5, 10]
    peer.ask("reset")
    peer.ask("step", ticks=12)
    after = ticks(peer)
    assert after == sorted(after)
    assert after[-1] - after[-2] == 5


def test_what_a_stream_tells_is_what_a_poll_tells(peer: Peer) -> None:
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


def test_a_client_has_a_limited_number_of_streams(peer: Peer) -> None:
    for i in range(256):
        assert peer.ask("subscribe", robot="red", devices=["ground"], stream=str(i))["type"] == "done"
    assert "256 subscriptions already" in peer.ask("subscribe", robot="red", stream="more")["message"]
    assert peer.ask("subscribe", robot="red", devices=["ground"], stream="7", period=1)["type"] == "done"


@pytest.mark.parametrize("request_", ["subscribe", "enable"])
def test_devices_that_are_not_there_are_refused_by_name(peer: Peer, request_: str) -> None:
    refused = peer.ask(request_, robot="red", devices=["ground", "grond"])
    assert refused["message"] == "no device of red called 'grond' (did you mean 'ground'?)"
    peer.ask("step", ticks=5)
    assert ticks(peer) == []


def test_a_device_that_is_off_is_not_read(peer: Peer) -> None:
    assert peer.ask("read", robot="red", device="ground")["error"] == "DeviceNotEnabled"
    assert "readings" not in peer.ask("sense", robot="red")["robots"]["red"]


def test_each_client_has_its_own_choice_of_devices(server: Server, peer: Peer) -> None:
    with Peer(server) as other:
        peer.ask("enable", robot="red", devices=["ground"])
        other.ask("enable", robot="red", devices=["proximity"])
        assert set(peer.ask("sense", robot="red")["robots"]["red"]["readings"]) == {"ground"}
        assert set(other.ask("sense", robot="red")["robots"]["red"]["readings"]) == {"proximity"}
        other.ask("enable", robot="red", devices=["proximity"], on=False)
        assert other.ask("read", robot="red", device="proximity")["error"] == "DeviceNotEnabled"


# ---- polling and panning


def test_a_range_sensor_switched_to_polling_is_not_observed_but_read(server: Server) -> None:
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


def test_what_is_polled_only_for_one_is_observed_by_another(server: Server, peer: Peer) -> None:
    with Peer(server) as other:
        for one in (peer, other):
            one.ask("enable", robot="red", devices=["proximity"])
        peer.ask("poll_only", robot="red", device="proximity")
        assert "readings" not in peer.ask("step")["robots"]["red"]
        assert "proximity" in other.ask("sense", robot="red")["robots"]["red"]["readings"]


@pytest.mark.parametrize("device", ["ground", "encoders", "accelerometer", "microphones"])
def test_polling_only_is_refused_by_name_where_it_makes_no_sense(peer: Peer, server: Server, device: str) -> None:
    refused = peer.ask("poll_only", robot="red", device=device)
    assert refused["error"] == "DeviceRefused"
    assert refused["message"].startswith(f"red.{device} cannot be polled only: it is not a range sensor but a")
    with paddock.connect(server.url(), lock_step=False) as arena, pytest.raises(DeviceRefused, match=device):
        arena["red"].device(device).poll_only()


def test_a_polled_sensor_of_a_spec_comes_in_a_stream_when_named(peer: Peer) -> None:
    peer.ask("spawn", robot="scout", kind="scout")
    peer.ask("enable", robot="scout")
    assert "turret" not in peer.ask("sense", robot="scout")["robots"]["scout"]["readings"]
    peer.ask("subscribe", robot="scout", devices=["turret"])
    assert "turret" in peer.all_news("sensed")[0]["seen"]["readings"]


def test_a_pivoting_sensor_turns_in_its_own_time_and_tells_where_it_looks(server: Server) -> None:
    with paddock.connect(server.url()) as arena:
        scout = arena.spawn("scout", "scout")
        scout.enable()
        scout.turret.pan(1.0)
        arena.step()
        early = scout.turret.pan_angle
        arena.step(100)
        assert 0 < early < scout.turret.pan_angle == pytest.approx(1.0)


def test_pans_that_do_not_fit_are_refused_by_name(peer: Peer) -> None:
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


def test_raw_readings_are_the_hardwares_numbers(server: Server, peer: Peer) -> None:
    peer.ask("enable", robot="red")
    values = np.frombuffer(peer.ask("read", robot="red", device="proximity", raw=True)["values"])
    here = on_loop(server, lambda: server.arena.robots.new_handle("red"))
    here.enable()
    assert values.tolist() == here.proximity.raw().tolist()
    assert (values == values.round()).all()
    with paddock.connect(server.url(), lock_step=False) as arena:
        arena["red"].enable()
        assert arena["red"].proximity.raw().tolist() == values.tolist()


def test_a_device_without_hardware_numbers_refuses_raw_by_name(peer: Peer) -> None:
    peer.ask("enable", robot="red", devices=["position"])
    refused = peer.ask("read", robot="red", device="position", raw=True)
    assert refused["message"] == "red.position has no raw values: use read()"


def test_pictures_are_the_same_raw_polled_observed_and_in_this_process(server: Server, peer: Peer) -> None:
    peer.ask("enable", robot="red", devices=["camera"])
    polled = peer.ask("read", robot="red", device="camera")["picture"]
    observed = peer.ask("sense", robot="red")["robots"]["red"]["pictures"]["camera"]
    assert polled == observed
    here = on_loop(server, lambda: server.arena.robots.new_handle("red"))
    here.enable("camera")
    pixels = np.frombuffer(polled["data"], np.uint8).reshape(polled["height"], polled["width"], 3)
    assert (pixels == here.camera.read()).all()


def test_pictures_come_as_jpeg_files_when_wanted(peer: Peer) -> None:
    peer.ask("subscribe", robot="red", devices=["camera"], jpeg=True)
    picture = peer.wait("sensed")["seen"]["pictures"]["camera"]
    assert picture["jpeg"]
    image = Image.open(io.BytesIO(picture["data"]))
    assert (image.format, image.size) == ("JPEG", (picture["width"], picture["height"]))


def test_depth_is_the_same_as_in_this_process(server: Server) -> None:
    with paddock.connect(server.url()) as arena:
        arena["red"].enable("camera")
        depth = arena["red"].camera.depth()
    here = on_loop(server, lambda: server.arena.robots.new_handle("red"))
    here.enable("camera")
    assert (depth == here.camera.depth()).all()
    assert np.isfinite(depth).any()


def test_json_tells_the_same_as_msgpack(server: Server, peer: Peer) -> None:
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


def test_a_client_may_change_its_encoding_with_every_message(peer: Peer) -> None:
    peer.encoding = "json"
    assert isinstance(peer.ask("look")["floor"], str)
    peer.encoding = "msgpack"
    assert isinstance(peer.ask("look")["floor"], bytes)


def test_an_observer_that_raises_harms_nobody_but_itself(server: Server) -> None:
    def broken(seen: Any) -> None:
        raise ZeroDivisionError("mine")

    with paddock.connect(server.url()) as arena, Peer(server) as other:
        red = arena["red"]
        red.enable("proximity")
        red.on_sense(broken)
        with pytest.raises(ZeroDivisionError, match="mine"):
            arena.run(1000.0, lambda seen: (0.05, 0.1))
        assert other.ask("sense", robot="red")["type"] == "observed"


def test_errors_of_devices_are_the_same_as_in_this_process(server: Server) -> None:
    with paddock.connect(server.url()) as arena:
        red = arena["red"]
        with pytest.raises(DeviceNotEnabled, match=r"red\.ground is not enabled"):
            red.ground.read()
        with pytest.raises(UnknownName, match="did you mean 'ground'"):
            red.enable("grond")
        with pytest.raises(DeviceRefused, match="cannot pivot"):
            red.proximity.pan(0.1)
