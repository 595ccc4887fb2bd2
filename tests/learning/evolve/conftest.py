"""Fixtures of the evolution tests: evolutions without pictures, and shared result folders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from learning.evolve.small import SMALL
from paddock.learning.evolve import folder
from paddock.learning.evolve.evolution_study import evolve


@pytest.fixture
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw_nothing(*_: Any, **__: Any) -> Image.Image:
        return Image.new("RGB", (1, 1))

    for name in ("draw_champion", "save_learning_curve", "save_elites_map"):
        monkeypatch.setattr(folder, name, draw_nothing)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small evolution, with its pictures."""
    out = tmp_path_factory.mktemp("whole")
    evolve(SMALL, out=out)
    return out


@pytest.fixture(scope="session")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder after two of its four generations."""
    out = tmp_path_factory.mktemp("half")
    evolve(replace(SMALL, generations=2), out=out)
    return out
