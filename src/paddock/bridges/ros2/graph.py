"""The ROS graph of a bridge: topics, subscriptions and services. A transport connects it to other nodes."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from paddock.bridges.ros2.wire import RosMessage, RosQuality, ServiceType, encode_cdr, encode_json
from paddock.bridges.ros2.wire.names import DEFAULT

if TYPE_CHECKING:
    from paddock.arena.time_lock import TimeLock

NODE = "paddock"
MAX_PROBLEMS = 100
log = logging.getLogger("paddock.ros2")


@dataclass(eq=False, frozen=True)
class RosTopic:
    """A topic that the bridge publishes."""

    name: str
    type: type[RosMessage]
    make: Callable[[], RosMessage]  # creates the current message
    quality: RosQuality = DEFAULT
    period: float = 0.0  # seconds between two messages; 0: in every publishing cycle


@dataclass(eq=False, frozen=True)
class RosSubscription:
    """A topic that the bridge subscribes to."""

    name: str
    type: type[RosMessage]
    take: Callable[[Any], None]  # processes a message within a turn of the arena; raises PaddockError to reject it


@dataclass(eq=False, frozen=True)
class RosService:
    """A service that the bridge offers."""

    name: str
    type: ServiceType
    answer: Callable[[Any, Callable[[RosMessage], None]], None]  # (request, send_response); may respond later


class Sample:
    """A message to be sent, in the encodings of the transports; each encoding is computed once."""

    def __init__(self, message: RosMessage) -> None:
        self.message = message

    @cached_property
    def cdr(self) -> bytes:
        """The message in CDR encoding."""
        return encode_cdr(self.message)

    @cached_property
    def json(self) -> bytes:
        """The message as JSON."""
        return encode_json(self.message)


@dataclass(eq=False)
class RosGraph:
    """The current topics, subscriptions and services of a bridge. Topics and subscriptions change with the robots."""

    topics: dict[str, RosTopic]
    subscriptions: list[RosSubscription]  # several may have the same name but different types
    services: dict[str, RosService]


class ProblemLog:
    """Logs problems with topics and services; each problem is logged once."""

    def __init__(self, who: str) -> None:
        self._who = who
        self._reported: set[tuple[str, str]] = set()

    def report(self, name: str, problem: object, *, trace: bool = False) -> None:
        """Log a problem with a topic or a service."""
        text = str(problem)
        if (name, text) not in self._reported and len(self._reported) < MAX_PROBLEMS:
            self._reported.add((name, text))
            log.warning("%s: %s: %s", self._who, name, text, exc_info=trace)


class RosTransport(ABC):
    """A transport to ROS nodes. All methods except `start` are called in the thread of the server's event loop."""

    kind: ClassVar[str]

    @cached_property
    def problems(self) -> ProblemLog:
        """Log of problems with received messages."""
        return ProblemLog(self.kind)

    @abstractmethod
    def start(self, graph: RosGraph, time: TimeLock) -> None:
        """Start the transport with the services; topics are added later. Pass received messages to `time.call`."""

    @abstractmethod
    def describe(self) -> Iterable[str]:
        """Yield a description for the user."""

    @abstractmethod
    def add_topic(self, topic: RosTopic) -> None:
        """Add a published topic."""

    @abstractmethod
    def remove_topic(self, topic: RosTopic) -> None:
        """Remove a published topic."""

    @abstractmethod
    def add_subscription(self, subscription: RosSubscription) -> None:
        """Start to receive messages of a subscription."""

    @abstractmethod
    def remove_subscription(self, subscription: RosSubscription) -> None:
        """Stop receiving messages of a subscription."""

    def announce(self) -> None:  # noqa: B027 (only some have to)
        """Announce changed topics, subscriptions or services to other nodes."""

    @abstractmethod
    def has_readers(self, topic: RosTopic) -> bool:
        """Return whether a topic has subscribers; otherwise no messages are created. Latched topics ignore this."""

    @abstractmethod
    def publish(self, topic: RosTopic, sample: Sample) -> None:
        """Send a message."""

    @abstractmethod
    def close(self) -> None:
        """Close the transport; called after the last publication, in the thread that closes the bridge."""
