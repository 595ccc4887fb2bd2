"""Links: ways to reach arenas and robots that are not in this process, chosen by their URL."""

from __future__ import annotations

from typing import Any

from paddock.core.errors import LinkError, shown, suggestion

SCHEMES = ("ws", "wss", "http", "https")


def connect(
    url: str,
    *,
    token: str | None = None,
    name: str = "",
    lock_step: bool | None = None,
    timeout: float = 10.0,
) -> Any:
    """Reach an arena elsewhere: the same handles as `open` gives.

    Args:
        url: of a server, `ws://host:8642`; or a join link, `http://host:8642/#token=…`.
        token: what the server's owner gave you; join links contain it.
        name: what others see.
        lock_step: True to let time wait for you, False to let it run; None to do as the server wishes.
        timeout: seconds of silence after which a call fails, and after which others need not wait for you.
    """
    scheme = url.partition(":")[0].lower() if isinstance(url, str) and "://" in url else ""
    if scheme not in SCHEMES:
        raise LinkError(f"connect: expected a URL such as 'ws://localhost:8642', got {shown(url)}{_meant(scheme)}")
    from paddock.links.remote import RemoteArena

    return RemoteArena(url, token=token, name=name, lock_step=lock_step, timeout=timeout)


def _meant(scheme: str) -> str:
    return suggestion(scheme, SCHEMES) if scheme else ""
