"""Compare Paddock's WebSocket code with the `websockets` package's client and server, and with a raw TCP ping-pong.

    python benchmarks/wire.py [--rounds 5] [--cycles 2000]

A cycle is a `step` with two wheel speeds to the server and an `observed` with 8 + 3 readings back, encoded and decoded
at both ends, without simulation. Server and client are separate processes. All pairs are measured alternately; one JSON
object per line contains the medians. Compression is off everywhere.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request
from websockets.server import ServerProtocol
from websockets.sync.client import connect

from paddock.cli.bench.remote import ping_pong
from paddock.core.observation import Command
from paddock.network.client.wire import WebSocketWire
from paddock.network.protocol import MessageDecoder, encode
from paddock.network.protocol import messages as m
from paddock.network.protocol.encoding import MessageReader, frame

STEP = m.Step(id=7, commands={"red": Command(wheels=(0.1, 0.09))})
READINGS = {"proximity": np.linspace(0.0, 0.1, 8), "ground": np.linspace(0.1, 0.9, 3)}
SEEN = m.RobotReadings(wheels=(0.1, 0.09), readings=READINGS, truth=m.Truth(pose=(0.5, 0.5, 1.0)))
decode_request, decode_answer = MessageDecoder(m.REQUESTS).decode, MessageDecoder(m.ANSWERS).decode


def answer(data: bytes) -> bytes:
    """Answer a step like a server, without the simulation."""
    step = decode_request(data)
    assert isinstance(step, m.Step)
    return encode(m.Observed(id=step.id, tick=1, robots={"red": SEEN}))


# ---- servers


class OurServer(asyncio.Protocol):
    """A server in callbacks of the event loop, as in paddock/network/server/core/connection.py."""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.protocol = ServerProtocol()
        self.reader = MessageReader(self.protocol, masked=True, limit=1 << 20)

    def data_received(self, data: bytes) -> None:
        if self.protocol.state.name == "CONNECTING":
            self.protocol.receive_data(data)
            for event in self.protocol.events_received():
                assert isinstance(event, Request)
                self.protocol.send_response(self.protocol.accept(event))
            self.transport.write(b"".join(self.protocol.data_to_send()))
            return
        for _, payload in self.reader.feed(data):
            self.transport.write(frame(answer(payload)))
        if self.reader.has_replies:  # answers to a ping or a close
            self.transport.write(b"".join(self.protocol.data_to_send()))


async def serve_package(connection: ServerConnection) -> None:
    async for message in connection:
        assert isinstance(message, bytes)
        await connection.send(answer(message))


async def run_server(kind: str) -> None:
    listening: Any
    if kind == "ours":
        listening = await asyncio.get_running_loop().create_server(OurServer, "127.0.0.1", 0)
    else:
        listening = await serve(serve_package, "127.0.0.1", 0, compression=None)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


# ---- clients


@contextlib.contextmanager
def our_client(port: int) -> Iterator[Callable[[], object]]:
    wire = WebSocketWire(f"ws://127.0.0.1:{port}/ws", 10.0)

    def cycle() -> object:
        wire.send(STEP)
        return wire.receive(time.monotonic() + 10)

    yield cycle
    wire.close()


@contextlib.contextmanager
def package_client(port: int) -> Iterator[Callable[[], object]]:
    with connect(f"ws://127.0.0.1:{port}/ws", compression=None) as connection:
        connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def cycle() -> object:
            connection.send(encode(STEP))
            return decode_answer(bytes(connection.recv()))  # type: ignore[arg-type]

        yield cycle


CLIENTS = {"ours": our_client, "package": package_client}


def cpu_seconds(process: int) -> float:
    """Return the CPU time of another process [s] (Linux)."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--cycles", type=int, default=2000)
    options.add_argument("--serve", choices=("ours", "package"), help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.serve:
        asyncio.run(run_server(chosen.serve))
        return
    results: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    raw: list[float] = []
    with contextlib.ExitStack() as stack:
        pairs = []
        for kind in ("ours", "package"):
            command = [sys.executable, __file__, "--serve", kind]
            server = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            stack.callback(server.kill)
            assert server.stdout is not None
            port = int(server.stdout.readline())
            for client, opened in CLIENTS.items():
                pairs.append(((client, kind), stack.enter_context(opened(port)), server.pid))
        for _ in range(chosen.rounds):
            raw.append(ping_pong())
            for names, cycle, process in pairs:
                cycle()
                wall, mine, theirs = time.perf_counter(), time.process_time(), cpu_seconds(process)
                for _ in range(chosen.cycles):
                    cycle()
                costs = (time.process_time() - mine, cpu_seconds(process) - theirs, time.perf_counter() - wall)
                results.setdefault(names, []).append(tuple(1e6 * cost / chosen.cycles for cost in costs))
    print(json.dumps({"ping_pong_per_s": round(statistics.median(raw))}))
    for (client, server), rounds in results.items():
        mine, theirs, wall = (statistics.median(column) for column in zip(*rounds, strict=True))
        rates = {"cycles_per_s": round(1e6 / wall), "client_us": round(mine, 1), "server_us": round(theirs, 1)}
        print(json.dumps({"client": client, "server": server, **rates}))


if __name__ == "__main__":
    main()
