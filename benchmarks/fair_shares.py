"""Fair shares: how much one hostile client can slow down the other students of a class.

    python benchmarks/fair_shares.py                           # all acts, against a lock-step program and 29 paced ones
    python benchmarks/fair_shares.py cameras flood --seconds 5 --turns 3

Each act is performed by one process with one student's token. In undisturbed turns, another process uses as much of a
core without sending anything, so that the comparison shows the server, not the number of cores. Turns alternate; the
median of their ratios is shown. A paced program keeps a tick if the readings of that tick arrive within one tick of
their due time; time that the clock has lost counts as ticks that were not kept.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import selectors
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import msgpack
from rich.console import Console
from rich.table import Table

import paddock
from paddock.cli.bench.local import swarm_world
from paddock.core.user_limits import UserLimits
from paddock.network.protocol.encoding import masked_frame

TICK, STUDENTS = 0.02, 30  # seconds; the last student is the hostile one
HOSTILE = STUDENTS - 1
HEAD = (
    "GET /ws HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


# ---- the server, as a process


def serve(lock_step: str) -> None:
    """Serve a class of 30 e-pucks; answer every input line with the state of the clock."""
    from paddock.network.server import Server, Settings
    from paddock.network.server.core.access import Grant, Role

    arena = paddock.open(replace(swarm_world(STUDENTS), dt=TICK))
    locked = lock_step == "lock"
    limits = UserLimits(join_lock=locked)
    server = Server(arena, Settings(port=0, lock_step=locked, speed=None if locked else 1.0, limits=limits))
    tokens = [
        server.tokens.add(Grant(Role.CONTROLLER, frozenset({f"robot{i}"}), f"student {i}")) for i in range(STUDENTS)
    ]
    with server.in_background():
        print(json.dumps({"url": server.url(), "tokens": tokens}), flush=True)
        for _ in sys.stdin:
            clock = server.session.clock
            print(json.dumps({"tick": arena.tick, "start": clock._start, "start_tick": clock._start_tick}), flush=True)


class Class:
    """A server process and the tokens of its students."""

    def __init__(self, *, lock_step: bool) -> None:
        self._process = start("serve", "lock" if lock_step else "paced", stdin=subprocess.PIPE)
        assert self._process.stdout
        told = json.loads(self._process.stdout.readline())
        self.url, self.tokens = told["url"], told["tokens"]

    def clock(self) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def start(*arguments: str, stdin: int | None = None) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--as", *arguments]
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, text=True)


# ---- bare connections


class Line:
    """A minimal WebSocket connection with little overhead."""

    def __init__(self, url: str, token: str, name: str = "") -> None:
        self.socket = open_socket(url)
        self.socket.sendall(HEAD.format(urlsplit(url).netloc).encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += (more := self.socket.recv(1))
            if not more:
                raise ConnectionError("closed")
        self.say(type="hello", id=0, version=1, token=token, name=name)
        self.rest = bytearray()
        self.socket.settimeout(20)

    def say(self, **message: Any) -> None:
        data = masked_frame(msgpack.packb(message))
        while data:
            try:
                data = data[self.socket.send(data) :]
            except BlockingIOError:
                time.sleep(0.001)

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield the complete messages after one read."""
        data = self.socket.recv(1 << 18)
        if not data:
            raise ConnectionError("closed")
        self.rest += data
        while len(self.rest) >= 2:
            size, at = self.rest[1] & 0x7F, 2
            if size > 125:
                at = 4 if size == 126 else 10
                size = int.from_bytes(self.rest[2:at], "big")
            if len(self.rest) < at + size:
                return
            payload, opcode = bytes(self.rest[at : at + size]), self.rest[0] & 0x0F
            del self.rest[: at + size]
            if opcode == 9:
                self.socket.sendall(b"\x8a\x80\x00\x00\x00\x00")
            elif opcode in (1, 2):
                yield msgpack.unpackb(payload)


