"""Client: state of one connection in a session: its permissions, robots and subscriptions."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

from paddock.arena import Arena, Robot, Snapshot
from paddock.core.errors import PaddockError, Refused, SimulationError
from paddock.network.protocol import Encoding, Message
from paddock.network.protocol.encoding import to_json, to_msgpack
from paddock.network.protocol.messages import Refusal
from paddock.network.server.core.access import Grant, Role
from paddock.network.server.core.clock import Member
from paddock.network.server.core.fair_shares import Share

if TYPE_CHECKING:
    from paddock.network.server.core.session import Session

log = logging.getLogger("paddock.server")

LONGEST_TEXT = 2000  # characters
MAX_WAITING = 256 * 1024  # unread bytes of a slow client above which streams skip ticks


@dataclass
class Subscription:
    """Devices of a robot that are sent once per period of simulated time."""

    robot: Robot  # a separate handle with only these devices enabled
    every: int  # ticks
    next: int  # tick
    jpeg: bool
    stream: str
    devices: tuple[str, ...] = ()  # requested devices; empty: all

    def choose(self, grant: Grant) -> None:
        """Enable the requested devices that the robot has and the grant allows."""
        for name, device in self.robot.devices.items():
            wanted = grant.allows(name) and (not self.devices or name in self.devices)
            if wanted != device.enabled:
                (device.enable if wanted else device.disable)()
            if name in self.devices:
                device.polled = False
        self.robot.refresh()

    def follow(self, arena: Arena, grant: Grant) -> Subscription:
        """Return the same subscription to the robot of that name in another arena."""
        moved = replace(self, robot=arena.robots.new_handle(self.robot.name), next=arena.tick)
        moved.choose(grant)
        return moved


@dataclass
class FrameStream:
    """Frames with the poses of robots; each is sent after the client has confirmed the previous one."""

    period: float  # wall seconds
    sent: int = 0
    confirmed: int = 0
    last: tuple[int, int, bytes, bytes, bytes] | None = None  # tick, changes of owners, bodies, LEDs, things
    timer: asyncio.TimerHandle | None = None  # until the next frame


@dataclass(eq=False)
class Client:
    """A connected client."""

    name: str
    grant: Grant
    share: Share  # its use of the server is charged to this share
    write: Callable[[bytes, bool], None]  # (data, whether it is text)
    unread: Callable[[], int]  # bytes waiting to be sent
    close: Callable[[int, str], None]  # (code, reason)
    session: Session = field(init=False)  # in which it is
    encoding: Encoding = "msgpack"
    requested_name: str = field(init=False)  # name that the client sent
    member: Member = field(init=False)
    received: int = 0  # bytes of the message being handled
    wants_lock: bool = False
    timeout: float = 10.0  # requested time [s] for which others wait for it in the lock
    wants_events: bool = False
    shows: bool = False  # whether it sends maps and estimates when asked
    silent: bool = False  # it does not respond or is idle
    last_request_at: float = field(default_factory=time.monotonic)  # time of its last request, by the loop's clock
    ended: bool = False  # it has reported the end of its program
    loss: str = ""  # why its connection was lost
    step_id: int | None = None  # of the pending step
    handles: dict[str, Robot] = field(default_factory=dict)  # with its own selection of devices
    driven: list[str] = field(default_factory=list)  # robots that it claimed or spawned
    subscriptions: dict[tuple[str, str], Subscription] = field(default_factory=dict)  # by robot and stream
    due: int = 0  # no subscription is due before this tick
    frames: FrameStream | None = None
    stale: set[str] = field(default_factory=set)  # kinds of notifications to be sent: "robots", "clock", …
    snapshots: dict[int, Snapshot] = field(default_factory=dict)
    snapshot_numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        self.requested_name, self.member = self.name, Member(self.name)

    def send(self, message: Message) -> None:
        """Send a message. An error is logged and affects only this client."""
        try:
            if self.encoding == "msgpack":
                self.write(to_msgpack(message), False)
            else:
                self.write(to_json(message), True)
        except Exception:
            log.exception("cannot send to %s: %s", self.name, message.type)

    @property
    def slow(self) -> bool:
        """Whether it reads so slowly that streams should skip ticks."""
        return self.unread() > MAX_WAITING

    def handle(self, arena: Arena, name: str) -> Robot:
        """Return this client's own handle to a robot."""
        handle = self.handles.get(name)
        if handle is None:
            handle = self.handles[name] = arena.robots.new_handle(name)
        return handle

    def follow(self, arena: Arena) -> None:
        """Replace the handles and subscriptions by those of another arena, for robots of the same names."""
        before, self.handles = self.handles, {}
        for name, handle in before.items():
            if name in arena:
                copy_choice(handle, self.handle(arena, name), self.grant)
        kept = {key: each for key, each in self.subscriptions.items() if key[0] in arena}
        self.subscriptions = {key: each.follow(arena, self.grant) for key, each in kept.items()}
        self.snapshots.clear()
        self.due = arena.tick

    def stop_frames(self) -> None:
        """Stop sending frames."""
        if self.frames is not None and self.frames.timer is not None:
            self.frames.timer.cancel()
        self.frames = None

    def forget(self, robot: str) -> None:
        """Remove all references to a removed robot."""
        self.handles.pop(robot, None)
        self.subscriptions = {key: kept for key, kept in self.subscriptions.items() if key[0] != robot}
        if robot in self.driven:
            self.driven.remove(robot)


def copy_choice(source: Robot, target: Robot, grant: Grant) -> None:
    """Enable the devices of a robot that are enabled on another handle, as far as a grant allows."""
    for name, device in source.devices.items():
        if device.enabled and name in target.devices and grant.allows(name):
            target.devices[name].enable()
            target.devices[name].polled = device.polled


def check_count(what: str, client: Client, count: int, limit: int) -> None:
    """Refuse to exceed the limit of a token, counted over all its connections."""
    if count > limit and client.grant.role is not Role.SUPERVISOR:
        raise Refused(
            f"{what}: your token has reached its limit of {limit} for all its connections together: end one first"
        )


def refusal(error: PaddockError, id: int | None) -> Refusal:
    """Return the message that reports an error to a client."""
    text = str(error)
    return Refusal(
        id=id, error=type(error).__name__, message=text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + "…"
    )


def failure(what: str, id: int | None) -> Refusal:
    """Return the message that reports an internal error; the details are in the log."""
    return refusal(SimulationError(f"{what}: the server failed; see its log"), id)


def describe_loss(error: Exception | None, *, ended: bool) -> str:
    """Describe why a connection was lost without a close message; `ended`: the peer's system closed it."""
    if ended or isinstance(error, ConnectionResetError | BrokenPipeError):
        return "its program was killed, or its machine was switched off"
    return f"its machine no longer answers: is it disconnected from the network? ({error or 'no response'})"
