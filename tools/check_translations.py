"""Fail if a catalogue of the host program lacks a text, contains an unused one, or has different placeholders.

python tools/check_translations.py           # print the problems
python tools/check_translations.py --write   # add missing texts, remove unused ones
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from pathlib import Path

import paddock
from paddock.experiments.ecoli.commands.orders.language import (
    CATALOGUES,
    list_placeholders,
    read_po,
    write_catalogue,
)

SOURCES = Path(paddock.__file__).parent
PROGRAM = CATALOGUES.parent / "orders"
MARKS = ("_", "explain")  # `_` translates immediately; results of `explain` are translated when they are displayed


def find_texts(folder: Path = SOURCES) -> dict[str, str]:
    """Return every text in a call of `_` or `explain`, with its first location; only string literals are allowed."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*.py"), key=lambda path: (path.parent != PROGRAM, path)):
        source = path.read_text(encoding="utf-8")
        if path.parent != PROGRAM and "explain(" not in source and folder == SOURCES:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
                text = node.args[0]
                if not (isinstance(text, ast.Constant) and isinstance(text.value, str)):
                    raise SystemExit(f"{path}:{node.lineno}: expected a plain text within {node.func.id}(…)")
                found.setdefault(text.value, f"{path.name}:{node.lineno}")
    return found


def compare(texts: Mapping[str, str], catalogue: Mapping[str, str], file: str) -> list[str]:
    """Return the problems of a catalogue."""
    problems = [f"{file}: missing: {text!r} of {place}" for text, place in texts.items() if not catalogue.get(text)]
    problems += [f"{file}: unused: {text!r}" for text in catalogue if text and text not in texts]
    for text, translation in catalogue.items():
        if text and translation and list_placeholders(text) != list_placeholders(translation):
            problems.append(f"{file}: other placeholders than in {text!r}: {translation!r}")
    return problems


def main() -> int:
    """Check all catalogues, or write them; return the exit status."""
    texts, problems = find_texts(), []
    for path in sorted(CATALOGUES.glob("*.po")):
        catalogue = read_po(path.read_text(encoding="utf-8"), str(path))
        if "--write" in sys.argv:
            path.write_text(write_catalogue(texts, catalogue), encoding="utf-8")
            catalogue = read_po(path.read_text(encoding="utf-8"), str(path))
        problems += compare(texts, catalogue, path.name)
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