def open_socket(url: str) -> socket.socket:
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname, parts.port), timeout=5)


# ---- hostile acts: each continues until the process is killed


def report_ready() -> None:
    print("ready", flush=True)


def drain(lines: list[Line], then: Callable[[], object] = lambda: None) -> None:
    """Read all data forever, and call a function repeatedly."""
    poll = selectors.DefaultSelector()
    for line in lines:
        line.socket.setblocking(False)
        poll.register(line.socket, selectors.EVENT_READ, line)
    report_ready()
    while True:
        for key, _ in poll.select(0.001):
            try:
                data = key.data.socket.recv(1 << 20)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                poll.unregister(key.fileobj)
        then()


def try_lines(url: str, token: str, count: int) -> list[Line]:
    """Open as many connections as allowed."""
    lines: list[Line] = []
    for _ in range(count):
        with contextlib.suppress(OSError):
            lines.append(Line(url, token))
    return lines


def cameras(url: str, token: str) -> None:
    line = Line(url, token)
    for i in range(256):
        line.say(type="subscribe", id=i, robot=f"robot{HOSTILE}", devices=["camera"], stream=f"s{i}", period=0.0)
    drain([line])


def flood(url: str, token: str) -> None:
    lines = try_lines(url, token, 48)
    for line in lines:
        line.say(type="enable", id=1, robot=f"robot{HOSTILE}", devices=["proximity"])
    burst = 100 * masked_frame(msgpack.packb({"type": "sense", "id": 2, "robot": f"robot{HOSTILE}"}))

    def say() -> None:
        for line in lines:
            with contextlib.suppress(OSError):
                line.socket.send(burst)

    drain(lines, say)


def robots(url: str, token: str) -> None:
    """Spawn and remove 32 robots with long LED names: one of 1 MB, then as large as allowed."""
    kind = {"base": "e-puck", "name": "big", "leds": [f"{i}" + "x" * 99_000 for i in range(10)]}
    with contextlib.suppress(OSError):
        Line(url, token).say(type="spawn", id=1, robot=f"robot{HOSTILE}_0", kind=kind)
    kind["leds"] = [f"{i}" + "x" * 6_000 for i in range(10)]
    line = Line(url, token)
    threading.Thread(target=drain, args=([line],), daemon=True).start()
    while True:
        for i in range(32):
            line.say(type="spawn", id=i, robot=f"robot{HOSTILE}_{i}", kind=kind | {"title": f"{i}"})
        for i in range(32):
            line.say(type="release_robot", id=i, robot=f"robot{HOSTILE}_{i}")


def sensors(url: str, token: str) -> None:
    """Open 31 connections, each with a robot with many rays and a camera that it reads in every tick."""
    lines = try_lines(url, token, 31)
    ring = {"kind": "proximity", "range": 3.0, "rays": 15, "mounts": [[0.03, 0, 0.02, a] for a in range(0, 256, 2)]}
    kind = {"base": "e-puck", "name": "many", "sensors": [ring | {"name": f"ring{i}"} for i in range(2)]}
    for i, line in enumerate(lines):
        line.say(type="spawn", id=1, robot=f"robot{HOSTILE}_{i}", kind=kind)
        for j, robot in enumerate((f"robot{HOSTILE}_{i}", f"robot{HOSTILE}")):
            line.say(type="subscribe", id=2, robot=robot, devices=["ring0", "ring1"], stream=f"a{j}", period=0.0)
            line.say(type="subscribe", id=3, robot=robot, devices=["camera"], stream=f"b{j}", period=0.0)
    drain(lines)


def lock(url: str, token: str) -> None:
    """Join the lock with a timeout of one hour; join again after a release."""
    while True:
        line = Line(url, token)
        line.say(type="lock", id=1, timeout=3600.0)
        report_ready()
        released = False
        while not released:
            released = any(m["type"] in ("released", "refused") for m in line.messages())
        line.socket.close()


