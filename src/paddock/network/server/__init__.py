"""The network server: one arena, many clients, and the page to watch it."""

from paddock.core.user_limits import ClassLimits
from paddock.network.server.access import Grant, Role
from paddock.network.server.server import Server, Settings

__all__ = ["ClassLimits", "Grant", "Role", "Server", "Settings"]
