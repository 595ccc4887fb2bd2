"""The network server: one arena, many clients, and the page to watch it."""

from paddock.core.limits import ClassLimits
from paddock.server.access import Grant, Role
from paddock.server.server import Server, Settings

__all__ = ["ClassLimits", "Grant", "Role", "Server", "Settings"]
