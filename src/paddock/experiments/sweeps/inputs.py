"""The user's own input files of a sweep."""

from __future__ import annotations

from pathlib import Path

from paddock.arena.controller_choice import find_controller
from paddock.core.user_code import is_users
from paddock.experiments.sweeps.sweep_spec import SweepSpec


def input_files(spec: SweepSpec) -> list[Path]:
    """Return the files of the sweep, its worlds, robots and scenarios, and the code and policies of its controllers."""
    folder = Path(spec.folder)
    own = [folder / spec.file] if spec.file else []
    named = [folder / name for name in (*spec.worlds, *spec.robots, *spec.scenarios) if name.endswith(".toml")]
    sources = [find_controller(name, folder, {}).find_source() for name in spec.controllers if not spec.scenarios]
    return [*own, *named, *(file for file in sources if file is not None and is_users(file))]
