"""Network addresses of this machine."""

from __future__ import annotations

import ipaddress
import socket

ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
"""Wildcard addresses of a server that listens on all interfaces, each with the loopback address that reaches it."""


def is_loopback(host: str) -> bool:
    """Whether an address is a loopback address; also detects IPv4 addresses in IPv6 form."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host == "localhost"
    return ((isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped) or address).is_loopback


def own_address() -> str:
    """Return this machine's address in its network, because other machines may not resolve its name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; the system only chooses a source address
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
