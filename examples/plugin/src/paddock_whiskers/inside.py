"""`inside://WORLD`: a world in this process behind the address of a robot, for controllers that only know addresses."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import paddock


def connect_inside(url: str) -> paddock.Arena:
    """Open a world, with the seed behind `?seed=`."""
    parts = urlsplit(url)
    return paddock.open(parts.netloc + parts.path, seed=int(parse_qs(parts.query).get("seed", ["0"])[-1]))
