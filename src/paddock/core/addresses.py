"""Addresses of a network."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine reach an address, or come from it; also an IPv4 address in IPv6 form."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host == "localhost"
    return ((isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped) or address).is_loopback
