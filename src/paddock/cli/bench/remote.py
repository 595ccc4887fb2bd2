"""Benchmarks of the network: a server process and one or many client processes on this machine."""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import replace

import paddock
from paddock.cli.bench.local import Bench, control_loop, swarm_world
from paddock.network.server import Server, Settings
from paddock.network.server.process import PaddockProcess

CLIENTS = 30
ROUND_TRIPS = 10_000
TICK = 0.02  # [s]


def remote() -> Bench:
    """As `loop`, but the arena is in a server process, in lock-step: sense 8 IR + 3 ground, decide, set, step."""
    stack = ExitStack()
    url = stack.enter_context(PaddockProcess("serve", "clutter", "--lock-step")).url
    arena = stack.enter_context(paddock.connect(url))
    loop = control_loop(arena)
    raw: list[float] = []
    ratios: list[float] = []

    def work(steps: int) -> None:
        began = time.perf_counter()
        loop(steps)
        if raw:
            ratios.append(raw[-1] * (time.perf_counter() - began) / steps)

    def measure_more() -> dict[str, float]:
        return {
            "ping_pong_per_s": round(statistics.median(raw), 1),
            "ping_pongs_per_cycle": round(statistics.median(ratios), 2),
        }

    def between() -> None:
        raw.append(ping_pong())

    return Bench(1, arena.dt, work, 4_000, close=stack.close, measure_more=measure_more, between=between)


ECHO = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while data := connection.recv(4096):
        connection.sendall(data)
"""


def ping_pong() -> float:
    """Return round trips of 100 bytes per second between two processes over TCP, the upper bound of a cycle's rate."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [sys.executable, "-c", ECHO, str(listener.getsockname()[1])]
        with subprocess.Popen(command):
            connection, _ = listener.accept()
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                began = time.perf_counter()
                for _ in range(ROUND_TRIPS):
                    connection.sendall(bytes(100))
                    connection.recv(4096)
                return ROUND_TRIPS / (time.perf_counter() - began)


def remote_many() -> Bench:
    """30 client processes, each driving an e-puck of one world in real time: observations received within a tick."""
    stack = ExitStack()
    arena = paddock.open(replace(swarm_world(CLIENTS), dt=TICK))
    server = stack.enter_context(Server(arena, Settings(port=0)).in_background())
    url = server.url()
    clients = [
        subprocess.Popen(
            [sys.executable, "-m", __name__, url, f"robot{i}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for i in range(CLIENTS)
    ]
    for client in clients:
        assert client.stdin and client.stdout
        stack.callback(client.wait)
        stack.callback(client.stdout.close)
        stack.callback(client.stdin.close)  # ends it
    for client in clients:
        assert client.stdout and client.stdout.readline() == "ready\n"
    late: list[float] = []
    missed: list[int] = []

    def work(ticks: int) -> None:
        for client in clients:
            assert client.stdin
            client.stdin.write(f"{ticks}\n")
            client.stdin.flush()
        arrivals = [json.loads(client.stdout.readline()) for client in clients if client.stdout]
        due = server.session.clock.due_time  # by the clock that all processes of a machine have in common
        for observations in arrivals:
            late.extend(when - due(tick) for tick, when in observations)
            missed.append(observations[-1][0] - observations[0][0] + 1 - len(observations))

    def measure_more() -> dict[str, float]:
        count = len(late) + sum(missed)
        return {
            "observations": count,
            "within_tick": round(sum(delay <= TICK for delay in late) / count, 5),
            "late_p50_ms": round(1000 * sorted(late)[len(late) // 2], 3),
            "late_p99_ms": round(1000 * sorted(late)[int(len(late) * 0.99)], 3),
        }

    return Bench(CLIENTS, TICK, work, 250, close=stack.close, measure_more=measure_more)


def client(url: str, name: str) -> None:
    """Run one of many clients: record the arrival time of each observation, and drive the robot."""
    arena = paddock.connect(url, lock_step=False, timeout=30.0)
    robot = arena[name]
    robot.enable("proximity", "encoders")  # the wheels turn all the time, so that every observation has changes
    arrivals: list[tuple[int, float]] = []
    came = threading.Condition()

    def act(seen: paddock.Observation) -> None:
        with came:
            arrivals.append((round(seen.time / arena.dt), time.perf_counter()))
            came.notify()
        near = robot.sense().proximity  # the complete observation, as `seen` has only the changed devices
        robot.wheels.set(*((0.1, 0.09) if near[0] + near[7] > 0.1 else (-0.05, 0.05)))

    robot.on_sense(act)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        with came:
            arrivals.clear()
            came.wait_for(lambda wanted=int(line): len(arrivals) >= wanted)  # type: ignore[misc]
            sys.stdout.write(json.dumps(arrivals) + "\n")
        sys.stdout.flush()
    arena.close()


if __name__ == "__main__":
    client(*sys.argv[1:])
