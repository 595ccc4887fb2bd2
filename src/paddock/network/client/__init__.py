"""Links: connections to arenas and robots outside this process, selected by the scheme of their URL."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

from paddock.core.argument_checks import all_finite
from paddock.core.errors import LinkError, format_value, suggestion
from paddock.core.lazy import import_on_demand
from paddock.core.registry import Registry
from paddock.core.user_code import is_path

if TYPE_CHECKING:
    from paddock.network.client.remote import RemoteArena
    from paddock.network.client.single import SingleRobot, WatchedBody

__all__ = ["LINKS", "SERVERS", "SingleRobot", "WatchedBody", "connect"]

__getattr__ = import_on_demand(__name__)

SERVERS = ("ws", "wss", "http", "https")
LINKS: Registry[Callable[..., Any]] = Registry(
    "link",
    group="paddock.links",
    builtin=dict.fromkeys(SERVERS, "paddock.network.client.remote:RemoteArena"),
)
"""Functions that connect to an arena or a robot, by URL scheme. Each takes the URL and, as keyword arguments, the
options of `connect` that it supports."""


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
) -> RemoteArena | SingleRobot: ...
def connect(
    url: str, *, token: str | None = None, name: str = "", lock_step: bool | None = None, timeout: float = 10.0
) -> Any:
    """Connect to an arena or a robot outside this process. Return the same handles as `open`.

    Args:
        url: of a server, `ws://host:8642`; or a join link, `http://host:8642/#token=…`; or of a real robot,
            `epuck:///dev/rfcomm0`, `epuck://10:00:E8:AD:77:BB`, `epuck2://192.168.1.20`, `orders:///dev/rfcomm0`; or
            of a robot in a USARSim server, `usarsim://host:3000?class=P2DX`; or in V-REP,
            `vrep://host:19997?robot=Pioneer_p3dx`; or in CoppeliaSim, `coppelia://host:23000?robot=/PioneerP3DX`;
            or in a Player server, `player://host:6665`. A custom link is named before the `://`: with
            `my_file.py:reach://host` the function `reach` gets the URL `reach://host`.
        token: access token from the server's owner; join links contain it. Not for real robots.
        name: name of this client as others see it; for a real robot, the name of the robot.
        lock_step: True to join the lock, so that time waits for this client; False to let time run; None to use the
            server's setting. Not for real robots.
        timeout: seconds without an answer after which a call fails, and after which other clients stop waiting for
            this one.
    """
    if not (all_finite(timeout) and timeout > 0):
        raise LinkError(f"connect: timeout: expected seconds > 0, got {timeout!r}")
    scheme, url = _split_own(url)
    if not is_path(scheme) and scheme not in LINKS:
        raise LinkError(
            f"connect: expected a URL such as 'ws://localhost:8642', got {format_value(url)}{suggest_url(scheme, url)}"
        )
    link = LINKS.get(scheme)
    known = inspect.signature(link).parameters
    options = {"token": token, "name": name, "lock_step": lock_step, "timeout": timeout}
    for option in ("token", "lock_step"):
        if option not in known and options[option] is not None:
            raise LinkError(f"connect: {option} is for servers, {url} is a robot: leave it out")
    return link(url, **{option: value for option, value in options.items() if option in known})


def _split_own(url: Any) -> tuple[str, Any]:
    """Return the name of a link and the URL for it: `file.py:reach://host` gives the URL `reach://host`."""
    name = url.partition("://")[0] if isinstance(url, str) and "://" in url else ""
    if is_path(name):
        return name, url.removeprefix(name.rpartition(":")[0] + ":")
    return name.lower(), url


def suggest_url(scheme: str, url: object) -> str:
    """Return a suggestion for a URL with an unknown scheme or without a scheme."""
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
