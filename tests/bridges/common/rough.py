"""Functions shared by tests of misbehaving clients."""

from __future__ import annotations

import socket


def read_all(client: socket.socket) -> bytes:
    """Return everything received until the other side closes the connection."""
    parts = []
    try:
        while data := client.recv(1 << 16):
            parts.append(data)
    except ConnectionError:
        pass
    return b"".join(parts)


def flood(client: socket.socket, message: bytes) -> None:
    """Send repeatedly until the socket accepts no more data."""
    while True:
        client.send(message)
