"""Evolutions that draw nothing, for tests of what they compute and keep: pictures are most of their work."""

from __future__ import annotations

from typing import Any

import pytest
from PIL import Image

from paddock.evolve import folder


@pytest.fixture
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw_nothing(*_: Any, **__: Any) -> Image.Image:
        return Image.new("RGB", (1, 1))

    for name in ("draw_champion", "save_learning_curve", "save_elites_map"):
        monkeypatch.setattr(folder, name, draw_nothing)
