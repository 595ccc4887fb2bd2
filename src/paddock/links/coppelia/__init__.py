"""Robots in CoppeliaSim, by the ZeroMQ remote API: `coppelia://host:23000?robot=/PioneerP3DX`."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from paddock.core.errors import LinkError, suggestion
from paddock.links.coppelia.body import CoppeliaBody
from paddock.links.coppelia.client import SimClient
from paddock.links.coppelia.robot import CoppeliaRobot
from paddock.links.coppelia.spec import find_kind, find_parts
from paddock.robots import load_robot

__all__ = ["CoppeliaRobot", "SimClient", "connect_coppelia"]

PORT = 23000
OPTIONS = ("robot", "type", "stepping")


def connect_coppelia(url: str, *, name: str = "", timeout: float = 10.0) -> CoppeliaRobot:
    """Have a robot in CoppeliaSim, or in a world of Paddock with `--coppelia`.

    Args:
        url: `coppelia://host:23000`, and behind a `?`: `robot=` the path of its base object (/PioneerP3DX), `type=` the
            robot that it is, by the name of a shipped one or as a TOML file, `stepping=no` to let time run freely.
        name: what the robot is called here; else as there.
        timeout: seconds of silence after which a call fails.
    """
    parts = urlsplit(url)
    wish = dict(parse_qsl(parts.query))
    if unknown := set(wish) - set(OPTIONS):
        raise LinkError(f"{url}: unknown option {min(unknown)!r}{suggestion(min(unknown), OPTIONS)}")
    base, stepping = wish.get("robot", "/PioneerP3DX"), wish.get("stepping", "yes")
    if not parts.hostname or stepping not in ("yes", "no"):
        raise LinkError(f"{url}: expected coppelia://host:{PORT}?robot=PATH, and perhaps stepping=yes or no")
    kind = load_robot(wish.get("type") or find_kind(base))
    client = SimClient(parts.hostname, parts.port or PORT, timeout=timeout)
    try:
        spec, handles = find_parts(kind, client, base)
        return CoppeliaRobot(CoppeliaBody(client, name or base.strip("/"), spec, handles), stepping=stepping == "yes")
    except BaseException:
        client.close()
        raise
