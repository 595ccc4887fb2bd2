"""A zenoh bus for modules on one host or on several hosts.

On one host modules discover each other as peers, `zenoh://peers:7447`. Between hosts a session in router mode connects
them, and modules are its clients, `zenoh://10.0.0.1:7447`.

Safety does not depend on zenoh: if a message is late or lost, the motor stops the robot. Liveliness is only displayed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from paddock.core.closing import Closing
from paddock.core.errors import LinkError
from paddock.core.packages import import_package
from paddock.network.nodes.bus import Bus, Post, split_address
from paddock.network.nodes.node_messages import EVERYONE, ModuleMessage, Quality

LEASE = 400  # [ms] after which a silent neighbour counts as disconnected
ROOT = "paddock/modules"
load_zenoh = partial(
    import_package, "zenoh", "a zenoh:// bus", extra="modules", install="eclipse-zenoh", error=LinkError
)
PEERS = "peers"  # instead of a host name: modules on this host, without a router; the port identifies the group
HERE, GROUP = "127.0.0.1", "224.0.0.224"


class ZenohBus(Bus):
    """A client of the router at the URL's host and port, with retries until it answers; or a peer on this host."""

    def __init__(self, url: str, name: str, **options: Any) -> None:
        super().__init__(url, name, **options)
        zenoh = load_zenoh()
        host, port = split_address(url)
        if host == PEERS:
            self.session = open_session("peer", listen=[f"tcp/{HERE}:0"], group=port)
        else:
            self.session = open_session("client", connect=f"tcp/{host}:{port}")
        keys = [f"{ROOT}/{name}/**"]
        hears = ["*"] if self.hears is None else self.hears
        keys += [f"{ROOT}/{EVERYONE}/{source}/**" for source in hears]
        if self.everything:
            keys = [f"{ROOT}/*/*/*"]
        # Called by zenoh's own thread: with one thread per subscriber, messages of a source could overtake each other.
        take = zenoh.handlers.Callback(self._take, indirect=False)
        self._subscribers = [self.session.declare_subscriber(key, take) for key in keys]
        self._publishers: dict[str, Any] = {}
        self._token = self.session.liveliness().declare_token(f"{ROOT}/alive/{name}")
        self._watch = self.session.liveliness().declare_subscriber(
            f"{ROOT}/alive/*",
            lambda sample: self.note_presence(
                str(sample.key_expr).rpartition("/")[2], sample.kind == zenoh.SampleKind.PUT
            ),
            history=True,
        )

    def _take(self, sample: Any) -> None:
        self.inbox.put_lines(sample.payload.to_bytes().split(b"\n"))

    def carry(self, posts: Sequence[Post]) -> None:
        """Publish messages under their destinations; successive ones with the same destination form one sample."""
        for (destination, quality), group in groupby(posts, lambda post: self._address(post[0])):
            key = f"{ROOT}/{destination}/{self.name}/{quality.value}"
            publisher = self._publishers.get(key)
            if publisher is None:
                publisher = self._publishers[key] = self._declare(key, quality)
            publisher.put(b"\n".join(line for _, line in group))

    def _address(self, message: ModuleMessage) -> tuple[str, Quality]:
        return message.destination, Quality.ORDERED if self.lossless else message.quality

    def _declare(self, key: str, quality: Quality) -> Any:
        zenoh = load_zenoh()
        control, priority = zenoh.CongestionControl, zenoh.Priority
        return self.session.declare_publisher(
            key,
            congestion_control=control.DROP if quality is Quality.STREAM else control.BLOCK,
            priority=priority.REAL_TIME if quality is Quality.URGENT else priority.DATA,
            express=True,
            allowed_destination=zenoh.Locality.REMOTE,
        )

    def close(self) -> None:
        """Close the session; a process may hang at exit while a session is open."""
        if not self.session.is_closed():
            self.session.close()


class ZenohRouter(Closing):
    """Routes messages between clients while it is open.

    Args:
        endpoints: addresses to listen on, such as `tcp/127.0.0.1:7447`.
    """

    def __init__(self, *endpoints: str) -> None:
        self.session = open_session("router", listen=endpoints)

    def close(self) -> None:
        """Stop routing."""
        if not self.session.is_closed():
            self.session.close()


def open_session(mode: str, *, connect: str = "", listen: Collection[str] = (), group: int = 0) -> Any:
    """Open a session that detects lost neighbours quickly; it discovers only peers of its group on this host."""
    zenoh = load_zenoh()
    config = zenoh.Config()
    settings = {
        "mode": mode,
        "listen/endpoints": list(listen),
        "connect/endpoints": [connect] if connect else [],
        "connect/timeout_ms": -1,
        "connect/exit_on_failure": False,
        "connect/retry": {"period_init_ms": 200, "period_max_ms": 500, "period_increase_factor": 1.5},
        "scouting/multicast/enabled": bool(group),
        "scouting/multicast/interface": "lo",
        "scouting/multicast/address": f"{GROUP}:{group or 7446}",
        "transport/link/tx/lease": LEASE,
        "transport/link/tx/keep_alive": 4,
        # Readings come in bursts: with the default queue size of two, a busy machine drops a fifth of them.
        "transport/link/tx/queue/size/data": 16,
        "transport/link/tx/queue/congestion_control/drop/wait_before_drop": 20_000,  # [µs]
    }
    for key, value in settings.items():
        config.insert_json5(key, json.dumps(value))
    try:
        return zenoh.open(config)
    except zenoh.ZError as error:
        raise LinkError(f"zenoh: {connect or ', '.join(listen)}: {str(error).splitlines()[0]}") from None
