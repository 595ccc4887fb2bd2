"""Check the Host and Origin headers of browsers: whether a request comes from a page of this server."""

from __future__ import annotations

import re
import socket
from collections.abc import Collection

from paddock.core.addresses import is_loopback

HOST = re.compile(r"(?:(?P<name>[\w.-]+)|\[(?P<address>[0-9A-Fa-f:.]+)\])(?::\d{1,5})?", re.ASCII)
SCHEMES = ("http://", "https://")


def own_hosts(bound: str, extra: Collection[str] = ()) -> frozenset[str]:
    """Return the host names under which browsers may reach this server."""
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
    """Return the reason for refusing a request, or an empty string if both headers are valid.

    A page of another site can open a connection to this machine, and its domain name can resolve to this machine. Both
    are visible in the headers. Programs other than browsers send no Origin. TLS is only accepted behind a proxy.

    Args:
        host: the Host header.
        origin: the Origin header.
        hosts: names of this server.
        reached_at: the local address at which the request arrived.
        proxied: whether a proxy is in front of this server.
        any_port: whether to accept pages from all ports of this server's hosts, not only from its own port.
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
    """Return the name or address in a Host header, in lower case; an empty string if the header is invalid."""
    found = HOST.fullmatch(host)
    return (found["name"] or found["address"]).lower() if found else ""
