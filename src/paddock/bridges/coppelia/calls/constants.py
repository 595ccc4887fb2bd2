"""Constants of `sim`, read from `constants.toml`."""

from __future__ import annotations

from pathlib import Path

from paddock.core.toml import read_toml_file

GROUPS: dict[str, dict[str, int]] = read_toml_file(Path(__file__).with_name("constants.toml"))
OBJECT_TYPES = GROUPS["sceneobject"]
CONSTANTS = {f"{group}_{name}": value for group, names in GROUPS.items() for name, value in names.items()}
CONSTANTS |= {f"object_{name}_type": value for name, value in OBJECT_TYPES.items()}
