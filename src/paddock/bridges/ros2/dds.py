"""ROS 2 over DDS: topics and services that are compatible with rmw_cyclonedds."""

from __future__ import annotations

import os
import secrets
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paddock.bridges.ros2.dds_types import load_cyclonedds, make_idl_type
from paddock.bridges.ros2.graph import NODE, RosGraph, RosService, RosSubscription, RosTopic, RosTransport, Sample
from paddock.bridges.ros2.inbox import RosInbox
from paddock.bridges.ros2.wire import (
    RosMessage,
    RosQuality,
    ServiceType,
    decode_cdr,
    encode_cdr,
    find_message,
    hash_type,
)
from paddock.bridges.ros2.wire.names import DEFAULT, LATCHED, REPLY, REQUEST, dds_topic
from paddock.core.addresses import is_loopback
from paddock.core.errors import LinkError, PaddockError

if TYPE_CHECKING:
    from paddock.arena.time_lock import TimeLock

HEADER = b"\x00\x01\x00\x00"  # of messages in CDR: little-endian, no options
DISCOVERY = "ros_discovery_info"  # the topic on which participants announce their nodes
Gid = find_message("rmw_dds_common/msg/Gid")
NodeEntities = find_message("rmw_dds_common/msg/NodeEntitiesInfo")
Participant = find_message("rmw_dds_common/msg/ParticipantEntitiesInfo")
URI = "CYCLONEDDS_URI"  # the environment variable with the user's settings
AT_ONCE = 100  # maximum number of samples taken in one call
ID = struct.Struct("<Qq")  # client id and sequence number of a request
HERE = (
    "<General><AllowMulticast>false</AllowMulticast>"
    '<Interfaces><NetworkInterface address="127.0.0.1"/></Interfaces></General>'
    "<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>"
    '<Peers><Peer address="127.0.0.1"/></Peers></Discovery>'
)
"""Settings for this machine only, as in ROS with ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST."""
ELSEWHERE = '<General><Interfaces><NetworkInterface address="{}"/></Interfaces></General>'
ANYWHERE = '<General><Interfaces><NetworkInterface autodetermine="true"/></Interfaces></General>'


FIRST_PORT, PORTS_PER_DOMAIN = 7400, 250  # of the standard's UDP ports
DOMAINS: dict[int, tuple[str, Any]] = {}  # domains joined by this process: their settings and Domain objects


