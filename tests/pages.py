"""Pages of the documentation, whose examples are run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1] / "docs"


def run_examples(page: Path) -> dict[str, Any]:
    """Run the Python blocks of a page, one after the other, and give the names that they leave."""
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        exec(compile(block, str(page), "exec"), names)
    return names
