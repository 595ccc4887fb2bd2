"""Rates of V-REP's API, with the server in this process and its clients in other processes.

python benchmarks/vrep_rates.py
"""

from __future__ import annotations

import multiprocessing
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

import paddock
from paddock.bridges.coppelia import VrepServer
from paddock.bridges.coppelia.legacy.messages import STREAMING, ask_for
from paddock.bridges.coppelia.legacy_link import VrepClient
from paddock.network.server import Server, Settings

GET_HANDLE, JOINT_POSITION, PROXIMITY, IMAGE, SYNCHRONOUS, TRIGGER, START = 0x3001, 0x1001, 0x1009, 0x1004, 1, 3, 0x1007
CYCLE, STREAMERS = 0.005, 8  # seconds between two messages of a client; number of clients
Address = tuple[str, int]


def find(client: VrepClient, name: str) -> bytes:
    """Return the handle of an object, as command data."""
    return client.call(GET_HANDLE, name.encode() + b"\0")


def ask_joints(address: Address, count: int) -> tuple[int, float]:
    """Make blocking calls one after the other."""
    with VrepClient(*address) as client:
        joint = find(client, "Pioneer_p3dx_leftMotor")
        began = time.perf_counter()
        for _ in range(count):
            client.call(JOINT_POSITION, joint)
        return count, time.perf_counter() - began


def step_with_sonars(address: Address, count: int) -> tuple[int, float]:
    """Make synchronous steps; each answer contains all sixteen sonars."""
    with VrepClient(*address) as client:
        sonars = [find(client, f"Pioneer_p3dx_ultrasonicSensor{i}") for i in range(1, 17)]
        client.call(SYNCHRONOUS)
        client.call(START, struct.pack("<i", 0))
        client.exchange([ask_for(PROXIMITY, sonar, mode=STREAMING) for sonar in sonars])
        began = time.perf_counter()
        for _ in range(count):
            _, replies = client.exchange([ask_for(TRIGGER)])
            assert len(replies) == 17
        return count, time.perf_counter() - began


def take_pictures(address: Address, count: int) -> tuple[int, float]:
    """Make blocking calls for images of 64 × 64 pixels."""
    with VrepClient(*address) as client:
        camera = find(client, "ePuck_camera")
        began = time.perf_counter()
        for _ in range(count):
            client.call(IMAGE, camera)
        return count, time.perf_counter() - began


def stream(address: Address, count: int) -> tuple[int, float]:
    """Send a message every 5 ms for sixteen sonars; return the number of answers within 5 ms, and the duration."""
    with VrepClient(*address, timeout=60) as client:
        sonars = [find(client, f"Pioneer_p3dx_ultrasonicSensor{i}") for i in range(1, 17)]
        client.exchange([ask_for(PROXIMITY, sonar, mode=STREAMING) for sonar in sonars])
        began, in_time = time.perf_counter(), 0
        for k in range(count):
            time.sleep(max(0.0, began + k * CYCLE - time.perf_counter()))
            sent = time.perf_counter()
            client.exchange(())
            in_time += time.perf_counter() - sent <= CYCLE
        return in_time, time.perf_counter() - began


def work(job: Callable[[Address, int], Any], address: Address, count: int, results: Any) -> None:
    results.put(job(address, count))


def measure(name: str, world: str, job: Callable[[Address, int], Any], count: int, clients: int, **clock: Any) -> None:
    """Run a job in separate processes and print its rate."""
    context = multiprocessing.get_context("spawn")
    arena = paddock.open(world, seed=1)
    server = Server(arena, Settings(port=0, **clock))
    with VrepServer(arena, 0) as bridge, server.in_background():
        results = context.Queue()
        jobs = [context.Process(target=work, args=(job, bridge.addresses[0], count, results)) for _ in range(clients)]
        for process in jobs:
            process.start()
        while len(bridge.connections) < clients:
            time.sleep(0.001)
        began = time.process_time()
        done, took = zip(*[results.get() for _ in jobs], strict=True)
        cost = (time.process_time() - began) / (count * clients)
        for process in jobs:
            process.join()
    share = f", {sum(done) / (count * clients):.2%} within {1000 * CYCLE:g} ms" if clients > 1 else ""
    rate = count * clients / max(took)
    sys.stdout.write(f"{name:40} {rate:8,.0f} per s{share}; the server takes {1e6 * cost:.0f} µs of CPU for each\n")
    sys.stdout.flush()


def main() -> None:
    lock = {"speed": None, "lock_step": True}
    measure("blocking calls", "wall-loop", ask_joints, 10_000, 1, **lock)
    measure("synchronous steps with 16 sonars", "wall-loop", step_with_sonars, 5_000, 1, **lock)
    measure("pictures 64 × 64", "line-track", take_pictures, 2_000, 1, **lock)
    measure(f"{STREAMERS} clients that stream 16 sonars", "wall-loop", stream, 2_000, STREAMERS, speed=1.0)


if __name__ == "__main__":
    main()