class DdsTransport(RosTransport):
    """A participant of a DDS domain. Received messages are processed in the event loop, not in the threads of DDS."""

    kind = "dds"

    def __init__(self, domain: int, host: str, *, hashes: bool = True) -> None:
        """
        Args:
            domain: the ROS_DOMAIN_ID.
            host: the address of the network interface. With a loopback address, nodes on other machines cannot discover
                it. The environment variable CYCLONEDDS_URI overrides it.
            hashes: whether types have hashes; they do since ROS 2 Iron.
        """
        self._dds = load_cyclonedds()
        self.domain, self.host, self._hashes = domain, host, hashes
        self._own_settings = bool(os.environ.get(URI))
        try:
            if not self._own_settings:
                enter_domain(domain, configure(host))
            self._participant = self._dds.domain.DomainParticipant(domain)
            if not self._own_settings and is_loopback(host):
                bind_to_loopback(domain)
        except self._dds.core.DDSException:
            problem = "expected the address of a network interface of this machine, and ports that are free"
            raise LinkError(f"ros2: cannot join DDS domain {domain} at {host}: {problem}") from None
        self._writers: dict[RosTopic, Any] = {}
        self._matched: dict[RosTopic, int] = {}  # number of matched subscribers
        self._readers: dict[RosSubscription, Any] = {}
        self._askers: list[Any] = []  # readers of service requests; the repliers are their writers
        self._repliers: list[Any] = []
        self._discovery: Any = None
        self._closed = False

    def describe(self) -> Iterator[str]:
        if self._own_settings:
            where = f"with the settings of {URI}"
        elif is_loopback(self.host):
            where = "on this machine (for nodes: export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST)"
        else:
            where = f"on the network of {self.host}   no token required: any node there can drive robots"
        yield f"ROS 2 over DDS, ROS_DOMAIN_ID={self.domain}, {where}"

    def start(self, graph: RosGraph, time: TimeLock) -> None:
        self._time = time
        self._discovery = self._make_writer(DISCOVERY, make_idl_type(Participant), Participant, LATCHED)
        for service in graph.services.values():
            self._add_service(service)

    # ---- topics

    def add_topic(self, topic: RosTopic) -> None:
        def note(writer: Any, status: Any) -> None:  # in a thread of DDS
            self._matched[topic] = status.current_count

        listener = self._dds.core.Listener(on_publication_matched=note)
        self._matched[topic] = 0
        self._writers[topic] = self._make_writer(
            dds_topic(topic.name), make_idl_type(topic.type), topic.type, topic.quality, listener
        )

    def remove_topic(self, topic: RosTopic) -> None:
        delete(self._writers.pop(topic))
        del self._matched[topic]

    def has_readers(self, topic: RosTopic) -> bool:
        return self._matched[topic] > 0

    def publish(self, topic: RosTopic, sample: Sample) -> None:
        self._write(self._writers[topic], sample.cdr)

    def add_subscription(self, subscription: RosSubscription) -> None:
        def take(data: bytes) -> None:
            subscription.take(decode_cdr(subscription.type, data))

        self._readers[subscription] = self._make_reader(
            dds_topic(subscription.name), make_idl_type(subscription.type), subscription.type, take
        )

    def remove_subscription(self, subscription: RosSubscription) -> None:
        delete(self._readers.pop(subscription))

    def announce(self) -> None:
        """Publish which node the readers and writers belong to."""
        if self._hashes:  # the message has another format in Humble
            readers, writers = (
                [make_id(entity) for entity in (*own.values(), *of_services)]
                for own, of_services in ((self._readers, self._askers), (self._writers, self._repliers))
            )
            node = NodeEntities("/", NODE, readers, writers)
            self._write(self._discovery, encode_cdr(Participant(make_id(self._participant), [node])))

    # ---- services

    def _add_service(self, service: RosService) -> None:
        kind, identity = service.type, f"serviceid={'.'.join(f'{part:x}' for part in secrets.token_bytes(16))};"
        reply_type = make_idl_type(kind.response, of_service=True)
        writer = self._make_writer(
            dds_topic(service.name, REPLY, "Reply"), reply_type, kind, DEFAULT, user_data=identity
        )

        def take(data: bytes) -> None:
            asker, body = data[len(HEADER) : len(HEADER) + ID.size], data[len(HEADER) + ID.size :]
            request = decode_cdr(kind.request, HEADER + body)

            def reply(response: RosMessage) -> None:
                self._write(writer, HEADER + asker + encode_cdr(response)[len(HEADER) :])

            service.answer(request, reply)

        request_type = make_idl_type(kind.request, of_service=True)
        name = dds_topic(service.name, REQUEST, "Request")
        reader = self._make_reader(name, request_type, kind, take, user_data=identity)
        self._askers.append(reader)
        self._repliers.append(writer)

    # ---- DDS

    def _make_writer(
        self,
        name: str,
        idl: Any,
        kind: type[RosMessage] | ServiceType,
        quality: RosQuality,
        listener: Any = None,
        user_data: str = "",
    ) -> Any:
        topic = self._dds.topic.Topic(self._participant, name, idl)
        return self._dds.pub.DataWriter(self._participant, topic, self._choose_qos(kind, quality, user_data), listener)

    def _make_reader(
        self,
        name: str,
        idl: Any,
        kind: type[RosMessage] | ServiceType,
        take: Callable[[bytes], None],
        user_data: str = "",
    ) -> Any:
        # The listener runs in a thread of DDS, where robots must not be commanded. The reader stores the samples.
        inbox: RosInbox[Any] = RosInbox(self._time.call, lambda reader: self._take(reader, name, take), depth=1)
        listener = self._dds.core.Listener(on_data_available=inbox.put)
        topic = self._dds.topic.Topic(self._participant, name, idl)
        return self._dds.sub.DataReader(self._participant, topic, self._choose_qos(kind, DEFAULT, user_data), listener)

    def _choose_qos(self, kind: type[RosMessage] | ServiceType, quality: RosQuality, user_data: str) -> Any:
        policy = self._dds.qos.Policy
        user_data += f"typehash={hash_type(kind)};" if self._hashes else ""
        return self._dds.qos.Qos(
            # A blocked node must not block the world: samples that cannot be sent immediately are dropped.
            policy.Reliability.Reliable(0),
            policy.Durability.TransientLocal if quality.latched else policy.Durability.Volatile,
            policy.History.KeepLast(quality.depth),
            policy.DataRepresentation(use_cdrv0_representation=True),
            policy.Userdata(user_data.encode()),
        )

    def _take(self, reader: Any, name: str, take: Callable[[bytes], None]) -> None:
        state = self._dds.core
        mask = state.SampleState.Any | state.ViewState.Any | state.InstanceState.Any
        found = [] if self._closed else self._dds.clayer.ddspy_take(reader._ref, mask, AT_ONCE)
        for data, info in found if isinstance(found, list) else ():  # an integer means that there are no samples
            if info.valid_data:
                try:
                    take(data)
                except PaddockError as error:
                    self.problems.report(name, error)

    def _write(self, writer: Any, data: bytes) -> None:
        """Send bytes. Ignore failures: late samples are of no use."""
        self._dds.clayer.ddspy_write(writer._ref, data + bytes(-len(data) % 4))

    def close(self) -> None:
        self._closed = True
        mine = (*self._askers, *self._repliers, *self._readers.values(), *self._writers.values())
        for entity in (*mine, self._discovery, self._participant):
            delete(entity)


