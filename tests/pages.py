"""Run and read the examples of documentation pages."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from pathlib import Path
from typing import Any

from paddock.simulation.sensors import SensorSpec

DOCS = Path(__file__).parents[1] / "docs"


def run_examples(page: Path) -> dict[str, Any]:
    """Run the Python blocks of a page one after the other; return the resulting namespace."""
    names: dict[str, Any] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")
    shown = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert shown, f"{page.name} has no example"
    for block in shown:
        above = text[: text.index(block)].count("\n")  # so that errors are reported with the line of the page
        exec(compile("\n" * above + block, str(page), "exec"), names)
    return names


def read_required_keys(kind: type[SensorSpec]) -> dict[str, Any]:
    """Return the keys that a sensor kind requires except its name, from its example in docs/simulation/sensors.md."""
    assert kind.tag is not None
    text = (DOCS / "simulation/sensors.md").read_text(encoding="utf-8")
    example = re.search(rf"^## `{kind.tag[1]}`\n.*?^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert example, f"docs/simulation/sensors.md: expected a section `{kind.tag[1]}` with an example in TOML"
    (table,) = tomllib.loads(example[1])["sensors"]
    required = [field.name for field in dataclasses.fields(kind) if field.default is dataclasses.MISSING]
    return {name: table[name] for name in required if name != "name"}
