"""Bus: a module's connection to the others, independent of the transport of the messages."""

from __future__ import annotations

import json
import math
import threading
import time
from abc import abstractmethod
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Union
from urllib.parse import urlsplit

import msgspec

from paddock.core.closing import Closing
from paddock.core.errors import BadMessage, LinkError, format_value, suggestion
from paddock.core.registry import Registry
from paddock.network.nodes.node_messages import EVERYONE, MESSAGES, ModuleMessage, PresenceMessage, Quality

PROTOCOL = 1
LONGEST_LINE = 1 << 20  # bytes; a map of 20 m by 20 m with cells of 5 cm takes about ten thousand
ADDRESS = ("destinationModuleId", "sourceModuleId", "type")

_UNION: Any = Union[tuple(MESSAGES.values())]  # noqa: UP007
_decode = msgspec.json.Decoder(_UNION).decode
_encode = msgspec.json.Encoder(order="sorted").encode
TRANSPORTS: Registry[type[Bus]] = Registry(
    "transport",
    group="paddock.transports",
    builtin={
        "memory": "paddock.network.nodes.bus:MemoryBus",
        "zenoh": "paddock.network.nodes.transports.zenoh:ZenohBus",
        "lines": "paddock.network.nodes.transports.line_transport:LineBus",
    },
)
"""Bus classes by the scheme of their URL."""
MAX_WAITING = 10_000  # messages in an inbox
Post = tuple[ModuleMessage, bytes]  # a message, and its line


def encode_message(message: ModuleMessage) -> bytes:
    """Encode a message as one line without line end, with keys in alphabetical order."""
    return _encode(message)


def encode_original(message: ModuleMessage) -> bytes:
    """Encode a message as AP2DX would send it: with its fields only, including those with default values.

    AP2DX has no null: a sensor without a return reports its maximum range.
    """
    table = {
        info.encode_name: msgspec.to_builtins(getattr(message, info.name)) for info in msgspec.structs.fields(message)
    }
    for key in ("rangeArray", "dataArray"):
        if key in table:
            table[key] = [table["max_range"] if value is None else value for value in table[key]]
    table["type"] = message.__struct_config__.tag
    keys = sorted((*ADDRESS, *message.original), key=lambda key: (key[0].isupper(), key))  # Bidirection is last
    return msgspec.json.encode({key: table[key] for key in keys})


def decode_message(line: bytes) -> ModuleMessage:
    """Decode a message from a line. Unknown fields are ignored; unknown types are rejected.

    Raises:
        BadMessage: the line is not a valid message; the text names the error and its location.
    """
    if len(line) > LONGEST_LINE:
        raise BadMessage(f"a line of {len(line)} bytes: at most {LONGEST_LINE} are allowed")
    try:
        message: ModuleMessage = _decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadMessage(_explain(line, str(error))) from None
    return message


def _explain(line: bytes, problem: str) -> str:
    try:
        table = json.loads(line)
    except (ValueError, RecursionError):
        return f"not valid JSON: {line[:60]!r}"
    if not isinstance(table, dict):
        return f"expected a JSON object, got {line[:60]!r}"
    kind = table.get("type")
    if not isinstance(kind, str) or kind not in MESSAGES:
        return f"no message of type {kind!r}{suggestion(str(kind), MESSAGES)}"
    return f"{kind}: {problem}"


def message_schema() -> dict[str, Any]:
    """Return the JSON Schema of all messages."""
    schema: dict[str, Any] = msgspec.json.schema(_UNION)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Paddock module messages"} | schema


class Inbox:
    """Queue of messages for a module; any thread may add some. Only the newest message of a stream is kept."""

    def __init__(self, *, lossless: bool = False) -> None:
        self.dropped = self.refused = self.lost = 0
        self._lossless = lossless
        self._waiting: OrderedDict[Any, Post] = OrderedDict()
        self._newest: dict[tuple[str, str], int] = {}  # sequence, by source and destination
        self._count = 0
        self._filled = threading.Condition()

    def put_lines(self, lines: Iterable[bytes]) -> None:
        """Add messages from lines; count lines that are not valid messages."""
        posts = []
        for line in lines:
            try:
                posts.append((decode_message(line), line))
            except BadMessage:
                self.refused += 1
        self.put(posts)

    def put(self, posts: Iterable[Post]) -> None:
        """Add messages and wake the waiting thread once for all of them."""
        with self._filled:
            for post in posts:
                self._add(post)
            self._filled.notify()

    def _add(self, post: Post) -> None:
        message = post[0]
        self._count_lost(message)
        self._count += 1
        key: Any = self._count
        if message.quality is Quality.STREAM and not self._lossless:
            key = (message.source, type(message), getattr(message, "device", ""))
            self.dropped += key in self._waiting
        elif len(self._waiting) >= MAX_WAITING:
            self._waiting.popitem(last=False)
            self.dropped += 1
        self._waiting[key] = post
        self._waiting.move_to_end(key)  # earlier messages are handled before the new one

    def _count_lost(self, message: ModuleMessage) -> None:
        if isinstance(message, PresenceMessage):  # created locally, without a number
            return
        line = message.source, message.destination
        before = self._newest.get(line)
        if before is not None and message.sequence > before + 1:
            self.lost += message.sequence - before - 1
        self._newest[line] = message.sequence

    def get(self, timeout: float | None) -> ModuleMessage | None:
        """Return the next message, or None after the timeout [s]. A timeout of None waits indefinitely."""
        with self._filled:
            return self._waiting.popitem(last=False)[1][0] if self._wait(timeout) else None

    def get_all(self, timeout: float | None) -> list[Post]:
        """Return all waiting messages; wait for the first one until the timeout [s]."""
        with self._filled:
            self._wait(timeout)
            posts = list(self._waiting.values())
            self._waiting.clear()
            return posts

    def _wait(self, timeout: float | None) -> bool:
        return bool(self._waiting) or self._filled.wait_for(lambda: bool(self._waiting), timeout)


