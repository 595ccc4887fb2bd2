"""Run the examples of documentation pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

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
