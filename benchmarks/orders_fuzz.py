"""Send mutated frames to both ends of the order protocol: nothing may hang or fail. In checked mode no robot may carry
out an order that was not sent, and no host may accept an answer that was not given.

    python benchmarks/orders_fuzz.py --frames 100000
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from paddock.core.geometry import Pose
from paddock.experiments.ecoli.waypoint_robots import (
    LineQuality,
    OrderFirmware,
    RobotLost,
    RobotPlan,
    RobotSession,
    SimulatedLine,
)
from paddock.experiments.ecoli.waypoint_robots.conversation import ConversationRunner
from paddock.experiments.ecoli.waypoint_robots.frames import (
    FrameReader,
    next_number,
    read_checked,
    write_checked,
    write_frame,
)
from paddock.experiments.ecoli.waypoint_robots.host_end import HostEnd
from paddock.experiments.ecoli.waypoint_robots.texts import DRIVING, RELATIVE, Order, write_order, write_reply
from paddock.testing import BenchRobot

DT = 0.02
TICKS = 3  # after each frame
SESSION = 77


def mutate(frame: bytes, rng: np.random.Generator) -> bytes:
    """Return a frame after one to four faults: bytes lost, doubled, inserted, swapped, flipped, cut off or merged."""
    data = bytearray(frame)
    for _ in range(int(rng.integers(1, 5))):
        if not data:
            break
        i = int(rng.integers(len(data)))
        match int(rng.integers(8)):
            case 0:
                del data[i]
            case 1:
                data[i] ^= 1 << int(rng.integers(8))
            case 2:
                data.insert(i, data[i])
            case 3:
                data.insert(i, int(rng.integers(256)))
            case 4:
                data[i] = int(rng.integers(48, 58))  # a changed digit is the worst case
            case 5:
                del data[i:]
            case 6:
                data[i:i] = frame
            case _:
                j = int(rng.integers(len(data)))
                data[i], data[j] = data[j], data[i]
    return bytes(data)


class WatchedFirmware(OrderFirmware):
    """Firmware that logs all orders that it carries out."""

    def __init__(self, *args: Any, **more: Any) -> None:
        self.log: list[tuple[int, Order]] = []
        super().__init__(*args, **more)

    def _carry_out(self, order: Order, number: int = 0) -> None:
        self.log.append((number, order))
        super()._carry_out(order, number)


def draw_order(rng: np.random.Generator) -> Order:
    """Draw any order, with drives of some centimetres."""
    letter = "PAGOSDTUXabcNwq"[int(rng.integers(15))]
    takes = {"P": 2, "A": 1, "G": 2, "O": 2, "a": 1, "b": 1, "c": 2, "N": 1, "w": 2}.get(letter, 0)
    return Order(letter, tuple(float(number) for number in np.round(rng.uniform(-20, 20, takes), 2)))


def fuzz_checked_robot(frames: int, seed: int) -> int:
    """Return the number of orders that a robot in checked mode carried out; each was sent, and none was repeated."""
    rng = np.random.default_rng(seed)
    robot = BenchRobot(DT)
    firmware = WatchedFirmware(robot, DT)
    firmware.receive(write_checked(0, f"K{SESSION}"))
    firmware.tick()
    number, sent = 0, {}
    for i in range(frames):
        number = next_number(number)
        order = draw_order(rng)
        sent[number] = write_order(order)
        frame = write_checked(number, sent[number])
        firmware.receive(mutate(frame, rng))
        work(firmware, robot)
        if i % 4 == 0:
            firmware.receive(write_checked(0, f"K{SESSION + i}"))  # a new session: all numbers are free again
            firmware.tick()
            number = 0
        else:
            firmware.receive(frame + frame)  # then the undamaged frame arrives twice
            work(firmware, robot)
        for done, carried_out in firmware.log:
            assert sent.get(done) == write_order(carried_out), (done, carried_out, sent.get(done))
        assert len({done for done, _ in firmware.log}) == len(firmware.log), firmware.log
        firmware.log.clear()
    return firmware.orders_carried_out


def fuzz_legacy_robot(frames: int, seed: int) -> int:
    """Return the number of orders that a robot of 2012 carried out. It accepts damaged orders, but must never hang."""
    rng = np.random.default_rng(seed)
    robot = BenchRobot(DT)
    firmware = WatchedFirmware(robot, DT)
    for _ in range(frames):
        firmware.receive(mutate(write_frame(write_order(draw_order_of_2012(rng))), rng))
        work(firmware, robot)
        if not firmware.idle:
            firmware.restart()  # it may be driving to a target kilometres away
    firmware.restart()
    firmware.receive(write_frame("D"))
    assert firmware.tick().startswith(b"\2X:")
    return len(firmware.log)


def draw_order_of_2012(rng: np.random.Generator) -> Order:
    """Draw any order of the original table."""
    while (order := draw_order(rng)).letter in "wq":
        pass
    return order


def work(firmware: OrderFirmware, robot: BenchRobot) -> bytes:
    """Run some ticks; check that the robot sends only whole frames, and return them."""
    sent = b""
    for _ in range(TICKS):
        sent += firmware.tick()
        robot.roll()
    assert len(FrameReader().feed(sent)) == sent.count(b"\3")
    return sent


def fuzz_host(frames: int, seed: int) -> int:
    """Return the number of orders that a host in checked mode accepted as done; all of them were confirmed."""
    rng = np.random.default_rng(seed)
    plan = RobotPlan(name="r", start=Pose(0, 0, 0), threshold=1, targets=[(i / 100, 0.1) for i in range(200)])
    done = now = 0
    session = RobotSession(plan, session=SESSION)
    for _ in range(frames):
        if session.over:
            done += session.result.done
            assert all(reached is None or abs(reached[1] - 0.1) < 1e-9 for reached in session.result.reached)
            session = RobotSession(plan, now, session=SESSION)
        now += 0.01
        asked = [read_checked(text) for text in FrameReader().feed(session.take_output())]
        if (
            asked and (frame := asked[-1]) is not None
        ):  # the newest: the host repeats its request after each invalid frame
            session.receive(mutate(answer(frame.number, frame.text), rng), now)
            session.receive(answer(frame.number, frame.text), now)
        session.receive(mutate(answer(int(rng.integers(40_000, 60_000)), "O1.;99."), rng), now)
        session.wake(now)
    return done + session.result.done


def fuzz_legacy_host(asks: int, seed: int, *, jitter: float = 0.9, loss: float = 0.0) -> int:
    """Return the number of answers that a host accepted from a robot of 2012 on a line with delays.

    Each accepted answer was given after its request, and every request ends. No relative order is carried out twice,
    even if bytes are lost; digits may be wrong then.
    """
    rng = np.random.default_rng(seed)
    robot = LateRobot(LineQuality(jitter=jitter, loss=loss), seed)
    end, answered = robot.connect(), 0
    for _ in range(asks):
        order = draw_order_of_2012(rng)
        if order.letter == "N":  # a negative threshold makes everything an obstacle, and the robot would turn forever
            order = Order("N", (abs(order.numbers[0]),))
        robot.firmware.log.clear()
        robot.said.clear()
        seconds = 10.0 if order.letter in DRIVING else 0.0
        try:
            reply = robot.run_conversation(ConversationRunner(end, end.ask(order, seconds), robot.now))
        except RobotLost:
            end = robot.connect()
        else:
            answered += 1
            assert loss or write_reply(reply.kind, *reply.numbers) in robot.said, (order, reply, robot.said)
        done = [carried_out for _, carried_out in robot.firmware.log if carried_out == order]
        assert order.letter not in RELATIVE or len(done) <= 1, (order, done)
    return answered


class LateRobot:
    """A robot of 2012 at the end of a line with delays."""

    def __init__(self, quality: LineQuality, seed: int) -> None:
        self.robot = BenchRobot(DT)
        self.firmware = WatchedFirmware(self.robot, DT, knows_checked=False)
        self.down, self.up = (SimulatedLine(quality, seed=seed, key=key) for key in (0, 1))
        self.now, self.said = 0.0, list[str]()

    def connect(self) -> HostEnd:
        """Return a new host connection once the robot has stopped."""
        while True:
            end = HostEnd(checked=False)
            try:
                self.run_conversation(ConversationRunner(end, end.connect(), self.now))
            except RobotLost:
                continue
            return end

    def run_conversation(self, runner: ConversationRunner[Any]) -> Any:
        """Run an exchange and return its result; the timeout is one simulated hour."""
        limit = self.now + 3600
        while not runner.over:
            assert self.now < limit, "the host hangs"
            self.now += DT
            runner.receive(self.up.receive(self.now), self.now)
            runner.wake(self.now)
            self.down.send(runner.take_output(), self.now)
            self.firmware.receive(self.down.receive(self.now))
            sent = self.firmware.tick()
            self.said += FrameReader().feed(sent)
            self.up.send(sent, self.now)
            self.robot.roll()
        return runner.result


def answer(number: int, text: str) -> bytes:
    """Return the answer of a robot."""
    letter, numbers = text[0], [float(part) for part in text[1:].split(";") if part]
    if letter in "TU":
        numbers = [1]
    return write_checked(number, write_reply(letter, *numbers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=100_000, help="frames per target; a fiftieth for late answers")
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    for name, target in (
        ("robot, checked mode", fuzz_checked_robot),
        ("robot, legacy mode", fuzz_legacy_robot),
        ("host, checked mode", fuzz_host),
        ("host, legacy mode, late answers", lambda frames, seed: fuzz_legacy_host(frames // 50, seed)),
        ("host, legacy mode, lost bytes, too", lambda frames, seed: fuzz_legacy_host(frames // 50, seed, loss=0.01)),
    ):
        began = time.perf_counter()
        count = target(wanted.frames, wanted.seed)
        print(f"{name}: {wanted.frames} mutated frames, {count} orders, {time.perf_counter() - began:.1f} s: all well")


if __name__ == "__main__":
    main()
