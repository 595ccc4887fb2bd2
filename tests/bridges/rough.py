"""What tests of rough clients share."""

from __future__ import annotations

import socket


def read_all(client: socket.socket) -> bytes:
    """What comes until the other side hangs up."""
    parts = []
    try:
        while data := client.recv(1 << 16):
            parts.append(data)
    except ConnectionError:
        pass
    return b"".join(parts)


def flood(client: socket.socket, message: bytes) -> None:
    """Send without end, until nothing more can be sent."""
    while True:
        client.send(message)
