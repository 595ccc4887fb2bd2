"""Ports that are free."""

from __future__ import annotations

import socket


def choose_port(host: str = "127.0.0.1") -> int:
    """A port that nobody listens on at present."""
    with socket.create_server((host, 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
