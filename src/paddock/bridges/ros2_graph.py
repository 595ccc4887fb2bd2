"""What a bridge offers to ROS: topics, subscriptions and services. A carrier takes it to others, in its own way."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from paddock.ros2 import RosMessage, RosQuality, ServiceType, encode_cdr, encode_json
from paddock.ros2.names import DEFAULT

if TYPE_CHECKING:
    from paddock.arena.time_lock import TimeLock

NODE = "paddock"
MOST_COMPLAINTS = 100
log = logging.getLogger("paddock.ros2")


@dataclass(eq=False, frozen=True)
class RosTopic:
    """Something that is published."""

    name: str
    type: type[RosMessage]
    make: Callable[[], RosMessage]  # the present message
    quality: RosQuality = DEFAULT
    period: float = 0.0  # seconds between two messages; 0: every round


@dataclass(eq=False, frozen=True)
class RosSubscription:
    """Something that is taken."""

    name: str
    type: type[RosMessage]
    take: Callable[[Any], None]  # within a turn of the arena; refuses with a PaddockError


@dataclass(eq=False, frozen=True)
class RosService:
    """Something that is done when asked."""

    name: str
    type: ServiceType
    answer: Callable[[Any, Callable[[RosMessage], None]], None]  # request, and what takes the response, perhaps later


class Sample:
    """A message on its way, in the form that each carrier wants; each form is made once."""

    def __init__(self, message: RosMessage) -> None:
        self.message = message

    @cached_property
    def cdr(self) -> bytes:
        """As bytes."""
        return encode_cdr(self.message)

    @cached_property
    def json(self) -> bytes:
        """As JSON."""
        return encode_json(self.message)


@dataclass(eq=False)
class RosGraph:
    """All that a bridge offers now, by name; topics and subscriptions come and go with robots."""

    topics: dict[str, RosTopic]
    subscriptions: list[RosSubscription]  # several may have the same name, and different types
    services: dict[str, RosService]


class Complaints:
    """Problems with topics and services, told in the log; each is told once."""

    def __init__(self, who: str) -> None:
        self._who = who
        self._told: set[tuple[str, str]] = set()

    def tell(self, name: str, problem: object, *, trace: bool = False) -> None:
        """There is a problem with a topic or a service."""
        text = str(problem)
        if (name, text) not in self._told and len(self._told) < MOST_COMPLAINTS:
            self._told.add((name, text))
            log.warning("%s: %s: %s", self._who, name, text, exc_info=trace)


class RosCarrier(ABC):
    """A way to reach nodes. But for `start`, all is called in the thread of the server's event loop."""

    kind: ClassVar[str]

    @cached_property
    def complaints(self) -> Complaints:
        """What was wrong with messages that came."""
        return Complaints(self.kind)

    @abstractmethod
    def start(self, graph: RosGraph, time: TimeLock) -> None:
        """Begin: services are known, topics follow. What comes in is handed over with `time.call`."""

    @abstractmethod
    def describe(self) -> Iterable[str]:
        """A line for people."""

    @abstractmethod
    def add_topic(self, topic: RosTopic) -> None:
        """A topic is there from now on."""

    @abstractmethod
    def remove_topic(self, topic: RosTopic) -> None:
        """It is there no more."""

    @abstractmethod
    def add_subscription(self, subscription: RosSubscription) -> None:
        """Messages are taken from now on."""

    @abstractmethod
    def remove_subscription(self, subscription: RosSubscription) -> None:
        """They are taken no more."""

    def announce(self) -> None:  # noqa: B027 (only some have to)
        """Topics, subscriptions or services have changed."""

    @abstractmethod
    def has_readers(self, topic: RosTopic) -> bool:
        """Whether somebody listens; else nothing is made. Latched topics are always published."""

    @abstractmethod
    def publish(self, topic: RosTopic, sample: Sample) -> None:
        """Send a message."""

    @abstractmethod
    def close(self) -> None:
        """End; called in the thread of whoever closes the bridge, after the last publication."""
