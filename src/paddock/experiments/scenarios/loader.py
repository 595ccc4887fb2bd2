"""Loading of scenarios by name or from files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from paddock.core.errors import PaddockError, SpecError
from paddock.core.registry import find_spec_file, get_spec_files, list_spec_names
from paddock.core.spec import spec_from_table
from paddock.core.terminal_text import shell_word
from paddock.core.toml import TomlName, read_toml_file
from paddock.core.user_code import is_path
from paddock.experiments.scenarios.prepare import prepare
from paddock.experiments.scenarios.scenario_spec import OWN_CODE, ScenarioSpec

PACKAGE = "paddock.experiments.scenarios"
KEYS_OF_WORLDS = ("bounds", "robots", "include")  # a file with one of these is a world


def scenario_names() -> list[str]:
    """Return the names of the shipped scenarios."""
    return list_spec_names(PACKAGE)


def load_scenario(name_or_path: str | Path) -> ScenarioSpec:
    """Load a shipped scenario by name, or one from a TOML file, and check it together with its world and robots."""
    if name_or_path not in get_spec_files(PACKAGE) and name_or_path in get_spec_files("paddock.simulation.worlds"):
        how = f"run it with `paddock run {name_or_path}`"
        raise PaddockError(f"{name_or_path!r} is a world, not a scenario: {how}")
    path = find_spec_file(PACKAGE, "scenario", name_or_path)
    table = read_toml_file(path)
    if "world" not in table and any(key in table for key in KEYS_OF_WORLDS):
        problem = f"this is a world, not a scenario: run it with `paddock run {shell_word(path)}`"
        raise SpecError(problem, file=TomlName(path))
    spec = spec_from_table(ScenarioSpec, _locate_files(table, path.parent), file=TomlName(path))
    spec = replace(spec, folder=str(path.parent), file=TomlName(path))
    prepare(spec)
    return spec


def _locate_files(value: Any, folder: Path) -> Any:
    """Return the table with full paths for tasks, wall followers and avoidances in files next to the scenario."""
    if isinstance(value, list):
        return [_locate_files(item, folder) for item in value]
    if isinstance(value, dict):
        return {key: (_locate if key in OWN_CODE else _locate_files)(item, folder) for key, item in value.items()}
    return value


def _locate(name: Any, folder: Path) -> Any:
    if not is_path(name):
        return name
    file, _, target = name.rpartition(":")
    path = folder / (file if file.endswith(".py") else f"{file.replace('.', '/')}.py")
    return f"{path.resolve()}:{target}" if path.is_file() else name
