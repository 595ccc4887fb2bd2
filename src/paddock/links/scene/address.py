"""SceneAddress: what the URL of a robot in V-REP or CoppeliaSim asks for."""

from __future__ import annotations

from typing import NamedTuple, Self
from urllib.parse import parse_qsl, urlsplit

from paddock.core.errors import LinkError, suggestion


class SceneAddress(NamedTuple):
    """Where a robot is."""

    host: str
    port: int
    base: str  # what its base object is called there
    type: str | None  # the robot that it is; None: the base tells
    stepping: bool  # time there waits for this program

    @classmethod
    def parse(cls, url: str, port: int, base: str, options: tuple[str, str, str]) -> Self:
        """Read a URL; what it leaves out is given. The options are those for base, type and stepping."""
        robot, type, mode = options
        scheme = url.partition(":")[0]
        form = f"{url}: expected {scheme}://host:{port}?{robot}={base}, and perhaps {mode}=yes or no"
        try:
            parts = urlsplit(url)
            host, chosen = parts.hostname, parts.port or port
        except ValueError as error:
            raise LinkError(f"{form}: {error}") from None
        wish = dict(parse_qsl(parts.query))
        if unknown := set(wish) - set(options):
            raise LinkError(f"{url}: unknown option {min(unknown)!r}{suggestion(min(unknown), options)}")
        stepping = wish.get(mode, "yes")
        if not host or stepping not in ("yes", "no"):
            raise LinkError(form)
        return cls(host, chosen, wish.get(robot, base), wish.get(type), stepping == "yes")
