"""Send damaged packets to a port of V-REP's API: nothing may fail inside, and another client goes on undisturbed.

python benchmarks/vrep_fuzz.py --packets 100000
"""

from __future__ import annotations

import argparse
import logging
import socket
import struct
import sys
import time

import numpy as np

import paddock
from paddock.bridges import VrepServer
from paddock.coppelia.legacy import CALLS, PacketJoiner, split_packets
from paddock.coppelia.legacy.messages import ask_for, build_request
from paddock.links.vrep import VrepClient
from paddock.server import Server, Settings

GET_HANDLE, GET_POSITION, TARGET_VELOCITY = 0x3001, 0x1001, 0x1008
NOT_MEANT = {TARGET_VELOCITY, 0x1007, 0x1028, 0x1037, 0x102E, 0x101A, 0x101B, 0x1801, 0x1024, 0x3003, 0x3002, 0x0005}
NOT_MEANT |= {0x3013, 0x3014, 0x3015, 0x3016, 0x3401, 0x0001, 0x200A, 0x1005, 0x1006}
"""Commands that change the world: whole, they would do what they are for."""


def draw_message(rng: np.random.Generator) -> bytes:
    """A message of a few commands with random contents, as packets."""
    blocks = []
    for command in rng.choice(sorted(set(CALLS) - NOT_MEANT), int(rng.integers(1, 5))):
        key, data = rng.bytes(int(rng.integers(0, 13))), rng.bytes(int(rng.integers(0, 64)))
        if rng.random() < 0.5:
            key = struct.pack("<i", int(rng.integers(-3, 80))) + key[:4]
        blocks.append(ask_for(int(command), key, data, mode=int(rng.integers(8)) << 16, delay=int(rng.integers(300))))
    return split_packets(build_request(int(rng.integers(1 << 31)), blocks))


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


def attack(address: tuple[str, int], rng: np.random.Generator, packets: int) -> int:
    """Send packets on connections of one's own, a new one whenever the server hangs up; how often it did."""
    ends, sent = 0, 0
    while sent < packets:
        joiner = PacketJoiner()
        with socket.create_connection(address, timeout=10) as client:
            client.settimeout(0.02)
            try:
                for _ in range(50):
                    whole = draw_message(rng)
                    damaged = mutate(whole, rng)
                    client.sendall(damaged)
                    sent += 1
                    if damaged == whole and not receive(client, joiner):
                        break
                client.settimeout(0.002)
                receive(client, joiner)
            except (OSError, TimeoutError):
                pass
            ends += 1
    return ends


def receive(client: socket.socket, joiner: PacketJoiner) -> bool:
    """Wait for an answer; False if there is none."""
    while data := client.recv(1 << 16):
        if list(joiner.feed(data)):
            return True
    return False


class Failures(logging.Handler):
    """Counts what went wrong inside the server; that clients were hung up on is as it should be."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += record.levelno >= logging.ERROR


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packets", type=int, default=100_000)
    packets = parser.parse_args().packets
    rng, began = np.random.default_rng(14), time.perf_counter()
    failures = Failures()
    logging.getLogger("paddock.vrep").addHandler(failures)
    arena = paddock.open("clutter", seed=1)
    arena.step(10)
    server = Server(arena, Settings(port=0, speed=None, lock_step=True))
    with VrepServer(arena, 0) as bridge, server.in_background():
        tick, answers, ends = arena.tick, 0, 0
        with VrepClient(*bridge.addresses[0], timeout=60) as other:
            name = f"{bridge.simulator.scene.list_bases()[0].name}\0".encode()
            handle = other.call(GET_HANDLE, name)
            for _ in range(100):
                ends += attack(bridge.addresses[0], rng, packets // 100)
                answers += other.call(GET_HANDLE, name) == handle
        stood = arena.tick == tick  # nobody triggered a step
    took = time.perf_counter() - began
    sys.stdout.write(f"{packets} packets on {ends} connections in {took:.0f} s: the other client got {answers} of 100 ")
    sys.stdout.write(f"answers, {failures.count} failures inside, time {'stood still' if stood else 'PASSED'}\n")
    sys.exit(0 if stood and answers == 100 and not failures.count else 1)


if __name__ == "__main__":
    main()
