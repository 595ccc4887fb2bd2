"""VrepClient with simulators that answer as V-REP does: with nothing, until a command was carried out."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bridges.vrep_room import served
from paddock import connect
from paddock.coppelia.legacy import PacketJoiner, split_packets
from paddock.coppelia.legacy.messages import (
    LegacyReply,
    LegacyRequest,
    ask_for,
    build_message,
    parse_message,
)
from paddock.core.errors import LinkError, Timeout
from paddock.links.vrep.client import VrepClient

BUSY = 60  # messages that are answered with nothing


@contextmanager
def slow_simulator() -> Iterator[int]:
    """A port. Of each message the commands are answered one at a time, each after many messages."""

    def serve(listener: socket.socket) -> None:
        client, _ = listener.accept()
        joiner, asked, heard = PacketJoiner(), [], 0
        with client:
            while data := client.recv(1 << 16):
                for message in joiner.feed(data):
                    request, blocks = parse_message(message)
                    asked += blocks
                    heard += 1
                    ready = [LegacyReply(asked.pop(0), b"done", 50)] if asked and heard % BUSY == 0 else []
                    number = request.number if ready else -1
                    client.sendall(split_packets(build_message(LegacyRequest(number, 0), 0, 1, ready)))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


def test_replies_are_waited_for_while_the_simulator_is_busy() -> None:
    with slow_simulator() as port:
        client = VrepClient("127.0.0.1", port, timeout=60)
        assert client.call_all([ask_for(0x1001, b"left"), ask_for(0x1001, b"right")]) == [b"done", b"done"]
        assert client.time == 0.05
        client.disconnect()
        with pytest.raises(LinkError, match="the connection was lost"):
            client.call(0x1001)


def test_a_reply_that_never_comes_is_given_up() -> None:
    with slow_simulator() as port:
        client = VrepClient("127.0.0.1", port, timeout=0.01)
        with pytest.raises(Timeout, match=r"0x1001 was not answered|no answer within"):
            client.call(0x1001)
        client.disconnect()


def test_waiting_for_time_that_stands_still_has_an_end() -> None:
    with served() as bridge:
        url = f"vrep://127.0.0.1:{bridge.addresses[0][1]}?robot=ePuck&synchronous=no"
        with connect(url, timeout=60) as robot:
            robot.step()
            bridge.time.call(bridge.time.pause)
            robot.body.client.timeout = 0.05
            with pytest.raises(Timeout, match="simulated time did not advance"):
                robot.step(1_000_000)
            robot.body.client.timeout = 60