def ask_in_lock(url: str, token: str, what: str) -> None:
    """Step like all clients in the lock, and request a large answer 30 times per cycle."""
    line = Line(url, token)
    line.say(type="lock", id=1, timeout=3600.0)
    told, answers = False, 0
    while True:
        line.say(type="step", id=2)
        for _ in range(30):
            line.say(type=what, id=3)
        while answers < 30:
            answers += sum(m.get("id") == 3 for m in line.messages())
        answers = 0
        if not told:
            report_ready()
        told = True


def lock_look(url: str, token: str) -> None:
    ask_in_lock(url, token, "get_scene")


def lock_recall(url: str, token: str) -> None:
    ask_in_lock(url, token, "get_history")


def half_open(url: str, token: str) -> None:
    """Open as many incomplete handshakes as possible."""
    open_ones: list[socket.socket] = []
    report_ready()
    while True:
        with contextlib.suppress(OSError):
            open_ones.append(open_socket(url))
            open_ones[-1].sendall(b"GET /ws HTTP/1.1\r\nHost: ")
        if len(open_ones) > 400:
            open_ones.pop(0).close()


def garbage(url: str, token: str) -> None:
    """Send invalid requests, invalid frames and invalid messages."""
    lines = try_lines(url, token, 8)
    broken = 50 * masked_frame(b"\xc1" * 100) + 50 * masked_frame(msgpack.packb({"type": "nonsense", "id": 1}))

    def say() -> None:
        with contextlib.suppress(OSError), open_socket(url) as stranger:
            stranger.sendall(bytes(range(256)) * 20)
        with contextlib.suppress(OSError), open_socket(url) as stranger:
            stranger.sendall(HEAD.format(urlsplit(url).netloc).encode() + masked_frame(b"{" * 1000))
        for line in lines:
            with contextlib.suppress(OSError):
                line.socket.send(broken)

    drain(lines, say)


def huge(url: str, token: str) -> None:
    """Send messages of nearly the maximum length, and longer ones on some connections."""
    lines = try_lines(url, token, 8)
    junk = [{"type": "enable", "id": 1, "robot": f"robot{HOSTILE}", "devices": ["x" * 60] * 4_000}]
    junk.append({"type": "spawn", "id": 2, "robot": f"robot{HOSTILE}_1", "kind": {"sensors": [[0.5] * 1000] * 25}})
    data = b"".join(masked_frame(msgpack.packb(message)) for message in junk)
    for line in lines[:2]:
        line.say(type="enable", id=1, robot=f"robot{HOSTILE}", devices=["x" * 60] * 16_000)
    sent = dict.fromkeys(lines, 0)

    def say() -> None:
        for line in lines:
            with contextlib.suppress(OSError):
                sent[line] = (sent[line] + line.socket.send(data[sent[line] :])) % len(data)

    drain(lines, say)


def spin(url: str, token: str) -> None:
    """Use a core without any hostile act."""
    report_ready()
    while True:
        pass


ACTS = {
    act.__name__: act
    for act in (cameras, flood, robots, sensors, lock, lock_look, lock_recall, half_open, garbage, huge)
}


# ---- honest programs


def lock_step_rate(served: Class, seconds: float, act: str) -> float:
    """Return the cycles per second of the lock-step program during a hostile act."""
    with (
        contextlib.suppress(paddock.LinkError),
        paddock.connect(served.url, token=served.tokens[0], lock_step=True, timeout=20.0) as arena,
    ):
        robot = arena["robot0"]
        robot.enable("proximity", "ground")

        def cycles(until: float) -> int:
            count = 0
            while time.perf_counter() < until:
                near = robot.sense().proximity
                robot.wheels.set(*((0.1, 0.09) if near[0] + near[7] > 0.1 else (-0.05, 0.05)))
                arena.step()
                count += 1
            return count

        with hostile(act, served):
            cycles(time.perf_counter() + 0.5)
            began = time.perf_counter()
            if act == "lock":
                seconds = max(10.0, seconds)  # the lock delays time only once, at the beginning
            count = cycles(began + seconds)
            return count / (time.perf_counter() - began)
    return 0.0  # the connection failed


