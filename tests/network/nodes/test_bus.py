"""Tests that apply to every bus transport."""

from __future__ import annotations

import socket
import uuid
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

from paddock.core.errors import LinkError, UnknownName
from paddock.network.nodes import Bus, open_bus
from paddock.network.nodes.node_messages import (
    EVERYONE,
    DriveMessage,
    ModuleMessage,
    PresenceMessage,
    RoundMessage,
    SonarMessage,
)
from paddock.network.nodes.transports.line_transport import LineServer

LONG = 60.0  # [s] timeout; nothing waits that long unless it is broken
Join = Callable[..., Bus]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(params=["memory", "lines", "zenoh", "peers"])
def join(request: pytest.FixtureRequest) -> Iterator[Join]:
    """Yield a function that joins a private bus."""
    url, middle, opened = f"memory://{uuid.uuid4()}", None, []
    if request.param == "lines":
        middle = LineServer(url)
        url = f"lines://127.0.0.1:{middle.port}"
    elif request.param == "zenoh":
        pytest.importorskip("zenoh", reason="pip install -e '.[modules]'")
        from paddock.network.nodes.transports.zenoh import ZenohRouter

        port = free_port()
        middle = ZenohRouter(f"tcp/127.0.0.1:{port}")
        url = f"zenoh://127.0.0.1:{port}"
    elif request.param == "peers":
        pytest.importorskip("zenoh", reason="pip install -e '.[modules]'")
        url = f"zenoh://peers:{free_port()}"

    def join_bus(name: str, **options: object) -> Bus:
        opened.append(open_bus(url, name, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield join_bus
    for bus in opened:
        bus.close()
    if middle is not None:
        middle.close()


def meet(*buses: Bus) -> None:
    """Wait until each module has received the presence of the others."""
    for bus in buses:
        others = {other.name for other in buses} - {bus.name}
        while others:
            message = bus.receive(LONG)
            assert isinstance(message, PresenceMessage), message
            if message.present:
                others.discard(message.source)


def take(bus: Bus) -> ModuleMessage:
    message = bus.receive(LONG)
    assert message is not None
    return message


def drive(number: int, to: str = "MOTOR") -> DriveMessage:
    return DriveMessage(destination=to, left=number, right=0.0)


def test_messages_arrive_in_order_with_source_time_and_sequence(join: Join) -> None:
    reflex, motor = join("REFLEX"), join("MOTOR")
    meet(reflex, motor)
    for number in range(500):
        reflex.send(drive(number))
    got = [take(motor) for _ in range(500)]
    assert [message.left for message in got if isinstance(message, DriveMessage)] == [*range(500)]
    assert [message.sequence for message in got] == [*range(500)]
    assert {(message.source, message.destination) for message in got} == {("REFLEX", "MOTOR")}
    assert all(earlier.sent <= later.sent for earlier, later in pairwise(got))


def test_message_reaches_only_its_destination(join: Join) -> None:
    planner, reflex, motor = join("PLANNER"), join("REFLEX"), join("MOTOR")
    meet(planner, reflex, motor)
    planner.send(drive(1, "REFLEX"))
    planner.send(drive(2, "MOTOR"))
    planner.send(RoundMessage(number=3))
    for bus, value in ((reflex, 1), (motor, 2)):
        got = {type(message): message for message in (take(bus), take(bus))}  # one is urgent, they may change places
        assert got[RoundMessage].number == 3  # type: ignore[attr-defined]
        assert got[DriveMessage].left == value  # type: ignore[attr-defined]
    assert planner.receive(0) is None  # not even its own


def test_broadcasts_arrive_only_from_subscribed_sources(join: Join) -> None:
    sensor, mapper, motor = join("SENSOR"), join("MAPPER"), join("MOTOR", hears=["MAPPER"])
    meet(sensor, mapper, motor)
    sensor.send(RoundMessage(number=1))
    assert take(mapper).source == "SENSOR"
    mapper.send(RoundMessage(number=2))
    assert take(motor).source == "MAPPER"


def test_direct_and_broadcast_messages_keep_their_order_when_lossless(join: Join) -> None:
    reflex, motor = join("REFLEX", lossless=True), join("MOTOR", lossless=True)
    meet(reflex, motor)
    for number in range(200):
        reflex.send(drive(number))
        reflex.send(SonarMessage(values=[1.0], time=number))
        reflex.send(RoundMessage(number=number))
    kinds = [type(take(motor)) for _ in range(600)]
    assert kinds == [DriveMessage, SonarMessage, RoundMessage] * 200


def test_recorder_receives_messages_for_other_modules(join: Join) -> None:
    planner, reflex, recorder = join("PLANNER"), join("REFLEX"), join("RECORDER", everything=True)
    meet(planner, reflex, recorder)
    planner.send(drive(1, "REFLEX"))
    planner.send(drive(2, "NOBODY"))
    assert [take(recorder).destination for _ in range(2)] == ["REFLEX", "NOBODY"]


def test_stream_keeps_only_the_newest_message_unless_lossless(join: Join) -> None:
    sensor, slow, exact = join("SENSOR", lossless=True), join("MAPPER"), join("PLANNER", lossless=True)
    meet(sensor, slow, exact)
    for number in range(20):
        sensor.send(SonarMessage(destination=EVERYONE, values=[float(number), None], time=number))
    sensor.send(RoundMessage(number=20))
    everything = [take(exact) for _ in range(21)]
    assert [message.time for message in everything[:-1]] == [*range(20)]
    seen = []
    while not isinstance(message := take(slow), RoundMessage):
        assert isinstance(message, SonarMessage)
        seen.append(message.values[0])
    assert seen[-1] == 19
    assert 1 <= len(seen) <= 20 - slow.inbox.dropped


def test_departure_is_reported_and_module_can_rejoin(join: Join) -> None:
    monitor, motor = join("MONITOR"), join("MOTOR")
    meet(monitor, motor)
    motor.close()
    gone = take(monitor)
    assert isinstance(gone, PresenceMessage)
    assert (gone.source, gone.present) == ("MOTOR", False)
    again = join("MOTOR")
    meet(monitor, again)
    monitor.send(drive(7))
    assert isinstance(message := take(again), DriveMessage)
    assert message.left == 7


def test_unknown_carrier_and_invalid_url_are_refused() -> None:
    with pytest.raises(UnknownName, match=r"no transport called 'zenho'.*did you mean 'zenoh'"):
        open_bus("zenho://127.0.0.1:7447", "MOTOR")
    with pytest.raises(LinkError, match=r"expected a URL such as 'zenoh://127.0.0.1:7447', got 'lab'"):
        open_bus("lab", "MOTOR")
    with pytest.raises(LinkError, match=r"expected a URL such as 'lines://127.0.0.1:7447'"):
        open_bus("lines://host", "MOTOR")
    with open_bus("memory://here", "MOTOR"), pytest.raises(LinkError, match="a module MOTOR already exists"):
        open_bus("memory://here", "MOTOR")