class Bus(Closing):
    """A module's connection to the bus.

    Messages of one source arrive in the order in which they were sent, but urgent ones may overtake others. Messages of
    type `presence` report which modules join and leave.

    Args:
        url: URL of the bus.
        name: the module's name.
        hears: the sources whose messages to all modules arrive; None: all sources. Messages to the module itself always
            arrive.
        lossless: every message of a stream arrives, not only the newest, and no message overtakes another.
        everything: messages to other modules arrive as well.
        timeout: wall seconds to wait for a hub at the URL before LinkError is raised.
    """

    def __init__(
        self,
        url: str,
        name: str,
        *,
        hears: Collection[str] | None = None,
        lossless: bool = False,
        everything: bool = False,
        timeout: float = math.inf,
    ) -> None:
        self.url, self.name, self.lossless, self.everything, self.timeout = url, name, lossless, everything, timeout
        self.hears = None if hears is None else frozenset(hears)
        self.inbox = Inbox(lossless=lossless)
        self.sends = 0
        self._sequences: Counter[str] = Counter()
        self._held: list[Post] | None = None  # messages to send together

    def send(self, message: ModuleMessage) -> None:
        """Send a message; source, sequence number and time of sending are filled in."""
        sequence = self._sequences[message.destination]
        self._sequences[message.destination] = sequence + 1
        stamped = msgspec.structs.replace(message, source=self.name, sequence=sequence, sent=time.time())
        self.sends += 1
        post = stamped, encode_message(stamped)
        if self._held is None:
            self.carry([post])
        else:
            self._held.append(post)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Collect the messages sent inside and send them together at the end, so that receivers wake once."""
        if self._held is not None:
            yield
            return
        held: list[Post] = []
        self._held = held
        try:
            yield
        finally:
            self._held = None
            if held:
                self.carry(held)

    def receive(self, timeout: float | None = None) -> ModuleMessage | None:
        """Return the next message, or None after the timeout [s]."""
        return self.inbox.get(timeout)

    def receive_all(self, timeout: float | None = None) -> list[ModuleMessage]:
        """Return all waiting messages; wait for the first one until the timeout [s]."""
        return [message for message, _ in self.inbox.get_all(timeout)]

    def accepts(self, message: ModuleMessage) -> bool:
        """Return whether a message is addressed to this module."""
        if self.everything:
            return message.source != self.name
        if message.destination == EVERYONE:
            return message.source != self.name and (self.hears is None or message.source in self.hears)
        return message.destination == self.name

    def note_presence(self, name: str, present: bool) -> None:
        """Report to this module that another module has joined or left."""
        if name != self.name:
            message = PresenceMessage(source=name, destination=self.name, present=present)
            self.inbox.put([(message, encode_message(message))])

    @abstractmethod
    def carry(self, posts: Sequence[Post]) -> None:
        """Deliver messages, with their lines, to their destinations."""

    @abstractmethod
    def close(self) -> None:
        """Leave the bus."""


def open_bus(url: str, name: str, **options: Any) -> Bus:
    """Join a bus: `memory://lab`, `zenoh://127.0.0.1:7447` or `lines://127.0.0.1:5000`, with the options of `Bus`."""
    scheme = urlsplit(url).scheme if isinstance(url, str) and "://" in url else ""
    if not scheme:
        raise LinkError(f"bus: expected a URL such as 'zenoh://127.0.0.1:7447', got {format_value(url)}")
    return TRANSPORTS.get(scheme)(url, name, **options)


def split_address(url: str) -> tuple[str, int]:
    """Return host and port of a URL."""
    parts = urlsplit(url)
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or port is None:
        TRANSPORTS.get(parts.scheme)  # raises an error if the scheme is unknown
        raise LinkError(f"bus: expected a URL such as '{parts.scheme}://127.0.0.1:7447', got {format_value(url)}")
    return host, port


class MemoryBus(Bus):
    """Passes messages to other threads of this process. Modules with the same URL share a bus."""

    meetings: ClassVar[dict[str, dict[str, MemoryBus]]] = {}
    lock: ClassVar[threading.RLock] = threading.RLock()

    def __init__(self, url: str, name: str, **options: Any) -> None:
        super().__init__(url, name, **options)
        with self.lock:
            others = self.meetings.setdefault(url, {})
            if name in others:
                raise LinkError(f"{url}: a module {name} already exists")
            others[name] = self
            for other in others.values():
                other.note_presence(name, True)
                self.note_presence(other.name, True)

    def carry(self, posts: Sequence[Post]) -> None:
        """Put messages into the inboxes of the modules that accept them."""
        with self.lock:
            for other in self.meetings.get(self.url, {}).values():
                if wanted := [post for post in posts if other.accepts(post[0])]:
                    other.inbox.put(wanted)

    def close(self) -> None:
        """Leave the bus."""
        with self.lock:
            others = self.meetings.get(self.url, {})
            if others.get(self.name) is not self:
                return
            del others[self.name]
            for other in others.values():
                other.note_presence(self.name, False)
            if not others:
                del self.meetings[self.url]