def paced_share(served: Class, seconds: float, act: str) -> tuple[float, float, float]:
    """Return the share of ticks that the worst and the mean paced program keep, and the speed of the clock."""
    poll = selectors.DefaultSelector()
    lines = [Line(served.url, token) for token in served.tokens[:HOSTILE]]
    arrivals: dict[int, dict[int, float]] = {i: {} for i in range(len(lines))}
    for i, line in enumerate(lines):
        line.say(type="subscribe", id=1, robot=f"robot{i}", devices=["proximity", "encoders"], period=TICK)
        poll.register(line.socket, selectors.EVENT_READ, (i, line))

    def listen(until: float) -> None:
        while (left := until - time.perf_counter()) > 0:
            for key, _ in poll.select(left):
                i, line = key.data
                for message in line.messages():
                    if message["type"] == "sensed":
                        arrivals[i][message["tick"]] = time.perf_counter()
                        line.say(type="command", commands={f"robot{i}": {"wheels": [0.05, 0.04]}})

    with hostile(act, served):
        listen(time.perf_counter() + 0.5)
        began, first = time.perf_counter(), served.clock()["tick"]
        listen(began + seconds)
        listen(time.perf_counter() + 2 * TICK)
        clock, ended = served.clock(), began + seconds
        speed = (clock["tick"] - first) * TICK / (time.perf_counter() - began)
    kept = []
    for seen in arrivals.values():
        delays = [(when - (clock["start"] + (tick - clock["start_tick"]) * TICK), when) for tick, when in seen.items()]
        in_time = sum(began <= when - delay < ended and delay <= TICK for delay, when in delays)
        kept.append(in_time / (seconds / TICK))
    for line in lines:
        line.socket.close()
    return min(kept), statistics.mean(kept), speed


@contextlib.contextmanager
def hostile(act: str, served: Class) -> Iterator[None]:
    process = start(act, served.url, served.tokens[HOSTILE])
    try:
        assert process.stdout
        process.stdout.readline()  # wait until it has started
        yield
    finally:
        process.kill()
        process.communicate()
        time.sleep(1.5)  # for the server to notice


def main() -> None:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("acts", nargs="*", default=list(ACTS), metavar="act", help=", ".join(ACTS))
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--only", choices=["lock", "paced"], default="")
    chosen = parser.parse_args()
    table = Table("act", "lock-step, quiet [1/s]", "hostile [1/s]", "ratio", "paced: worst", "mean", "clock")
    for act in [*chosen.acts, "spin"]:
        row = [act.replace("_", " ")]
        if chosen.only != "paced":
            served = Class(lock_step=True)
            pairs = [
                (lock_step_rate(served, chosen.seconds, "spin"), lock_step_rate(served, chosen.seconds, act))
                for _ in range(chosen.turns)
            ]
            served.close()
            quiet, loud = (statistics.median(part) for part in zip(*pairs, strict=True))
            row += [f"{quiet:.0f}", f"{loud:.0f}", f"{statistics.median(b / a for a, b in pairs):.2f}"]
        else:
            row += [""] * 3
        if chosen.only != "lock":
            served = Class(lock_step=False)
            shares = [paced_share(served, chosen.seconds, act) for _ in range(chosen.turns)]
            served.close()
            row += [f"{statistics.median(part):.3f}" for part in zip(*shares, strict=True)]
        table.add_row(*row)
        print(*row, file=sys.stderr, flush=True)
    Console().print(table)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as"]:
        if sys.argv[2] != "serve":
            os.nice(5)  # it represents another machine, so it must not take CPU time from the server
        ({"serve": serve, "spin": spin} | ACTS)[sys.argv[2]](*sys.argv[3:])
    else:
        main()
