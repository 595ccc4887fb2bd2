"""Lines of TOML files in messages."""

from __future__ import annotations

import re
from pathlib import Path


def remove_line(message: str, folder: Path) -> str:
    """Return a message without its line of a key, after checking that the key, or the table that lacks it, is there."""
    told = re.fullmatch(r"(.*?) \(at line (\d+)\)", message, re.DOTALL)
    if told is None:
        return message
    file, key = told[1].split(": ")[:2]
    names = re.findall(r"\w+", re.sub(r"\[\d+\]", "", key))
    line = (folder / file).read_text(encoding="utf-8").split("\n")[int(told[2]) - 1]
    assert any(name in line for name in names), f"{message}: line {line!r}"
    return told[1]
