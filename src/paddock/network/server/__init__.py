"""The network server: one arena, many clients, and the page to watch it."""

from paddock.core.user_limits import UserLimits
from paddock.network.server.core.access import Grant, Role
from paddock.network.server.core.core_server import Settings
from paddock.network.server.server import Server

__all__ = ["Grant", "Role", "Server", "Settings", "UserLimits"]
