"""Checks on the source files of the page."""

from __future__ import annotations

from pathlib import Path

import paddock.network.server
from paddock.simulation.sensors.sensor_registry import SENSORS

OTHER_WORDS = {"light"}  # also a theme, and a lamp of the world
PAGE = Path(paddock.network.server.__file__).parent / "page"


def test_page_contains_no_sensor_kind_names() -> None:
    """The appearance of a kind is declared in its spec and sent, so kinds of other packages are drawn equally."""
    for file in PAGE.glob("*.js"):
        text = file.read_text(encoding="utf-8")
        assert [kind for kind in set(SENSORS.names()) - OTHER_WORDS if f'"{kind}"' in text] == [], file.name
