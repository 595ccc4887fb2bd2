"""Client: one connection's side of the session: who it is, what it drives, what it wants to see."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

from paddock.arena import Arena, Robot, Snapshot
from paddock.core.errors import PaddockError, Refused, SimulationError
from paddock.protocol import Encoding, Message
from paddock.protocol.encoding import to_json, to_msgpack
from paddock.protocol.messages import Refusal
from paddock.server.access import Grant, Role
from paddock.server.clock import Member
from paddock.server.frame_stream import FrameStream
from paddock.server.shares import Share

log = logging.getLogger("paddock.server")

LONGEST_TEXT = 2000  # letters
MOST_WAITING = 256 * 1024  # bytes that a slow reader may have unread before streams skip


@dataclass
class Subscription:
    """Devices of a robot that are sent once per period of simulated time."""

    robot: Robot  # a handle of its own, with just these devices enabled
    every: int  # ticks
    next: int  # tick
    jpeg: bool
    stream: str
    devices: tuple[str, ...] = ()  # that were asked for; none named: all

    def choose(self, grant: Grant) -> None:
        """Enable what was asked for, as far as the robot has it and it may be read."""
        for name, device in self.robot.devices.items():
            wanted = grant.allows(name) and (not self.devices or name in self.devices)
            if wanted != device.enabled:
                (device.enable if wanted else device.disable)()
            if name in self.devices:
                device.polled = False
        self.robot.refresh()


@dataclass(eq=False)
class Client:
    """Someone connected."""

    name: str
    grant: Grant
    share: Share  # what it uses is charged to
    write: Callable[[bytes, bool], None]  # (data, whether it is text)
    unread: Callable[[], int]  # bytes that wait to be sent
    close: Callable[[int, str], None]  # (code, reason)
    encoding: Encoding = "msgpack"
    said: str = field(init=False)  # what it calls itself
    member: Member = field(init=False)
    received: int = 0  # bytes of the message that is handled
    wants_lock: bool = False
    timeout: float = 10.0  # seconds for which it wants others to wait for it
    wants_events: bool = False
    shows: bool = False  # what its program knows, when it is asked
    silent: bool = False  # no sign of life for a while
    heard: float = field(default_factory=time.monotonic)  # when it asked for something last, by the loop's clock
    ended: bool = False  # it has said that its program ends
    loss: str = ""  # why its connection ended without a word
    step_id: int | None = None  # of the step that is under way
    handles: dict[str, Robot] = field(default_factory=dict)  # its own choice of devices
    driven: list[str] = field(default_factory=list)  # robots that it claimed or brought along
    subscriptions: dict[tuple[str, str], Subscription] = field(default_factory=dict)  # by robot and stream
    due: int = 0  # no subscription is due before this tick
    frames: FrameStream | None = None
    stale: set[str] = field(default_factory=set)  # news that it has not been told yet: "robots", "clock"
    snapshots: dict[int, Snapshot] = field(default_factory=dict)
    snapshot_numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        self.said, self.member = self.name, Member(self.name)

    def send(self, message: Message) -> None:
        """Send a message, whatever waits already. What goes wrong stays between this client and the log."""
        try:
            if self.encoding == "msgpack":
                self.write(to_msgpack(message), False)
            else:
                self.write(to_json(message), True)
        except Exception:
            log.exception("%s could not be sent %s", self.name, message.type)

    @property
    def slow(self) -> bool:
        """Whether it reads so slowly that streams had better skip."""
        return self.unread() > MOST_WAITING

    def handle(self, arena: Arena, name: str) -> Robot:
        """This client's own handle to a robot."""
        handle = self.handles.get(name)
        if handle is None:
            handle = self.handles[name] = arena.robots.new_handle(name)
        return handle

    def stop_frames(self) -> None:
        """No more frames."""
        if self.frames is not None and self.frames.timer is not None:
            self.frames.timer.cancel()
        self.frames = None

    def forget(self, robot: str) -> None:
        """A robot is no more."""
        self.handles.pop(robot, None)
        self.subscriptions = {key: kept for key, kept in self.subscriptions.items() if key[0] != robot}
        if robot in self.driven:
            self.driven.remove(robot)


def check_count(what: str, client: Client, count: int, most: int) -> None:
    """Refuse more than a token may have of something, all its connections together."""
    if count > most and client.grant.role is not Role.SUPERVISOR:
        raise Refused(f"{what}: your token has its limit of {most} already, all connections together: end one first")


def refusal(error: PaddockError, id: int | None) -> Refusal:
    """An error as it is told to a client."""
    text = str(error)
    return Refusal(
        id=id, error=type(error).__name__, message=text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
    )


def failure(what: str, id: int | None) -> Refusal:
    """What a client is told of a mistake of the server's own; the log has the rest."""
    return refusal(SimulationError(f"{what}: the server failed; see its log"), id)


def describe_loss(error: Exception | None, *, ended: bool) -> str:
    """Why a connection may have ended without a word; `ended`: the other side's system closed it."""
    if ended or isinstance(error, ConnectionResetError | BrokenPipeError):
        return "its program was killed, or its machine was switched off"
    return f"its machine does not answer any more: is it off the network? ({error or 'no sign of life'})"
