"""A world that is opened is checked once, and its solids are built once."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import paddock
from paddock.simulation.worlds import load_world, placement, save_world, solids
from paddock.simulation.worlds.placement import Room
from paddock.simulation.worlds.world_spec import WorldSpec


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the expensive parts in the order in which they run."""
    names: list[str] = []
    for module, name in ((solids, "_build_solids"), (placement, "_sort_obstacles"), (Room, "problem")):
        original = getattr(module, name)

        def work(*arguments: Any, name: str = name, original: Any = original) -> Any:
            names.append(name)
            return original(*arguments)

        monkeypatch.setattr(module, name, work)
    return names


def test_opening_a_file_builds_and_checks_once(tmp_path: Path, calls: list[str]) -> None:
    save_world(load_world("clutter"), tmp_path / "own.toml")
    calls.clear()
    with paddock.open(tmp_path / "own.toml") as arena:
        assert sorted(calls) == ["_build_solids", "_sort_obstacles", *["problem"] * len(arena.robots)]
        calls.clear()
        arena["red"].set_pose(0.5, 0.5)
        arena.spawn("guest", "khepera")
    assert not {"_build_solids", "_sort_obstacles"} & {*calls}


def test_robots_elsewhere_are_checked_again(calls: list[str]) -> None:
    world = load_world("clutter")
    with paddock.open(world):
        calls.clear()
    moved = world.with_robots(replace(world.robots[0], at=(0.5, 0.5), start=None))
    with paddock.open(moved):
        assert calls == ["problem"]


def test_a_world_is_sent_to_other_processes_without_its_solids() -> None:
    world = load_world("clutter")
    assert solids.solids(world)
    copy: WorldSpec = pickle.loads(pickle.dumps(world))
    assert copy == world
    assert not copy.derived
