"""Whether a request comes from a page of this machine's: the headers that browsers send."""

from __future__ import annotations

import re
import socket
from collections.abc import Collection

from paddock.core.addresses import is_loopback

HOST = re.compile(r"(?:(?P<name>[\w.-]+)|\[(?P<address>[0-9A-Fa-f:.]+)\])(?::\d{1,5})?", re.ASCII)
SCHEMES = ("http://", "https://")


def own_hosts(bound: str, extra: Collection[str] = ()) -> frozenset[str]:
    """The names under which browsers may know this server."""
    hosts = {"localhost", "127.0.0.1", "::1", *extra}
    if not is_loopback(bound):
        name = socket.gethostname()
        hosts |= {name, f"{name}.local", bound}
    return frozenset(host.lower() for host in hosts)


def foreign_header(
    host: str | None,
    origin: str | None,
    *,
    hosts: Collection[str],
    reached_at: str,
    proxied: bool = False,
    any_port: bool = False,
) -> str:
    """Why a request is refused: an empty text if both headers are fine.

    A page of another site may open a connection to this machine, and a name of its own may lead here. Both show in
    the headers. Programs send no Origin. Only a proxy in front of this server can have added TLS.

    Args:
        host: the header of that name.
        origin: the header of that name.
        hosts: names of this server.
        reached_at: the address at which the request came.
        proxied: whether there is a proxy.
        any_port: whether pages of all ports of this server's hosts may come, not only those of its own.
    """
    ours = {*hosts, reached_at.split("%")[0]} - {""}
    if host_name(host or "") not in ours:
        return f"Host {host!r} is not this server; the server's owner can allow other names"
    if origin is None:
        return ""
    if any_port:
        scheme, mark, page = origin.partition("://")
        near = scheme.lower() + mark in SCHEMES and host_name(page) in ours
        return "" if near else f"Origin {origin!r} is another site: expected a page of this machine"
    schemes = SCHEMES if proxied else SCHEMES[:1]
    if origin.lower() not in [f"{scheme}{host}".lower() for scheme in schemes]:
        return f"Origin {origin!r} is another site: expected http://{host}"
    return ""


def host_name(host: str) -> str:
    """The name or address in a Host header, in small letters; an empty text if it is anything else."""
    found = HOST.fullmatch(host)
    return (found["name"] or found["address"]).lower() if found else ""
