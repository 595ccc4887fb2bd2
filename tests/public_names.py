"""The public names of every package as text; `python tests/public_names.py` rewrites the golden file."""

from __future__ import annotations

import importlib
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden" / "public_names.txt"
SOURCE = Path(__file__).parents[1] / "src"


def is_public(path: Path) -> bool:
    """Return whether a package exports names."""
    return "\n__all__ = [" in path.read_text(encoding="utf-8")


PACKAGES = [path for path in sorted((SOURCE / "paddock").rglob("__init__.py")) if is_public(path)]
ROOMS = [*(".".join(path.parent.relative_to(SOURCE).parts) for path in PACKAGES), "paddock.testing.plugins"]


def list_names(room: str) -> str:
    """Return a line of the golden file: a package and the names that it exports."""
    names = importlib.import_module(room).__all__
    return f"{room}: {' '.join(sorted(names))}\n"


if __name__ == "__main__":
    GOLDEN.write_text("".join(map(list_names, ROOMS)), encoding="utf-8")
