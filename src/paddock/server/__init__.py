"""The network server: one arena, many clients, and the page to watch it."""

from paddock.server.server import Server, Settings

__all__ = ["Server", "Settings"]
