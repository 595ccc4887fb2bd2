"""Libraries of shipped specs: one TOML file each, found by name; or a user's own file, found by path."""

from __future__ import annotations

import functools
from importlib import resources
from pathlib import Path

from paddock.core.errors import SpecError, UnknownName

SUFFIX = ".toml"


@functools.cache
def folder(package: str) -> Path:
    """Where a package keeps its shipped files."""
    return Path(str(resources.files(package))) / "library"


def names(package: str) -> list[str]:
    """What is shipped, in alphabetical order."""
    return sorted(path.stem for path in folder(package).glob(f"*{SUFFIX}"))


def find(package: str, what: str, name_or_path: str | Path, *, beside: str | Path | None = None) -> Path:
    """The file behind a shipped name or a path; `beside` is the folder of the file that names it."""
    text = str(name_or_path)
    if text.endswith(SUFFIX):
        return Path(text) if beside is None else neighbour(beside, text)
    shipped = names(package)
    if text in shipped:
        return folder(package) / f"{text}{SUFFIX}"
    if isinstance(name_or_path, Path) or Path(text).suffix or len(Path(text).parts) > 1:
        raise UnknownName(what, text, shipped, expected=f"the name of a shipped {what} or a file that ends in {SUFFIX}")
    raise UnknownName(what, text, shipped)


def neighbour(beside: str | Path, name: str) -> Path:
    """A file that another file names, relative to the folder of that one."""
    path = Path(beside) / name
    if not path.is_file():
        raise SpecError(f"no file {name!r} {'beside it' if str(beside) else 'in this folder'}")
    return path
