"""A room with a Pioneer 2-DX, and configurations that drive it."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

from paddock.network.nodes import ModuleEntry, ModulesSpec

WORLD = """
name = "hall"
bounds = [0.0, 0.0, 6.0, 4.0]
[border]
height = 1.2
[[robots]]
name = "pioneer"
type = "pioneer-p2dx"
at = [1.5, 2.0]
"""
SMALLEST = ("coordinator", "sensor", "planner", "reflex", "motor")
MAPPING = ("coordinator", "sensor", "mapper", "planner", "reflex", "motor")


def configure(
    folder: Path, *names: str, options: dict[str, dict[str, Any]] | None = None, **changes: Any
) -> ModulesSpec:
    """Return a configuration of modules in a hall."""
    (folder / "hall.toml").write_text(WORLD, encoding="utf-8")
    entries = [ModuleEntry.from_table({"name": name, **(options or {}).get(name, {})}) for name in names or SMALLEST]
    bus = f"memory://{uuid.uuid4()}"
    return ModulesSpec(**{"modules": tuple(entries), "bus": bus, "world": "hall.toml", "folder": str(folder)} | changes)


def write_configuration(spec: ModulesSpec) -> Path:
    """Write the configuration to a file."""
    path = Path(spec.folder) / "modules.toml"
    path.write_text(spec.to_toml(), encoding="utf-8")
    return path
