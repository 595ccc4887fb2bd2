"""Scenarios by name or from files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from paddock.core import library
from paddock.core.spec import read_toml_file, spec_from_table
from paddock.scenarios.prepare import prepare
from paddock.scenarios.spec import ScenarioSpec

PACKAGE = "paddock.scenarios"


def scenario_names() -> list[str]:
    """The shipped scenarios."""
    return library.names(PACKAGE)


def load_scenario(name_or_path: str | Path) -> ScenarioSpec:
    """A shipped scenario by name, or one from a TOML file; everything in it is checked, the world and robot too."""
    path = library.find(PACKAGE, "scenario", name_or_path)
    spec = spec_from_table(ScenarioSpec, read_toml_file(path), file=path.name)
    spec = replace(spec, folder=str(path.parent), file=path.name)
    prepare(spec)
    return spec
