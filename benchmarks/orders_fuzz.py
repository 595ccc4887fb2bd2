"""Send mutated frames to both ends of the order language: nothing may hang or fail, and in checked mode no robot may
drive where nobody sent it, and no host may believe what nobody said.

    python benchmarks/orders_fuzz.py --frames 100000
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from paddock.core.geometry import Pose
from paddock.orders import LineQuality, OrderFirmware, RobotLost, RobotPlan, RobotSession, SimulatedLine
from paddock.orders.checked_frames import next_number, read_checked, write_checked
from paddock.orders.host_end import HostEnd
from paddock.orders.legacy_frames import FrameReader, write_frame
from paddock.orders.talk import Talk
from paddock.orders.texts import DRIVING, RELATIVE, Order, write_order, write_reply
from paddock.testing import BenchRobot

DT = 0.02
TICKS = 3  # after each frame
SESSION = 77


def mutate(frame: bytes, rng: np.random.Generator) -> bytes:
    """A frame after one to four faults: bytes lost, doubled, put in or swapped, bits flipped, cut off, merged."""
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
                data[i] = int(rng.integers(48, 58))  # another digit is the worst that can happen
            case 5:
                del data[i:]
            case 6:
                data[i:i] = frame
            case _:
                j = int(rng.integers(len(data)))
                data[i], data[j] = data[j], data[i]
    return bytes(data)


class WatchedFirmware(OrderFirmware):
    """Keeps a list of all that it carries out."""

    def __init__(self, *args: Any, **more: Any) -> None:
        self.log: list[tuple[int, Order]] = []
        super().__init__(*args, **more)

    def _carry_out(self, order: Order, number: int = 0) -> None:
        self.log.append((number, order))
        super()._carry_out(order, number)


def draw_order(rng: np.random.Generator) -> Order:
    """Any order, with drives of some centimetres."""
    letter = "PAGOSDTUXabcNwq"[int(rng.integers(15))]
    takes = {"P": 2, "A": 1, "G": 2, "O": 2, "a": 1, "b": 1, "c": 2, "N": 1, "w": 2}.get(letter, 0)
    return Order(letter, tuple(float(number) for number in np.round(rng.uniform(-20, 20, takes), 2)))


def fuzz_checked_robot(frames: int, seed: int) -> int:
    """Orders that a robot in checked mode carried out; each was sent, with that number, and none was done twice."""
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
            firmware.receive(write_checked(0, f"K{SESSION + i}"))  # begin anew: all numbers are free again
            firmware.tick()
            number = 0
        else:
            firmware.receive(frame + frame)  # … and then it comes whole, twice
            work(firmware, robot)
        for done, carried_out in firmware.log:
            assert sent.get(done) == write_order(carried_out), (done, carried_out, sent.get(done))
        assert len({done for done, _ in firmware.log}) == len(firmware.log), firmware.log
        firmware.log.clear()
    return firmware.orders_carried_out


def fuzz_legacy_robot(frames: int, seed: int) -> int:
    """Orders that a robot of 2012 carried out. It believes a lot, but never hangs and always answers in the end."""
    rng = np.random.default_rng(seed)
    robot = BenchRobot(DT)
    firmware = WatchedFirmware(robot, DT)
    for _ in range(frames):
        firmware.receive(mutate(write_frame(write_order(draw_order_of_2012(rng))), rng))
        work(firmware, robot)
        if not firmware.idle:
            firmware.restart()  # it may be on its way to a place kilometres from here
    firmware.restart()
    firmware.receive(write_frame("D"))
    assert firmware.tick().startswith(b"\2X:")
    return len(firmware.log)


def draw_order_of_2012(rng: np.random.Generator) -> Order:
    """Any order of the table."""
    while (order := draw_order(rng)).letter in "wq":
        pass
    return order


def work(firmware: OrderFirmware, robot: BenchRobot) -> bytes:
    """Let some ticks pass; what the robot sends is frames."""
    sent = b""
    for _ in range(TICKS):
        sent += firmware.tick()
        robot.roll()
    assert len(FrameReader().feed(sent)) == sent.count(b"\3")
    return sent


def fuzz_host(frames: int, seed: int) -> int:
    """Orders that a host in checked mode took for done: those that were said to be, and no other."""
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
        if asked and (frame := asked[-1]) is not None:  # the newest: each frame that is wrong makes it ask again
            session.receive(mutate(answer(frame.number, frame.text), rng), now)
            session.receive(answer(frame.number, frame.text), now)
        session.receive(mutate(answer(int(rng.integers(40_000, 60_000)), "O1.;99."), rng), now)
        session.wake(now)
    return done + session.result.done


def fuzz_legacy_host(asks: int, seed: int, *, jitter: float = 0.9, loss: float = 0.0) -> int:
    """Answers that a host believed of a robot of 2012 on a line that delays: each was given after the question.

    Every question ends. No relative order is carried out twice, also where bytes get lost; then digits may be wrong.
    """
    rng = np.random.default_rng(seed)
    robot = LateRobot(LineQuality(jitter=jitter, loss=loss), seed)
    end, answered = robot.connect(), 0
    for _ in range(asks):
        order = draw_order_of_2012(rng)
        if order.letter == "N":  # below 0 all is an obstacle, and the robot turns for ever
            order = Order("N", (abs(order.numbers[0]),))
        robot.firmware.log.clear()
        robot.said.clear()
        seconds = 10.0 if order.letter in DRIVING else 0.0
        try:
            reply = robot.hold_talk(Talk(end, end.ask(order, seconds), robot.now))
        except RobotLost:
            end = robot.connect()
        else:
            answered += 1
            assert loss or write_reply(reply.kind, *reply.numbers) in robot.said, (order, reply, robot.said)
        done = [carried_out for _, carried_out in robot.firmware.log if carried_out == order]
        assert order.letter not in RELATIVE or len(done) <= 1, (order, done)
    return answered


class LateRobot:
    """A robot of 2012 at the end of a line that delays."""

    def __init__(self, quality: LineQuality, seed: int) -> None:
        self.robot = BenchRobot(DT)
        self.firmware = WatchedFirmware(self.robot, DT, knows_checked=False)
        self.down, self.up = (SimulatedLine(quality, seed=seed, key=key) for key in (0, 1))
        self.now, self.said = 0.0, list[str]()

    def connect(self) -> HostEnd:
        """A host that begins anew, once the robot stands."""
        while True:
            end = HostEnd(checked=False)
            try:
                self.hold_talk(Talk(end, end.connect(), self.now))
            except RobotLost:
                continue
            return end

    def hold_talk(self, talk: Talk[Any]) -> Any:
        """What comes of it; an hour is as good as for ever."""
        limit = self.now + 3600
        while not talk.over:
            assert self.now < limit, "the host hangs"
            self.now += DT
            talk.receive(self.up.receive(self.now), self.now)
            talk.wake(self.now)
            self.down.send(talk.take_output(), self.now)
            self.firmware.receive(self.down.receive(self.now))
            sent = self.firmware.tick()
            self.said += FrameReader().feed(sent)
            self.up.send(sent, self.now)
            self.robot.roll()
        return talk.result


def answer(number: int, text: str) -> bytes:
    """What a robot would say."""
    letter, numbers = text[0], [float(part) for part in text[1:].split(";") if part]
    if letter in "TU":
        numbers = [1]
    return write_checked(number, write_reply(letter, *numbers))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=100_000, help="for each target; late ones: a fiftieth")
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
