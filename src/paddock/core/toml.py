"""TOML that people can read: short lists stand on one line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

WIDEST = 100  # characters of a list on one line
# A list with an item on every line: what stands for itself, and, once these are short, lists of such lists.
LIST = re.compile(r"\[\n((?:[ ]+[^\[\]{}\n]+,\n)+)[ ]*\]")
LIST_OF_LISTS = re.compile(r"\[\n((?:[ ]+\[[^\[\]{}\n]*\],\n)+)[ ]*\]")


def toml_text(table: Mapping[str, Any]) -> str:
    """A table as TOML."""
    import tomli_w

    return LIST_OF_LISTS.sub(_shorter, LIST.sub(_shorter, tomli_w.dumps(table)))


def _shorter(found: re.Match[str]) -> str:
    items = [line.strip().removesuffix(",") for line in found[1].split("\n") if line]
    line = f"[{', '.join(items)}]"
    return line if len(line) <= WIDEST else found[0]
