"""Scenarios by name or from files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from paddock.core import library
from paddock.core.spec import read_toml_file, spec_from_table
from paddock.core.user_code import is_path
from paddock.scenarios.prepare import prepare
from paddock.scenarios.spec import ScenarioSpec

PACKAGE = "paddock.scenarios"
OWN_CODE = ("task", "follower")  # keys of a task that may name code in a user's file


def scenario_names() -> list[str]:
    """The shipped scenarios."""
    return library.names(PACKAGE)


def load_scenario(name_or_path: str | Path) -> ScenarioSpec:
    """A shipped scenario by name, or one from a TOML file; everything in it is checked, the world and robot too."""
    path = library.find(PACKAGE, "scenario", name_or_path)
    spec = spec_from_table(ScenarioSpec, _locate_files(read_toml_file(path), path.parent), file=path.name)
    spec = replace(spec, folder=str(path.parent), file=path.name)
    prepare(spec)
    return spec


def _locate_files(table: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The same scenario; tasks and wall followers in files beside it are named by their full paths."""
    tasks = table.get("tasks")
    if not isinstance(tasks, list):
        return table
    return {**table, "tasks": [_locate_file(task, folder) for task in tasks]}


def _locate_file(task: Any, folder: Path) -> Any:
    if not isinstance(task, dict):
        return task
    found = {}
    for key in OWN_CODE:
        if is_path(task.get(key)):
            file, _, name = task[key].rpartition(":")
            path = folder / (file if file.endswith(".py") else f"{file.replace('.', '/')}.py")
            if path.is_file():
                found[key] = f"{path.resolve()}:{name}"
    return {**task, **found}
