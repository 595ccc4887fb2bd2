"""Common parts of all fuzz benchmarks: mutations, the attack loop, and the verdict."""

from __future__ import annotations

import argparse
import contextlib
import logging
import socket
import sys
import time
from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np


def mutate(data: bytes, rng: np.random.Generator) -> bytes:
    """Return the data after some faults: bytes lost, inserted or changed, or the end cut off."""
    damaged = bytearray(data)
    for _ in range(int(rng.integers(0, 4))):
        i = int(rng.integers(len(damaged))) if damaged else 0
        match int(rng.integers(4)):
            case 0:
                del damaged[i : i + 1]
            case 1:
                damaged.insert(i, int(rng.integers(256)))
            case 2 if damaged:
                damaged[i] ^= 1 << int(rng.integers(8))
            case _:
                del damaged[i:]
    return bytes(damaged)


class MessageReader(Protocol):
    """Splits the data of a server into messages."""

    def feed(self, data: bytes) -> Iterable[object]:
        """Return the messages that are complete after some more bytes."""


def attack(
    address: tuple[str, int],
    draw: Callable[[np.random.Generator], tuple[bytes, bool]],
    new_reader: Callable[[], MessageReader],
    rng: np.random.Generator,
    messages: int,
) -> int:
    """Send damaged messages, on a new connection whenever the server disconnects; return the number of connections.

    Args:
        address: address of the server.
        draw: returns a valid message, and whether it is answered.
        new_reader: creates a reader for the answers on a connection.
        rng: random number generator.
        messages: number of messages.
    """
    connections, sent = 0, 0
    while sent < messages:
        reader = new_reader()
        connections += 1
        with socket.create_connection(address, timeout=10) as client, contextlib.suppress(OSError):
            client.settimeout(0.02)
            for _ in range(50):
                whole, is_answered = draw(rng)
                damaged = mutate(whole, rng)
                client.sendall(damaged)
                sent += 1
                if damaged == whole and is_answered and not receive(client, reader):
                    break
    return connections


def receive(client: socket.socket, reader: MessageReader) -> bool:
    """Wait for an answer; return False if there is none."""
    while data := client.recv(1 << 16):
        if list(reader.feed(data)):
            return True
    return False


class Failures(logging.Handler):
    """Counts errors inside the server; disconnecting clients is correct and does not count."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += record.levelno >= logging.ERROR


class Fuzz:
    """Attacks a port in rounds; between them another client sends a request."""

    def __init__(self, bridge: str, messages: int, rounds: int) -> None:
        self.messages, self.rounds = messages, rounds
        self.answers = self.connections = 0
        self.rng, self.began, self.failures = np.random.default_rng(14), time.perf_counter(), Failures()
        logging.getLogger(f"paddock.{bridge}").addHandler(self.failures)

    def run(self, attack: Callable[[np.random.Generator, int], int], ask: Callable[[], bool]) -> None:
        """
        Args:
            attack: sends a number of messages; returns the number of connections.
            ask: returns whether the other client got its answer.
        """
        for _ in range(self.rounds):
            self.connections += attack(self.rng, self.messages // self.rounds)
            self.answers += ask()

    def finish(self, *, stood: bool) -> None:
        """Print the result and exit; `stood` is whether simulated time did not advance, as required."""
        took = time.perf_counter() - self.began
        sys.stdout.write(
            f"{self.messages} messages on {self.connections} connections in {took:.0f} s: the other client got "
            f"{self.answers} of {self.rounds} answers, {self.failures.count} failures inside, time "
            f"{'stood still' if stood else 'PASSED'}\n"
        )
        sys.exit(0 if stood and self.answers == self.rounds and not self.failures.count else 1)


def read_count(description: str | None, what: str) -> int:
    """Return the number of messages from the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(f"--{what}", type=int, default=100_000)
    return int(getattr(parser.parse_args(), what))
