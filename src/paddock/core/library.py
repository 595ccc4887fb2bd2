"""Libraries of shipped specs: one TOML file each, found by name; or a user's own file, found by path."""

from __future__ import annotations

import functools
from importlib import resources
from pathlib import Path

from paddock.core.errors import UnknownName

SUFFIX = ".toml"


@functools.cache
def folder(package: str) -> Path:
    """Where a package keeps its shipped files."""
    return Path(str(resources.files(package))) / "library"


def names(package: str) -> list[str]:
    """What is shipped, in alphabetical order."""
    return sorted(path.stem for path in folder(package).glob(f"*{SUFFIX}"))


def find(package: str, what: str, name_or_path: str | Path, *, beside: str | Path | None = None) -> Path:
    """The file behind a shipped name or a path; paths may be relative to the folder `beside`."""
    text = str(name_or_path)
    if not text.endswith(SUFFIX):
        shipped = folder(package) / f"{text}{SUFFIX}"
        if shipped.exists():
            return shipped
        raise UnknownName(what, text, names(package))
    path = Path(text)
    if beside is not None and not path.is_absolute() and (Path(beside) / path).exists():
        return Path(beside) / path
    return path
