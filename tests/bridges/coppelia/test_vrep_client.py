"""VrepClient with simulators that, like V-REP, send empty replies until a command is done."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bridges.coppelia.vrep_fixtures import served
from paddock import connect
from paddock.bridges.coppelia.legacy import PacketJoiner, split_packets
from paddock.bridges.coppelia.legacy.messages import (
    LegacyReply,
    LegacyRequest,
    ask_for,
    build_message,
    parse_message,
)
from paddock.bridges.coppelia.legacy_link.client import VrepClient
from paddock.core.errors import LinkError, Timeout

BUSY = 60  # messages that are answered with nothing


@contextmanager
def slow_simulator() -> Iterator[int]:
    """The port of a simulator that answers the commands of a message one at a time, each after many messages."""

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


def test_client_waits_for_replies_of_busy_simulator() -> None:
    with slow_simulator() as port:
        client = VrepClient("127.0.0.1", port, timeout=60)
        assert client.call_all([ask_for(0x1001, b"left"), ask_for(0x1001, b"right")]) == [b"done", b"done"]
        assert client.time == 0.05
        client.disconnect()
        with pytest.raises(LinkError, match="the connection was lost"):
            client.call(0x1001)


def test_missing_reply_raises_timeout() -> None:
    with slow_simulator() as port:
        client = VrepClient("127.0.0.1", port, timeout=0.01)
        with pytest.raises(Timeout, match=r"0x1001 was not answered|no answer within"):
            client.call(0x1001)
        client.disconnect()


def test_step_raises_timeout_while_time_is_paused() -> None:
    with served() as bridge:
        url = f"vrep://127.0.0.1:{bridge.addresses[0][1]}?robot=ePuck&synchronous=no"
        with connect(url, timeout=60) as robot:
            robot.step()
            bridge.time.call(bridge.time.pause)
            robot.body.client.timeout = 0.05
            with pytest.raises(Timeout, match="simulated time did not advance"):
                robot.step(1_000_000)
            robot.body.client.timeout = 60
