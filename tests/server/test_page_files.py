"""The page's files: what they must not know."""

from __future__ import annotations

from pathlib import Path

import paddock.server
from paddock.sensors.registry import SENSORS

OTHER_WORDS = {"light"}  # also a theme, and a lamp of the world
PAGE = Path(paddock.server.__file__).parent / "page"


def test_the_page_knows_no_sensor_kind_by_name() -> None:
    """How a kind looks is declared on its spec and sent; a kind of another package looks no worse."""
    for file in PAGE.glob("*.js"):
        text = file.read_text(encoding="utf-8")
        assert [kind for kind in set(SENSORS.names()) - OTHER_WORDS if f'"{kind}"' in text] == [], file.name
