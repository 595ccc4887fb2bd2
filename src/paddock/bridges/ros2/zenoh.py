"""ROS 2 over zenoh: topics and services that are compatible with rmw_zenoh."""

from __future__ import annotations

import json
import secrets
import struct
import time as wall_clock
from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from paddock.bridges.common.ports import describe_guard
from paddock.bridges.ros2.graph import NODE, RosGraph, RosService, RosSubscription, RosTopic, RosTransport, Sample
from paddock.bridges.ros2.inbox import RosInbox
from paddock.bridges.ros2.wire import RosMessage, RosQuality, ServiceType, decode_cdr, encode_cdr, hash_type
from paddock.bridges.ros2.wire.names import DEFAULT, NO_HASH, ZenohNode
from paddock.core.errors import LinkError, PaddockError
from paddock.core.packages import import_package

if TYPE_CHECKING:
    from paddock.arena.time_lock import TimeLock

ROUTER = "tcp/127.0.0.1:7447"  # where rmw_zenohd listens
ATTACHMENT = struct.Struct("<qqB16s")  # sequence number, time [ns], length and value of the sender's id
CONNECT_TIMEOUT = 500  # timeout of the connection to the router [ms]
MAX_REQUESTS = 100  # maximum number of queued requests to a service; older ones get no reply


class ZenohTransport(RosTransport):
    """A peer that connects to a router, as nodes do. If there is no router, it becomes the router."""

    kind = "zenoh"

    def __init__(self, router: str = ROUTER, *, domain: int = 0, hashes: bool = True) -> None:
        """
        Args:
            router: endpoint of the router. If no router listens there, this session does.
            domain: the ROS_DOMAIN_ID.
            hashes: whether types have hashes; they do since ROS 2 Iron.
        """
        self._zenoh = import_package(
            "zenoh", "ROS 2 over zenoh", extra="ros2", install="eclipse-zenoh", error=LinkError
        )
        self.router, self._hashes = router, hashes
        self._session, self.is_router = self._open()
        self._node = ZenohNode(domain, str(self._session.zid()), NODE)
        self._numbers = count(1)
        self._tokens: dict[object, Any] = {None: self._session.liveliness().declare_token(self._node.token)}
        self._publishers: dict[RosTopic, _ZenohPublisher] = {}
        self._subscribers: dict[object, Any] = {}
        self._closed = False

    def _open(self) -> tuple[Any, bool]:
        try:
            return self._zenoh.open(self._configure("peer", connect=[self.router])), False
        except self._zenoh.ZError:
            pass
        try:
            return self._zenoh.open(self._configure("router", listen=[self.router])), True
        except self._zenoh.ZError as error:
            reason = str(error).splitlines()[0]
            raise LinkError(f"ros2: zenoh: {self.router}: no router found, and cannot listen: {reason}") from None

    def _configure(self, mode: str, **endpoints: list[str]) -> Any:
        config = self._zenoh.Config()
        settings: dict[str, Any] = {
            "mode": mode,
            "scouting/multicast/enabled": False,
            "timestamping/enabled": True,  # needed by the cache of latched topics
            "connect/timeout_ms": CONNECT_TIMEOUT if mode == "peer" else 0,
            "connect/exit_on_failure": True,
            "listen/endpoints": endpoints.get("listen", ["tcp/127.0.0.1:0"]),
            "connect/endpoints": endpoints.get("connect", []),
        }
        for key, value in settings.items():
            config.insert_json5(key, json.dumps(value))
        return config

    def describe(self) -> Iterator[str]:
        role = "as the router" if self.is_router else "with the router there"
        guard = describe_guard(endpoint_host(self.router))
        yield f"ROS 2 over zenoh at {self.router}, {role}, ROS_DOMAIN_ID={self._node.domain}{guard}"

    def start(self, graph: RosGraph, time: TimeLock) -> None:
        self._time = time
        for service in graph.services.values():
            self._add_service(service)

    # ---- topics

    def add_topic(self, topic: RosTopic) -> None:
        key = self._key(topic.name, topic.type)
        self._publishers[topic] = _ZenohPublisher(self._zenoh, self._session, key, topic.quality)
        self._announce(topic, "MP", topic.name, topic.type, topic.quality)

    def remove_topic(self, topic: RosTopic) -> None:
        self._tokens.pop(topic).undeclare()
        self._publishers.pop(topic).close()

    def has_readers(self, topic: RosTopic) -> bool:
        return self._publishers[topic].has_readers

    def publish(self, topic: RosTopic, sample: Sample) -> None:
        self._publishers[topic].put(sample.cdr)

    def add_subscription(self, subscription: RosSubscription) -> None:
        def take(sample: Any) -> None:
            subscription.take(decode_cdr(subscription.type, sample.payload.to_bytes()))

        key = self._key(subscription.name, subscription.type)
        self._subscribers[subscription] = self._session.declare_subscriber(
            key, self._hand_over(subscription.name, take)
        )
        self._announce(subscription, "MS", subscription.name, subscription.type, DEFAULT)

    def remove_subscription(self, subscription: RosSubscription) -> None:
        self._tokens.pop(subscription).undeclare()
        self._subscribers.pop(subscription).undeclare()

    def _add_service(self, service: RosService) -> None:
        key = self._key(service.name, service.type)

        def take(query: Any) -> None:
            if query.attachment is None:
                raise LinkError("expected a request with rmw_zenoh's attachment, got none")
            number, _, size, asker = ATTACHMENT.unpack(query.attachment.to_bytes())
            request = decode_cdr(service.type.request, query.payload.to_bytes() if query.payload else b"")

            def reply(response: RosMessage) -> None:
                attachment = ATTACHMENT.pack(number, wall_clock.time_ns(), size, asker)
                with query:
                    query.reply(key, encode_cdr(response), attachment=attachment)

            service.answer(request, reply)

        queryable = self._session.declare_queryable(
            key, self._hand_over(service.name, take, MAX_REQUESTS), complete=True
        )
        self._subscribers[service] = queryable
        self._announce(service, "SS", service.name, service.type, DEFAULT)

    # ---- zenoh

    def _key(self, name: str, kind: type[RosMessage] | ServiceType) -> str:
        return self._node.data_key(name, kind.ros_name, self._hash(kind))

    def _hash(self, kind: type[RosMessage] | ServiceType) -> str:
        return hash_type(kind) if self._hashes else NO_HASH

    def _announce(
        self, what: object, role: str, name: str, kind: type[RosMessage] | ServiceType, quality: RosQuality
    ) -> None:
        number = next(self._numbers)
        token = self._node.entity_token(number, role, name, kind.ros_name, self._hash(kind), quality)
        self._tokens[what] = self._session.liveliness().declare_token(token)

    def _hand_over(self, name: str, take: Callable[[Any], None], depth: int = DEFAULT.depth) -> Any:
        """Return a zenoh callback that passes samples to the event loop."""

        def carry_out(sample: Any) -> None:
            if self._closed:
                return
            try:
                take(sample)
            except PaddockError as error:
                self.problems.report(name, error)
            except struct.error as error:
                self.problems.report(name, f"expected an attachment of rmw_zenoh: {error}")

        inbox = RosInbox(self._time.call, carry_out, depth)
        return self._zenoh.handlers.Callback(inbox.put, indirect=False)

    def close(self) -> None:
        self._closed = True
        if not self._session.is_closed():
            self._session.close()


