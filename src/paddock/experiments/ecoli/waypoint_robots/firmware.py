"""OrderFirmware: the emulated firmware of a robot that takes orders. Takes bytes and ticks, returns bytes."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Generator

from paddock.bridges.epuck.emulator.hardware import EPuckHardware
from paddock.core.errors import BadMessage
from paddock.core.geometry import Pose, wrap
from paddock.experiments.ecoli.waypoint_robots import texts
from paddock.experiments.ecoli.waypoint_robots.driving import (
    APPROACH,
    CHECKED,
    LEGACY,
    TRIES,
    AvoidanceStrategy,
    DistalAvoidance,
    Driver,
    allow_seconds,
)
from paddock.experiments.ecoli.waypoint_robots.frames import (
    MARK,
    FrameReader,
    LegacyReader,
    is_newer,
    next_number,
    read_checked,
    write_checked,
    write_frame,
)
from paddock.experiments.ecoli.waypoint_robots.motion import CONSTANTS, RobotMotion
from paddock.experiments.ecoli.waypoint_robots.texts import (
    CM,
    DRIVING,
    Order,
    read_order,
    read_order_loosely,
    write_order,
    write_reply,
)

ANNOUNCEMENT = 16  # length of the radio's text about a new connection, which the robot reads as an order; our choice
REMEMBERED = 32  # number of replies that are kept for repeated orders
LEASE = 0.5  # [s] without a message after which wheel speeds expire
SESSION_OVER = 5.0  # [s] without a checked frame after which a plain `i` ends checked mode; prevents accidental ends
NO_SENSOR = -1  # reading of a light sensor that the robot does not have
MAX_INPUT = 1 << 14  # maximum bytes that wait while the robot does not read

Task = Generator[None, None, str]
"""An order that takes ticks. Returns the text of its reply."""


class OrderFirmware:
    """The firmware of a robot that takes orders.

    It starts in legacy mode, with the behaviour and quirks of a robot of 2012. A host can switch it to checked mode,
    unless `knows_checked` is False.
    """

    def __init__(
        self,
        hardware: EPuckHardware,
        dt: float,
        *,
        knows_checked: bool = True,
        avoidance: AvoidanceStrategy | None = None,
        tries: int = TRIES,
    ) -> None:
        """
        Args:
            hardware: motors, step counters and proximity sensors.
            dt: period of the calls of `tick` [s].
            knows_checked: False for a robot that never leaves legacy mode.
            avoidance: obstacle avoidance in checked mode; None for the published strategy, except in the last
                centimetres. Legacy mode always uses the published strategy.
            tries: attempts to pass obstacles before a go-to fails.
        """
        self.hardware, self.dt, self.knows_checked = hardware, dt, knows_checked
        self._avoidance, self._tries = avoidance or DistalAvoidance(approach=APPROACH), tries
        self.restart()

    def restart(self) -> None:
        """Reset the robot to its state after switching on."""
        self.mode = LEGACY
        self.motion = RobotMotion(self.hardware, self.dt)
        self.driver = Driver(self.motion, self._avoidance, tries=self._tries)
        self.orders_carried_out = 0
        self._input, self._output = bytearray(), bytearray()
        self._plain, self._frames = LegacyReader(), FrameReader()
        self._task: Task | None = None
        self._task_number = 0  # number of the current checked order
        self._task_text = ""  # text of the current or last driving order
        self._session = -1  # session number chosen by the host in checked mode
        self._last_number = 0
        self._memory: OrderedDict[int, str] = OrderedDict()  # replies by the number of their order
        self._lease = 0.0  # remaining seconds until the wheel speeds expire
        self._avoiding_time = 0.0  # [s], moving time of orders O, which is the reply to T in legacy mode
        self._quiet = 0.0  # seconds since the last checked frame
        self._led = -1.0
        self.motion.stop()

    def abandon(self) -> None:
        """Stop the robot and drop its current order after a failure of the firmware."""
        self._task, self._lease = None, 0.0
        self.motion.stop()

    @property
    def idle(self) -> bool:
        """Whether the robot waits for an order and no input is pending."""
        return self._task is None and not self._input

    @property
    def current_order(self) -> str:
        """Text of the current driving order; empty while the robot waits."""
        return "" if self._task is None else self._task_text

    @property
    def pose(self) -> Pose:
        """Pose estimated by the robot [m, rad]."""
        return self.motion.pose

    # ---- bytes

    def welcome(self) -> bytes:
        """Return the text that a connecting host receives."""
        return write_frame(write_reply(texts.UNKNOWN, ANNOUNCEMENT))

    def receive(self, data: bytes) -> bytes:
        """Store bytes of the host. The answers are returned by `tick`."""
        with self.hardware.hold_clock():
            self._input += data
            del self._input[:-MAX_INPUT]
        return b""

    def tick(self) -> bytes:
        """Process the input and advance the motion by one tick. Return the bytes to send."""
        self._quiet += self.dt
        if self.mode is CHECKED or self._task is None:  # a robot of 2012 does not read while it drives
            self._read()
        if self._task is not None:
            self._work(self._task)
        elif self.mode is CHECKED:
            self._hold_speeds()
        self._show_waiting()
        sent = bytes(self._output)
        self._output.clear()
        return sent

    def _read(self) -> None:
        data = bytes(self._input)
        self._input.clear()
        if self.mode is CHECKED:
            for message in self._frames.feed(data):
                self._take_checked(message)
        elif (text := self._plain.feed(data)) is not None and not self._begin_session(text):
            order = read_order_loosely(text)
            if order is None:
                self._output += write_frame(write_reply(texts.UNKNOWN, len(text)))
            else:
                self._carry_out(order)

    def _work(self, task: Task) -> None:
        try:
            next(task)
        except StopIteration as end:
            self._task = None
            self._answer(self._task_number, end.value)

    def _hold_speeds(self) -> None:
        """Update the odometry under direct wheel speeds, and stop when they expire."""
        self.motion.count()
        if self._lease > 0:
            self._lease -= self.dt
            self.motion.moving_time += self.dt
            if self._lease <= 0:
                self.motion.stop()

    def _show_waiting(self) -> None:
        """Switch the body LED on while the robot waits for an order."""
        led = float(self._task is None)
        if led != self._led:
            self._led = led
            self.hardware.set_led("body", led)

    # ---- checked mode

    def _begin_session(self, text: str) -> bool:
        """Handle a checked frame in legacy mode: a request for checked mode, or a frame of an ended session.

        Return whether the text was a checked frame.
        """
        if not (self.knows_checked and text.startswith(MARK)):
            return False
        frame = read_checked(text)
        if frame is None:
            self._output += write_checked(0, write_reply(texts.REPEAT))
        elif frame.number == 0 and frame.text[:1] == "K" and frame.text[1:].isdecimal():
            self._agree(int(frame.text[1:]))
        else:
            self._output += write_checked(0, write_reply(texts.NO_SESSION))
        return True

    def _agree(self, session: int) -> None:
        if session != self._session:  # a repeated request of the same session keeps the stored replies
            self._session, self._last_number = session, 0
            self._memory.clear()
            self.mode, self.motion.odometry.form = CHECKED, CHECKED.odometry
            self.driver.light_sensitivity = 0.0
            self._task, self._lease, self._quiet = None, 0.0, 0.0  # end a drive of the previous session
            self.motion.stop()
        self._output += write_checked(0, write_reply("K", session))

    def _take_checked(self, text: str) -> None:
        frame = read_checked(text)
        if frame is None:
            if text == "i" and self._task is None and self._quiet > SESSION_OVER:  # a host of 2012 connects
                self.mode, self.motion.odometry.form, self._session = LEGACY, LEGACY.odometry, -1
                self._carry_out(Order("i"))
            else:
                self._output += write_checked(0, write_reply(texts.REPEAT))
            return
        self._lease, self._quiet = LEASE if self._lease > 0 else 0.0, 0.0
        if frame.number == 0:
            if frame.text[:1] == "K" and frame.text[1:].isdecimal():
                self._agree(int(frame.text[1:]))
        elif frame.number in self._memory:
            self._output += write_checked(frame.number, self._memory[frame.number])
        elif self._task is not None and frame.number == self._task_number:
            self._output += write_checked(frame.number, write_reply(texts.WORKING))
        elif frame.number == next_number(self._last_number) or (
            frame.text == "S" and is_newer(frame.number, self._last_number)  # the previous order may have been lost
        ):
            self._last_number = frame.number
            self._take_new(frame.number, frame.text)

    def _take_new(self, number: int, text: str) -> None:
        try:
            order = read_order(text)
        except BadMessage:
            self._answer(number, write_reply(texts.REFUSED))
            return
        busy = self._task is not None
        if order.letter == "S":
            self.motion.halted, self._lease = busy, 0.0
            self.motion.stop()
        if busy and (order.letter in DRIVING or order.letter in "PAw"):
            self._answer(number, write_reply(texts.BUSY))
        else:
            self._carry_out(order, number)

    def _answer(self, number: int, reply: str) -> None:
        if self.mode is not CHECKED:
            self._output += write_frame(reply)
            return
        self._memory[number] = reply
        while len(self._memory) > REMEMBERED:
            self._memory.popitem(last=False)
        self._output += write_checked(number, reply)

    # ---- orders

    def _carry_out(self, order: Order, number: int = 0) -> None:
        self.orders_carried_out += 1
        if order.letter not in DRIVING:
            self._answer(number, self._do(order))
            return
        self.motion.halted, self._lease = False, 0.0
        self._task, self._task_number, self._task_text = self._drive(order), number, write_order(order)
        if self.mode is CHECKED:
            self._output += write_checked(number, write_reply(texts.ACCEPTED))

    def _do(self, order: Order) -> str:
        """Carry out an order that takes no time. Return its reply."""
        motion, letter, numbers = self.motion, order.letter, order.numbers
        x, y, heading = motion.pose
        match letter:
            case "P":
                motion.set_pose(Pose(numbers[0] * CM, numbers[1] * CM, heading))
            case "A":
                motion.set_pose(Pose(x, y, wrap(numbers[0])))
            case "N":
                self.driver.threshold = numbers[0]
            case "D":
                numbers = (x / CM, y / CM, heading)
            case "T":
                numbers = (self._avoiding_time if self.mode is LEGACY else motion.moving_time,)
            case "U":
                numbers = (self.driver.detections,)
            case "X":
                numbers = self._front_proximity()
            case "l":
                self.driver.light_sensitivity = max(0.0, numbers[0])
            case "e":
                return self._write_record(int(numbers[0]))
            case "w":
                motion.set_speeds(*numbers)
                self._lease = LEASE
        if letter in "qw":
            state = (x / CM, y / CM, heading, *motion.counts, *self.hardware.read("proximity"))
            return write_reply("q", *state)
        return write_reply(letter, *numbers)

    def _write_record(self, number: int) -> str:
        record = self.driver.records.get(number) if number else self.driver.record()
        if record is None:
            return write_reply(texts.REFUSED)
        x, y, heading = record.pose
        light = record.light or [NO_SENSOR] * len(record.proximity)
        return write_reply("e", number, x / CM, y / CM, heading, *record.proximity, *light)

    def _drive(self, order: Order) -> Task:
        motion, began, letter, numbers = self.motion, self.motion.moving_time, order.letter, order.numbers
        if letter in "GO":
            target = numbers[0] * CM, numbers[1] * CM
            reached = yield from self.driver.go_to(target, self.mode, avoiding=letter == "O")
            self._avoiding_time += (motion.moving_time - began) * (letter == "O")
            here = motion.pose.x / CM, motion.pose.y / CM
            if not reached:
                return write_reply(texts.STOPS_AT, *here)
            ordered = letter == "G" and self.mode is LEGACY
            return write_reply(letter, *(numbers if ordered else here))
        if letter == "c":
            distance = math.hypot(numbers[0] * CM - motion.pose.x, numbers[1] * CM - motion.pose.y)
            self._limit_drive(CONSTANTS.drive_seconds(distance))
            done = yield from motion.forward(distance)
        else:
            angle = wrap(numbers[0] - motion.pose.heading) if letter == "a" else numbers[0]
            self._limit_drive(CONSTANTS.turn_seconds(angle))
            done = yield from motion.turn(angle)
        if not done:
            return write_reply(texts.STOPS_AT, motion.pose.x / CM, motion.pose.y / CM)
        if letter == "c":
            return write_reply("c", motion.moving_time - began)
        if letter == "a":
            return write_reply("a", *self._front_proximity())
        return write_reply("b", motion.pose.heading, motion.moving_time - began)

    def _limit_drive(self, expected: float) -> None:
        """Limit the duration of a drive in checked mode, in case the wheels are blocked. Legacy mode has no limit."""
        allowed = allow_seconds(expected, self._tries) if self.mode is CHECKED else math.inf
        self.motion.limit = self.motion.moving_time + allowed

    def _front_proximity(self) -> tuple[int, ...]:
        proximity = self.hardware.read("proximity")
        return tuple(proximity[i] for i in (0, 1, 7, 6))
