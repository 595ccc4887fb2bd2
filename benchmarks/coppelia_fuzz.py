"""Send damaged requests to CoppeliaSim's API: the server must not fail, and another client must not be disturbed.

python benchmarks/coppelia_fuzz.py --requests 100000
"""

from __future__ import annotations

import contextlib
import socket
from functools import partial
from typing import Any

import cbor2
import numpy as np

import paddock
from fuzz import Fuzz, read_count
from paddock.bridges.coppelia import CoppeliaServer
from paddock.bridges.coppelia.calls import CALLS
from paddock.bridges.coppelia.zmq.zmtp import GREETING, ZmtpPeer, pack_message, pack_ready
from paddock.bridges.coppelia.zmq_link import SimClient
from paddock.network.server import Server, Settings

VALUES: list[Any] = [
    None,
    True,
    -1,
    -2,
    12,
    16,
    17,
    24,
    40,
    1e9,
    -2.5,
    "",
    "/ePuck",
    "x",
    b"\0\1",
    [],
    [1.0] * 3,
    [[]],
    {},
]
CHANGING = (
    "set",
    "start",
    "stop",
    "pause",
    "step",
    "switch",
    "yield",
    "wait",
    "load",
    "close",
    "remove",
    "copy",
    "acquire",
)


def draw_request(rng: np.random.Generator, names: list[str]) -> bytes:
    """Return a call with random arguments as a message, sometimes damaged or incomplete."""
    arguments = [VALUES[i] for i in rng.integers(len(VALUES), size=rng.integers(6))]
    body = bytearray(cbor2.dumps({"func": names[rng.integers(len(names))], "args": arguments, "uuid": "fuzz"}))
    for place in rng.integers(len(body), size=rng.integers(4)):
        body[place] = rng.integers(256)
    message = bytearray(pack_message([b"", bytes(body)]))
    if rng.random() < 0.05:
        message[rng.integers(len(message))] = rng.integers(256)
    return bytes(message)


def attack(port: int, names: list[str], rng: np.random.Generator, requests: int) -> int:
    """Send requests on a connection until the server disconnects or stops answering."""
    peer = ZmtpPeer("REQ")
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client, contextlib.suppress(OSError):
        client.sendall(GREETING + pack_ready("REQ"))
        for _ in range(requests):
            client.sendall(draw_request(rng, names))
            client.settimeout(0.05)
            while data := client.recv(1 << 16):
                if list(peer.receive(data)):
                    break
            else:
                break  # disconnected
    return 1


def main() -> None:
    requests = read_count(__doc__, "requests")
    names = sorted(name for name in CALLS if not name.removeprefix("sim.").startswith(CHANGING))
    arena = paddock.open("clutter", seed=1)
    server = Server(arena, Settings(port=0, speed=None, lock_step=True))
    with CoppeliaServer(arena, 0) as bridge, server.in_background():
        other = SimClient("127.0.0.1", bridge.port, timeout=60)
        fuzz = Fuzz("coppelia", requests, requests // 50)
        fuzz.run(partial(attack, bridge.port, names), lambda: other.call("getSimulationTime") == 0.0)
        other.close()
        fuzz.finish(stood=arena.tick == 0)


if __name__ == "__main__":
    main()
