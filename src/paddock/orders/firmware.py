"""OrderFirmware: the robot's program. Bytes come in, time passes tick by tick, bytes go out."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Generator

from paddock.core.errors import BadMessage
from paddock.core.geometry import Pose, wrap
from paddock.epuck.emulator.hardware import EPuckHardware
from paddock.orders import texts
from paddock.orders.avoidance import APPROACH, AvoidanceStrategy, DistalAvoidance
from paddock.orders.checked_frames import MARK, is_newer, next_number, read_checked, write_checked
from paddock.orders.driving import CHECKED, LEGACY, TRIES, Driver, allow_seconds
from paddock.orders.legacy_frames import FrameReader, LegacyReader, write_frame
from paddock.orders.motion import RobotMotion
from paddock.orders.texts import CM, DRIVING, Order, read_order, read_order_loosely, write_order, write_reply

ANNOUNCEMENT = 16  # characters of what the radio says about a new connection, which the robot takes for an order; ours
REMEMBERED = 32  # replies that are kept for orders that come again
LEASE = 0.5  # [s] after which a robot that hears of no wheel speeds stands
SESSION_OVER = 5.0  # [s] without a checked frame after which a plain `i` ends checked mode; not one by accident, then
MOST_INPUT = 1 << 14  # bytes that wait while the robot does not read

Task = Generator[None, None, str]
"""An order that takes ticks; in the end, the text of its reply."""


class OrderFirmware:
    """A robot that understands orders. It starts as a robot of 2012, quirks included; a host that asks for checked
    mode gets another program, unless `knows_checked` is False."""

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
            dt: how often `tick` is called [s].
            knows_checked: False for a robot that never leaves legacy mode.
            avoidance: what to do about obstacles in checked mode; None: as published, but for the last centimetres.
                Legacy mode always does as published.
            tries: to pass obstacles, before a go-to is given up.
        """
        self.hardware, self.dt, self.knows_checked = hardware, dt, knows_checked
        self._avoidance, self._tries = avoidance or DistalAvoidance(approach=APPROACH), tries
        self.restart()

    def restart(self) -> None:
        """Switched off and on: it stands, and remembers nothing."""
        self.mode = LEGACY
        self.motion = RobotMotion(self.hardware, self.dt)
        self.driver = Driver(self.motion, self._avoidance, tries=self._tries)
        self.orders_carried_out = 0
        self._input, self._output = bytearray(), bytearray()
        self._plain, self._frames = LegacyReader(), FrameReader()
        self._task: Task | None = None
        self._task_number = 0  # of the checked order that is under way
        self._task_text = ""  # the order that was last under way
        self._session = -1  # number that the host of checked mode has chosen
        self._last_number = 0
        self._memory: OrderedDict[int, str] = OrderedDict()  # replies by the number of their order
        self._lease = 0.0  # seconds for which the wheels may go on turning
        self._avoiding_time = 0.0  # [s] that orders O took: all that T tells in legacy mode
        self._quiet = 0.0  # seconds since the last checked frame
        self._lamp = -1.0
        self.motion.stop()

    def abandon(self) -> None:
        """Its program has failed: it stands, and drops what it was at."""
        self._task, self._lease = None, 0.0
        self.motion.stop()

    @property
    def idle(self) -> bool:
        """Whether it waits for an order, and none has come."""
        return self._task is None and not self._input

    @property
    def order_under_way(self) -> str:
        """The order that it drives for; an empty text while it waits for one."""
        return "" if self._task is None else self._task_text

    @property
    def pose(self) -> Pose:
        """Where the robot takes itself to be [m, rad]."""
        return self.motion.pose

    # ---- bytes

    def welcome(self) -> bytes:
        """What a host hears when it connects."""
        return write_frame(write_reply(texts.UNKNOWN, ANNOUNCEMENT))

    def receive(self, data: bytes) -> bytes:
        """Take bytes of the host; what there is to answer comes with the ticks."""
        with self.hardware.hold_clock():
            self._input += data
            del self._input[:-MOST_INPUT]
        return b""

    def tick(self) -> bytes:
        """A tick has passed: read what has come, drive on, and give the bytes to send."""
        self._quiet += self.dt
        if self.mode.reads_while_driving or self._task is None:
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
        """Wheels that a host steers itself: count steps, and stand when it is silent."""
        self.motion.count()
        if self._lease > 0:
            self._lease -= self.dt
            self.motion.moving_time += self.dt
            if self._lease <= 0:
                self.motion.stop()

    def _show_waiting(self) -> None:
        """The body's lamp is on while the robot waits for an order."""
        lamp = float(self._task is None)
        if lamp != self._lamp:
            self._lamp = lamp
            self.hardware.set_lamp("body", lamp)

    # ---- checked mode

    def _begin_session(self, text: str) -> bool:
        """Whether a plain text was meant as a checked frame: to ask for checked mode, or of a session that is over."""
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
        if session != self._session:  # else the host asks again, and what it has ordered since stays known
            self._session, self._last_number = session, 0
            self._memory.clear()
            self.mode, self.motion.odometry.form = CHECKED, CHECKED.odometry
            self._task, self._lease, self._quiet = None, 0.0, 0.0  # who drives for a host that is gone stands
            self.motion.stop()
        self._output += write_checked(0, write_reply("K", session))

    def _take_checked(self, text: str) -> None:
        frame = read_checked(text)
        if frame is None:
            if text == "i" and self._task is None and self._quiet > SESSION_OVER:  # a host of 2012 begins anew
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
            frame.text == "S" and is_newer(frame.number, self._last_number)  # the order before it was lost
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
        """Carry out an order that takes no time; its reply."""
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
            case "w":
                motion.set_speeds(*numbers)
                self._lease = LEASE
        if letter in "qw":
            state = (x / CM, y / CM, heading, *motion.counts, *self.hardware.read("proximity"))
            return write_reply("q", *state)
        return write_reply(letter, *numbers)

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
            way = math.hypot(numbers[0] * CM - motion.pose.x, numbers[1] * CM - motion.pose.y)
            self._limit_drive(motion.constants.drive_seconds(way))
            done = yield from motion.forward(way)
        else:
            angle = wrap(numbers[0] - motion.pose.heading) if letter == "a" else numbers[0]
            self._limit_drive(motion.constants.turn_seconds(angle))
            done = yield from motion.turn(angle)
        if not done:
            return write_reply(texts.STOPS_AT, motion.pose.x / CM, motion.pose.y / CM)
        if letter == "c":
            return write_reply("c", motion.moving_time - began)
        if letter == "a":
            return write_reply("a", *self._front_proximity())
        return write_reply("b", motion.pose.heading, motion.moving_time - began)

    def _limit_drive(self, expected: float) -> None:
        """Wheels that are blocked do not turn for ever; a robot of 2012 knows no limit."""
        allowed = allow_seconds(expected, self._tries) if self.mode is CHECKED else math.inf
        self.motion.limit = self.motion.moving_time + allowed

    def _front_proximity(self) -> tuple[int, ...]:
        proximity = self.hardware.read("proximity")
        return tuple(proximity[i] for i in (0, 1, 7, 6))
