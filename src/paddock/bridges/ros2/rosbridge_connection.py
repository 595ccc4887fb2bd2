"""A client of the rosbridge protocol (version 2), in the event loop of the arena's server."""

from __future__ import annotations

import asyncio
import math
import struct
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from websockets.datastructures import Headers

from paddock.bridges.common.connection import MessageConnection
from paddock.bridges.ros2.graph import RosSubscription, RosTopic, Sample
from paddock.bridges.ros2.rosapi import LONGEST_TEXT, answer_rosapi, read_name, read_text
from paddock.bridges.ros2.websocket_source import WebSocketSource
from paddock.bridges.ros2.wire import RosMessage, find_message, read_json
from paddock.bridges.ros2.wire import messages as ros
from paddock.core.errors import BadMessage, PaddockError, Refused, UnknownName, format_value
from paddock.core.terminal_text import visible
from paddock.network.origins import foreign_header, own_hosts

if TYPE_CHECKING:
    from paddock.bridges.ros2.rosbridge import RosbridgeServer

MAX_SUBSCRIPTIONS = 1000  # maximum number of subscriptions of a client
LONGEST_INTERVAL = 10**12  # maximum throttle_rate [ms]
RAW = "cbor-raw"
COMPRESSIONS = ("none", "png", "cbor", RAW)  # png and cbor are sent as plain JSON, which all clients read
Operation = dict[str, Any]
decoder, encoder = msgspec.json.Decoder(), msgspec.json.Encoder()


class SubscriptionOptions(NamedTuple):
    """Settings of a client's subscription."""

    topic: str  # name of the topic as the client wrote it
    interval: float  # minimum time between two messages [s]
    raw: bool  # whether messages are sent as raw bytes in CBOR; otherwise as JSON


