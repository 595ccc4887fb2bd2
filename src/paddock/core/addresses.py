"""Addresses of a network."""

from __future__ import annotations

import ipaddress
import socket

ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}
"""Hosts of a server that listens at every address of its machine, each with the one at which that reaches itself."""


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine reach an address, or come from it; also an IPv4 address in IPv6 form."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host == "localhost"
    return ((isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped) or address).is_loopback


def own_address() -> str:
    """This machine's address in its network: names may be unknown there."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent; the system just chooses an address to send from
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