def endpoint_host(endpoint: str) -> str:
    """Return the host of an endpoint: 127.0.0.1 of tcp/127.0.0.1:7447."""
    return endpoint.partition("/")[2].rpartition(":")[0].strip("[]")


class _ZenohPublisher:
    """A publisher compatible with rmw_zenoh: messages carry a sequence number, the time and the sender's id."""

    def __init__(self, zenoh: Any, session: Any, key: str, quality: RosQuality) -> None:
        self._latched, self._identity, self._numbers = quality.latched, secrets.token_bytes(16), count(1)
        control = zenoh.CongestionControl
        self._publisher: Any
        if quality.latched:
            from zenoh import ext

            self._publisher = ext.declare_advanced_publisher(
                session,
                key,
                congestion_control=control.BLOCK,
                cache=ext.CacheConfig(quality.depth),
                publisher_detection=True,
            )
        else:
            self._publisher = session.declare_publisher(
                key, congestion_control=control.DROP, reliability=zenoh.Reliability.RELIABLE
            )

    @property
    def has_readers(self) -> bool:
        return self._latched or self._publisher.matching_status.matching

    def put(self, data: bytes) -> None:
        attachment = ATTACHMENT.pack(next(self._numbers), wall_clock.time_ns(), len(self._identity), self._identity)
        self._publisher.put(data, attachment=attachment)

    def close(self) -> None:
        self._publisher.undeclare()