class RosbridgeConnection(MessageConnection[tuple[bool, bytes]]):
    """A client with its subscriptions and advertised topics.

    A client that sends an invalid operation receives a `status` message; other clients are not affected. Messages are
    not queued: a slow client misses messages.
    """

    kind = "rosbridge"
    most_waiting = 1 << 12
    server: RosbridgeServer

    def __init__(self, server: RosbridgeServer, loop: asyncio.AbstractEventLoop) -> None:
        self._socket = WebSocketSource(
            self._write, lambda: self._greeting.cancel(), lambda: loop.call_soon(self._end), self._find_problem
        )
        super().__init__(server, loop, self._socket)
        self._graph = server.hub.graph
        self._wanted: dict[str, dict[str, SubscriptionOptions]] = {}  # by topic and by subscription
        self._sent: dict[str, float] = {}  # time of the last message, by topic
        self._advertised: dict[str, str] = {}  # types, by topic
        self._operations: dict[str, Callable[[Operation], None]] = {
            "advertise": self._advertise,
            "unadvertise": self._unadvertise,
            "publish": self._publish,
            "subscribe": self._subscribe,
            "unsubscribe": self._unsubscribe,
            "call_service": self._call_service,
            "set_level": lambda operation: None,  # only errors and warnings are sent
        }

    def _write(self, data: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(data)

    def _end(self) -> None:
        """Close the connection as soon as the messages that the client sent before its end are processed."""
        if (self._job or self._messages) and self.can_work():
            self.loop.call_soon(self._end)
        else:
            self.transport.close()

    def _find_problem(self, headers: Headers) -> str:
        """Return why a web page is rejected, by the Host and Origin headers of the browser; "" if it is accepted."""
        if self.server.any_origin:
            return ""
        host, origin = headers.get_all("Host"), headers.get_all("Origin")
        if len(host) > 1 or len(origin) > 1:
            return "Host and Origin: expected one of each"
        reached_at, hosts = self.transport.get_extra_info("sockname")[0], own_hosts(self.server.addresses[0][0])
        page = origin[0] if origin else None
        return foreign_header("".join(host), page, hosts=hosts, reached_at=reached_at, any_port=True)

    def leave(self) -> None:
        self._wanted.clear()

    # ---- operations

    def carry_out(self, message: tuple[bool, bytes]) -> Iterator[None]:
        operation: Any = None
        try:
            operation = read_operation(*message)
            check_id(operation)
            name = read_text(operation, "op")
            if name not in self._operations:
                raise UnknownName("operation of rosbridge", name, self._operations)
            self._operations[name](operation)
        except PaddockError as error:
            topic = operation.get("topic") if isinstance(operation, dict) else None
            name = visible(topic[:LONGEST_TEXT]) if isinstance(topic, str) else self.kind
            self.server.problems.report(name, visible(error))
            self._send_status("error", str(error), operation)
        yield

    def _send_status(self, level: str, text: str, operation: Operation | None) -> None:
        known = {"id": operation["id"]} if operation and "id" in operation else {}
        self._send({"op": "status", "level": level, "msg": text, **known})

    def _send(self, table: Operation) -> None:
        self._socket.send(encoder.encode(table))

    def _advertise(self, operation: Operation) -> None:
        topic, kind = read_name(operation, "topic"), find_message(read_text(operation, "type"))
        self._find_takers(topic, kind)
        self._advertised[topic] = kind.ros_name

    def _unadvertise(self, operation: Operation) -> None:
        self._advertised.pop(read_name(operation, "topic"), None)

    def _publish(self, operation: Operation) -> None:
        topic = read_name(operation, "topic")
        kind = self._advertised.get(topic)
        takers = self._find_takers(topic, find_message(kind) if kind else None)
        problem: PaddockError | None = None
        for taker in takers:  # without an advertisement, use the first matching type
            try:
                message = read_json(taker.type, operation.get("msg", {}), f"publish {topic}: msg")
            except BadMessage as error:
                problem = problem or error
                continue
            taker.take(message)
            return
        if problem is not None:
            raise problem

    def _find_takers(self, topic: str, kind: type[RosMessage] | None) -> list[RosSubscription]:
        """Return the subscriptions of the bridge to a topic, restricted to a type if it is known; none if unknown."""
        named = [taker for taker in self._graph.subscriptions if taker.name == topic]
        if not named:
            self._note_unknown("topic to publish on", topic, {taker.name for taker in self._graph.subscriptions})
            return []
        fitting = [taker for taker in named if kind is None or taker.type.ros_name == kind.ros_name]
        if not fitting and kind is not None:
            allowed = " or ".join(taker.type.ros_name for taker in named)
            raise Refused(f"{topic}: expected {allowed}, got {kind.ros_name}")
        return fitting

    def _note_unknown(self, what: str, topic: str, known: Iterable[str]) -> None:
        """Log an unknown topic, without a `status`: a robot that is added later, or another program, may use it."""
        self.server.problems.report(visible(topic), visible(UnknownName(what, topic, known)))

    def _subscribe(self, operation: Operation) -> None:
        name = read_name(operation, "topic")
        rate = operation.get("throttle_rate") or 0
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= LONGEST_INTERVAL:
            expected = f"expected milliseconds from 0 to {LONGEST_INTERVAL}"
            raise BadMessage(f"subscribe {name}: throttle_rate: {expected}, got {format_value(rate)}")
        compression = operation.get("compression", "none")
        if compression not in COMPRESSIONS:
            problem = f"compression: expected one of {', '.join(COMPRESSIONS)}, got {format_value(compression)}"
            raise Refused(f"subscribe {name}: {problem}")
        topic = self._graph.topics.get(name)
        if topic is None:
            self._note_unknown("topic", name, self._graph.topics)
        elif operation.get("type") and find_message(read_text(operation, "type")).ros_name != topic.type.ros_name:
            raise Refused(f"subscribe {name}: expected {topic.type.ros_name}, got {operation['type']}")
        if sum(map(len, self._wanted.values())) >= MAX_SUBSCRIPTIONS:
            raise Refused(f"subscribe {name}: there are {MAX_SUBSCRIPTIONS} subscriptions already")
        self._wanted.setdefault(name, {})[str(operation.get("id", ""))] = SubscriptionOptions(
            operation["topic"], rate / 1000, compression == RAW
        )
        if topic is not None and topic.quality.latched:
            self.send_message(topic, Sample(topic.make()))

    def _unsubscribe(self, operation: Operation) -> None:
        name = read_name(operation, "topic")
        mine = self._wanted.get(name, {})
        if "id" in operation:
            mine.pop(str(operation["id"]), None)
        if "id" not in operation or not mine:
            self._wanted.pop(name, None)

    def _call_service(self, operation: Operation) -> None:
        name = read_name(operation, "service")

        def respond(values: Any, *, ok: bool = True) -> None:
            known = {"id": operation["id"]} if "id" in operation else {}
            answer = {
                "op": "service_response",
                "service": operation["service"],
                "values": values,
                "result": ok,
                **known,
            }
            if not self.transport.is_closing():
                self._send(answer)

        try:
            if name.startswith("/rosapi/"):
                respond(answer_rosapi(name, operation.get("args") or {}, self.server.hub))
                return
            service = self._graph.services.get(name)
            if service is None:
                raise UnknownName("service", name, self._graph.services)
            request = read_json(service.type.request, operation.get("args") or {}, f"{name}: args")
            service.answer(request, lambda response: respond(msgspec.Raw(Sample(response).json)))
        except PaddockError as error:
            respond(str(error), ok=False)

    # ---- messages

    def wants(self, topic: RosTopic) -> bool:
        """Return whether a message of a topic is due now."""
        wanted = self._wanted.get(topic.name)
        if not wanted or self.deaf:
            return False
        return time.monotonic() - self._sent.get(topic.name, -math.inf) >= min(
            subscription.interval for subscription in wanted.values()
        )

    def send_message(self, topic: RosTopic, sample: Sample) -> None:
        """Send a message of a topic."""
        self._sent[topic.name] = time.monotonic()
        for name, raw in dict.fromkeys((wanted.topic, wanted.raw) for wanted in self._wanted[topic.name].values()):
            if raw:
                stamp = ros.make_time(self.server.arena.time)
                self._socket.send(pack_raw(name, stamp.sec, stamp.nanosec, sample.cdr), text=False)
            else:
                self._socket.send(b'{"op":"publish","topic":' + encoder.encode(name) + b',"msg":' + sample.json + b"}")


def read_operation(is_text: bool, data: bytes) -> Operation:
    """Decode the operation of a frame."""
    if not is_text:
        raise BadMessage("expected JSON in a text frame, got a binary one")
    try:
        operation = decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadMessage(f"expected JSON: {error}") from None
    if not isinstance(operation, dict):
        raise BadMessage(f"expected an object with an 'op', got {format_value(operation)}")
    return operation


def check_id(operation: Operation) -> None:
    """Check that the id is a short text or a 64-bit integer; delete an invalid one, so that no answer repeats it."""
    value = operation.get("id")
    if value is None or (isinstance(value, int) and abs(value) < 1 << 63):
        return
    try:
        read_text(operation, "id")
    except BadMessage:
        del operation["id"]
        raise


NUMBER, BYTES, TEXT, MAP = 0, 2, 3, 5  # major types of CBOR


def pack_raw(topic: str, seconds: int, nanoseconds: int, data: bytes) -> bytes:
    """Encode a publication: {"op": "publish", "topic": …, "msg": {"secs": …, "nsecs": …, "bytes": …}}."""
    stamp = [pack_text("secs"), pack_head(NUMBER, seconds), pack_text("nsecs"), pack_head(NUMBER, nanoseconds)]
    parts = [pack_head(MAP, 3), pack_text("op"), pack_text("publish"), pack_text("topic"), pack_text(topic)]
    parts += [pack_text("msg"), pack_head(MAP, 3), *stamp, pack_text("bytes"), pack_head(BYTES, len(data)), data]
    return b"".join(parts)


def pack_text(text: str) -> bytes:
    """Encode a text."""
    data = text.encode()
    return pack_head(TEXT, len(data)) + data


def pack_head(major: int, number: int) -> bytes:
    """Encode the head of a value: its type, and its number or length."""
    if number < 24:
        return bytes([major << 5 | number])
    return struct.pack(">BB", major << 5 | 24, number) if number < 256 else struct.pack(">BI", major << 5 | 26, number)
