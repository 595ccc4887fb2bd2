"""Options after the `?` of a URL, and the timeout of a connection."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl

from paddock.core.errors import LinkError, suggestion
from paddock.core.numeric import all_finite


def read_options(url: str, query: str, known: Sequence[str]) -> dict[str, str]:
    """Return the options of a URL; of several values of an option, the last one."""
    options = dict(parse_qsl(query))
    for key in options:
        if key not in known:
            raise LinkError(f"connect: {url}: no option called {key!r}{suggestion(key, known)}")
    return options


def check_timeout(timeout: float) -> None:
    """Raise an error if a timeout is not a number of seconds > 0."""
    if not (all_finite(timeout) and timeout > 0):
        raise LinkError(f"connect: timeout: expected seconds > 0, got {timeout!r}")
