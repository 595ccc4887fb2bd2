"""What all benchmarks with damaged messages share: the damage, the loop, and the verdict."""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Callable

import numpy as np


def mutate(data: bytes, rng: np.random.Generator) -> bytes:
    """The same after some faults: bytes lost, put in, or changed, or cut off."""
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


class Failures(logging.Handler):
    """Counts what went wrong inside the server; that clients were hung up on is as it should be."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += record.levelno >= logging.ERROR


class Fuzz:
    """Attacks a port in rounds; between them another client asks something."""

    def __init__(self, bridge: str, messages: int, rounds: int) -> None:
        self.messages, self.rounds = messages, rounds
        self.answers = self.connections = 0
        self.rng, self.began, self.failures = np.random.default_rng(14), time.perf_counter(), Failures()
        logging.getLogger(f"paddock.{bridge}").addHandler(self.failures)

    def run(self, attack: Callable[[np.random.Generator, int], int], ask: Callable[[], bool]) -> None:
        """
        Args:
            attack: sends so many messages, and tells on how many connections.
            ask: whether the other client got its answer.
        """
        for _ in range(self.rounds):
            self.connections += attack(self.rng, self.messages // self.rounds)
            self.answers += ask()

    def finish(self, *, stood: bool) -> None:
        """Tell how it went; `stood` is whether time stood still, as it should."""
        took = time.perf_counter() - self.began
        sys.stdout.write(
            f"{self.messages} messages on {self.connections} connections in {took:.0f} s: the other client got "
            f"{self.answers} of {self.rounds} answers, {self.failures.count} failures inside, time "
            f"{'stood still' if stood else 'PASSED'}\n"
        )
        sys.exit(0 if stood and self.answers == self.rounds and not self.failures.count else 1)


def read_count(description: str | None, what: str) -> int:
    """How many messages the command line asks for."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(f"--{what}", type=int, default=100_000)
    return int(getattr(parser.parse_args(), what))
