"""Send damaged requests to CoppeliaSim's API: nothing may fail inside, and another client goes on undisturbed.

python benchmarks/coppelia_fuzz.py --requests 100000
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import socket
import sys
import time
from typing import Any

import cbor2
import numpy as np

import paddock
from paddock.bridges import CoppeliaServer
from paddock.coppelia.zmq import CALLS
from paddock.coppelia.zmtp import GREETING, ZmtpPeer, pack_message, pack_ready
from paddock.links.coppelia import SimClient
from paddock.server import Server, Settings

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
    """A call with any arguments, perhaps damaged, as a message or as less than one."""
    arguments = [VALUES[i] for i in rng.integers(len(VALUES), size=rng.integers(6))]
    body = bytearray(cbor2.dumps({"func": names[rng.integers(len(names))], "args": arguments, "uuid": "fuzz"}))
    for place in rng.integers(len(body), size=rng.integers(4)):
        body[place] = rng.integers(256)
    message = bytearray(pack_message([b"", bytes(body)]))
    if rng.random() < 0.05:
        message[rng.integers(len(message))] = rng.integers(256)
    return bytes(message)


def attack(port: int, rng: np.random.Generator, requests: int, names: list[str]) -> None:
    """Send requests until the server hangs up or stops answering."""
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
                return  # hung up on


class Failures(logging.Handler):
    """Counts what went wrong inside the server; that clients were hung up on is as it should be."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += record.levelno >= logging.ERROR


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    requests = parser.parse_args().requests
    rng, began, failures = np.random.default_rng(14), time.perf_counter(), Failures()
    logging.getLogger("paddock.coppelia").addHandler(failures)
    names = sorted(name for name in CALLS if not name.removeprefix("sim.").startswith(CHANGING))
    arena = paddock.open("clutter", seed=1)
    server = Server(arena, Settings(port=0, speed=None, lock_step=True))
    with CoppeliaServer(arena, 0) as bridge, server.in_background():
        other, answers, rounds = SimClient("127.0.0.1", bridge.port, timeout=60), 0, requests // 50
        for _ in range(rounds):
            attack(bridge.port, rng, 50, names)
            answers += other.call("getSimulationTime") == 0.0
        other.close()
    took = time.perf_counter() - began
    sys.stdout.write(f"{requests} requests on {rounds} connections in {took:.0f} s: the other client got {answers} of ")
    sys.stdout.write(f"{rounds} answers, {failures.count} failures inside\n")
    sys.exit(0 if answers == rounds and not failures.count else 1)


if __name__ == "__main__":
    main()