def configure(host: str) -> str:
    """Return the settings of Cyclone DDS for an address."""
    if is_loopback(host):
        settings = HERE
    else:
        settings = ANYWHERE if host in ("0.0.0.0", "::") else ELSEWHERE.format(host)
    return f"<CycloneDDS><Domain>{settings}</Domain></CycloneDDS>"


def enter_domain(domain: int, settings: str) -> None:
    """Join a domain with these settings, once for all participants of this process."""
    if domain not in DOMAINS:
        DOMAINS[domain] = settings, load_cyclonedds().domain.Domain(domain, settings)
    elif DOMAINS[domain][0] != settings:
        raise LinkError(
            f"ros2: this process has already joined DDS domain {domain} at another address: choose another domain"
        )


def bind_to_loopback(domain: int) -> None:
    """Let the ports of a domain receive from this machine only: Cyclone DDS opens them at all addresses (on Linux)."""
    if not Path("/proc/self/fd").exists():
        return
    ports = range(FIRST_PORT + PORTS_PER_DOMAIN * domain, FIRST_PORT + PORTS_PER_DOMAIN * (domain + 1))
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # others are no sockets
            port = socket.socket(fileno=int(entry.name))
            try:
                if port.family == socket.AF_INET and port.type == socket.SOCK_DGRAM and port.getsockname()[1] in ports:
                    port.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo\0")
            finally:
                port.detach()


def make_id(entity: Any) -> Any:
    """Return the identifier of a participant, a reader or a writer."""
    return Gid(np.frombuffer(entity.guid.bytes, np.uint8))


def delete(entity: Any) -> None:
    """Delete a DDS entity immediately; otherwise it exists as long as it is referenced."""
    if entity is not None:
        entity.__del__()
