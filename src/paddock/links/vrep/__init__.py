"""Robots in V-REP or CoppeliaSim, by the legacy remote API: `vrep://host:19997?robot=Pioneer_p3dx`."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from paddock.core.errors import LinkError, suggestion
from paddock.links.vrep.body import VrepBody
from paddock.links.vrep.client import VrepClient
from paddock.links.vrep.robot import VrepRobot
from paddock.links.vrep.spec import adapt_spec, kind_of
from paddock.robots import load_robot

__all__ = ["VrepClient", "VrepRobot", "connect_vrep"]

PORT = 19997
OPTIONS = ("robot", "type", "synchronous")


def connect_vrep(url: str, *, name: str = "", timeout: float = 10.0) -> VrepRobot:
    """Have a robot in V-REP or CoppeliaSim, or in a world of Paddock with `--vrep`.

    Args:
        url: `vrep://host:19997`, and behind a `?`: `robot=` the name of its base object (Pioneer_p3dx), `type=` the
            robot that it is, by the name of a shipped one or as a TOML file, `synchronous=no` to let time run freely.
        name: what the robot is called here; else as there.
        timeout: seconds of silence after which a call fails.
    """
    parts = urlsplit(url)
    wish = dict(parse_qsl(parts.query))
    if unknown := set(wish) - set(OPTIONS):
        raise LinkError(f"{url}: unknown option {min(unknown)!r}{suggestion(min(unknown), OPTIONS)}")
    base, synchronous = wish.get("robot", "Pioneer_p3dx"), wish.get("synchronous", "yes")
    if not parts.hostname or synchronous not in ("yes", "no"):
        raise LinkError(f"{url}: expected vrep://host:{PORT}?robot=NAME, and perhaps synchronous=yes or no")
    kind = load_robot(wish.get("type") or kind_of(base))
    client = VrepClient(parts.hostname, parts.port or PORT, timeout=timeout)
    try:
        spec, handles = adapt_spec(kind, client, base)
        return VrepRobot(VrepBody(client, name or base, spec, handles), synchronous=synchronous == "yes")
    except BaseException:
        client.close()
        raise
