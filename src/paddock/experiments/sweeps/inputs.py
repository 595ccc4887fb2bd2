"""The user's own input files of a sweep."""

from __future__ import annotations

import inspect
from pathlib import Path

from paddock.arena.controller_choice import find_controller
from paddock.core.user_code import is_users
from paddock.experiments.sweeps.sweep_spec import SweepSpec


def input_files(spec: SweepSpec) -> list[Path]:
    """Return the files of the sweep, its worlds, runs, robots and scenarios, and its controllers' and metrics' code."""
    folder = Path(spec.folder)
    own = [folder / spec.file] if spec.file else []
    names = *spec.worlds, *spec.runs, *spec.robots, *spec.scenarios
    named = [folder / name for name in names if name.endswith(".toml")]
    sources = [find_controller(name, folder, {}).find_source() for name in spec.controllers if not spec.scenarios]
    measures = [Path(inspect.getfile(type(metric))) for metric in spec.make_metrics()]
    return [*own, *named, *(file for file in (*sources, *measures) if file is not None and is_users(file))]
