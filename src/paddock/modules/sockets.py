"""Free network ports."""

from __future__ import annotations

import socket


def choose_port(host: str = "127.0.0.1") -> int:
    """Return a port that is currently free."""
    with socket.create_server((host, 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
