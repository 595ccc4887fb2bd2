"""A room with a USARSim server, and clients of its text protocol."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import paddock
from paddock.bridges.usarsim import UsarSimServer
from paddock.bridges.usarsim.wire import LineSplitter, UsarLine, parse_line

INIT = b"INIT {ClassName USARBot.P2DX} {Location -5.0,-1.5,1.8} {Rotation 0.0,0.0,0.0} {Name R1}\r\n\n"
DRIVE = b"DRIVE {Left 10.0} {Right 10.0} {Normalized true} {Light false} {Flip false}\r\n\n"


class Client:
    """A text client over a plain socket; the test steps the world."""

    def __init__(self, server: UsarSimServer) -> None:
        self.arena, self.socket, self.splitter = server.arena, socket.create_connection(server.address), LineSplitter()
        self.socket.settimeout(60)
        self.lines: list[UsarLine] = []

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def wait_for(self, type: str, kind: str = "") -> UsarLine:
        while True:
            for k, line in enumerate(self.lines):
                if line.type == type and (not kind or line.get("Type") == kind):
                    return self.lines.pop(k)
            data = self.socket.recv(1 << 16)
            assert data, "the server hung up"
            self.lines += [parse_line(text) for text in self.splitter.feed(data)]

    def ask(self, data: bytes, type: str) -> UsarLine:
        self.send(data)
        return self.wait_for(type)

    def step(self, ticks: int) -> None:
        """Step the world after everything sent so far is applied."""
        self.ask(b"GETSTARTPOSES\r\n", "NFO")
        self.lines.clear()
        self.arena.step(ticks)


@contextmanager
def running(arena: paddock.Arena) -> Iterator[None]:
    """Step the world in the background, much faster than real time."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(0.0005):
            arena.step()

    thread = threading.Thread(target=run, name="clock")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def wait_until(server: UsarSimServer, there: Callable[[], bool]) -> None:
    """Wait for a condition, with the server's thread up to date: a further client's greeting comes after the event."""
    for _ in range(50):
        visitor = Client(server)
        visitor.wait_for("NFO")
        visitor.socket.close()
        if there():
            return
    raise AssertionError("it never happened")
