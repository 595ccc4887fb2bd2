"""`inside://WORLD`: a local world with a robot URL, for controllers that connect to URLs only."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import paddock


def connect_inside(url: str) -> paddock.Arena:
    """Open a world, with the seed given by `?seed=`."""
    parts = urlsplit(url)
    return paddock.open(parts.netloc + parts.path, seed=int(parse_qs(parts.query).get("seed", ["0"])[-1]))
