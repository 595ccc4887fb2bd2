"""Links: ways to reach arenas and robots that are not in this process, chosen by their URL."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

from paddock.core.errors import LinkError, format_value, suggestion
from paddock.core.lazy import import_on_demand
from paddock.core.registry import Registry
from paddock.core.user_code import is_path

if TYPE_CHECKING:
    from paddock.links.coppelia import CoppeliaRobot
    from paddock.links.epuck.robot import EPuck
    from paddock.links.player import PlayerRobot
    from paddock.links.remote import RemoteArena
    from paddock.links.single import SingleRobot, WatchedBody
    from paddock.links.usarsim import UsarSimRobot
    from paddock.links.vrep import VrepRobot

__all__ = ["LINKS", "SERVERS", "SingleRobot", "WatchedBody", "connect"]

__getattr__ = import_on_demand(__name__, {"single": ("SingleRobot", "WatchedBody")})

SERVERS = ("ws", "wss", "http", "https")
LINKS: Registry[Callable[..., Any]] = Registry(
    "link",
    group="paddock.links",
    builtin={
        **dict.fromkeys(SERVERS, "paddock.links.remote:RemoteArena"),
        "epuck": "paddock.links.epuck:connect_epuck",
        "epuck2": "paddock.links.epuck:connect_epuck",
        "orders": "paddock.links.orders:connect_orders",
        "usarsim": "paddock.links.usarsim:connect_usarsim",
        "coppelia": "paddock.links.coppelia:connect_coppelia",
        "vrep": "paddock.links.vrep:connect_vrep",
        "player": "paddock.links.player:connect_player",
    },
)
"""What reaches an arena or a robot, by the scheme of its URL. It takes the URL and, by name, those options of `connect`
that it knows."""


@overload
def connect(
    url: str, *, token: str, name: str = "", lock_step: bool | None = None, timeout: float = 10.0
) -> RemoteArena: ...
@overload
def connect(
    url: str, *, token: str | None = None, name: str = "", lock_step: bool, timeout: float = 10.0
) -> RemoteArena: ...
@overload
def connect(
    url: str, *, token: None = None, name: str = "", lock_step: None = None, timeout: float = 10.0
) -> RemoteArena | EPuck | UsarSimRobot | VrepRobot | CoppeliaRobot | PlayerRobot: ...
def connect(
    url: str, *, token: str | None = None, name: str = "", lock_step: bool | None = None, timeout: float = 10.0
) -> Any:
    """Reach an arena or a robot elsewhere: the same handles as `open` gives.

    Args:
        url: of a server, `ws://host:8642`; or a join link, `http://host:8642/#token=…`; or of a real robot,
            `epuck:///dev/rfcomm0`, `epuck://10:00:E8:AD:77:BB`, `epuck2://192.168.1.20`, `orders:///dev/rfcomm0`; or
            of a robot in a USARSim server, `usarsim://host:3000?class=P2DX`; or in V-REP,
            `vrep://host:19997?robot=Pioneer_p3dx`; or in CoppeliaSim, `coppelia://host:23000?robot=/PioneerP3DX`;
            or in a Player server, `player://host:6665`. A link of your own is named before the `://`:
            `my_file.py:reach://host`; it is given `reach://host`.
        token: what the server's owner gave you; join links contain it. Not for real robots.
        name: what others see; of a real robot, what it is called here.
        lock_step: True to let time wait for you, False to let it run; None to do as the server wishes. Not for real
            robots.
        timeout: seconds of silence after which a call fails, and after which others need not wait for you.
    """
    scheme, url = _split_own(url)
    if not is_path(scheme) and scheme not in LINKS:
        raise LinkError(
            f"connect: expected a URL such as 'ws://localhost:8642', got {format_value(url)}{_suggest_url(scheme, url)}"
        )
    link = LINKS.get(scheme)
    known = inspect.signature(link).parameters
    options = {"token": token, "name": name, "lock_step": lock_step, "timeout": timeout}
    for option in ("token", "lock_step"):
        if option not in known and options[option] is not None:
            raise LinkError(f"connect: {option} is for servers, {url} is a robot: leave it out")
    return link(url, **{option: value for option, value in options.items() if option in known})


def _split_own(url: Any) -> tuple[str, Any]:
    """The name of a link, and the URL that it is given: `file.py:reach://host` gives the link `reach://host`."""
    name = url.partition("://")[0] if isinstance(url, str) and "://" in url else ""
    if is_path(name):
        return name, url.removeprefix(name.rpartition(":")[0] + ":")
    return name.lower(), url


def _suggest_url(scheme: str, url: object) -> str:
    """What may have been meant by a URL with a scheme that there is not, or with none."""
    if scheme or not (isinstance(url, str) and url):
        return suggestion(scheme, LINKS) if scheme else ""
    kind, _, rest = url.partition(":")
    if kind in LINKS and rest:
        return f" (did you mean '{kind}://{rest if kind in ('epuck', 'orders') else rest.lstrip('/')}'?)"
    bluetooth = r"[0-9A-F]{2}(:[0-9A-F]{2}){5}"
    if (
        url.startswith("/dev/")
        or re.fullmatch(bluetooth, url, re.IGNORECASE)
        or re.fullmatch(r"COM\d+", url, re.IGNORECASE)
    ):
        return f" (did you mean 'epuck://{url}'?)"
    return f" (a server is 'ws://{url}', an e-puck2 'epuck2://{url}')" if re.fullmatch(r"[\w.-]+(:\d+)?", url) else ""
