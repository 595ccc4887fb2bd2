"""One served dish for all tests of this folder; each test starts with the robots at their start poses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import paddock
from experiments.ecoli.host_program.stage import FAST, WALK, configure, find_devices, serve_dish
from paddock.network.client.remote import RemoteArena
from paddock.testing import PaddockProcess

pytest.importorskip("serial", reason="pip install pyserial")
pytest.importorskip("pty", reason="pseudo terminals")


@pytest.fixture(scope="package")
def server() -> Iterator[PaddockProcess]:
    with serve_dish() as process:
        yield process


@pytest.fixture(scope="package")
def devices(server: PaddockProcess) -> dict[str, str]:
    return find_devices(server)


@pytest.fixture
def dish(server: PaddockProcess) -> Iterator[RemoteArena]:
    """A supervisor connection to the dish, just reset; time is stopped between tests."""
    with paddock.connect(server.url, lock_step=False) as arena:
        arena.set_speed(FAST)
        arena.reset()
        arena.play()
        yield arena
        arena.pause()


@pytest.fixture
def folder(tmp_path: Path, dish: RemoteArena, devices: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a configuration and waypoints."""
    configure(tmp_path / "orders.toml", devices)
    (tmp_path / "walk.txt").write_text(WALK, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGUAGE", "en")
    return tmp_path
