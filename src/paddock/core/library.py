"""Libraries of shipped specs: one TOML file each, found by name; or a user's own file, found by path."""

from __future__ import annotations

import functools
from importlib import resources
from pathlib import Path

from paddock.core.errors import SpecError, UnknownName
from paddock.core.registry import Registry

SUFFIX = ".toml"


@functools.cache
def folder(package: str) -> Path:
    """Where a package keeps its shipped files."""
    return Path(str(resources.files(package))) / "library"


@functools.cache
def registry(package: str) -> Registry[Path]:
    """Every spec file by name; other packages add theirs through the entry-point group of the same name."""
    shipped = {path.stem: path for path in sorted(folder(package).glob(f"*{SUFFIX}"), key=lambda path: path.stem)}
    return Registry(package.rpartition(".")[2].removesuffix("s"), group=package, builtin=shipped, base=Path)


def names(package: str) -> list[str]:
    """What is there, the shipped ones first, in alphabetical order."""
    return registry(package).names()


def find(package: str, what: str, name_or_path: str | Path, *, beside: str | Path | None = None) -> Path:
    """The file behind a name or a path; `beside` is the folder of the file that names it."""
    text = str(name_or_path)
    if text.endswith(SUFFIX):
        return Path(text) if beside is None else neighbour(beside, text)
    known = registry(package)
    if text in known:
        return known.get(text)
    if isinstance(name_or_path, Path) or Path(text).suffix or len(Path(text).parts) > 1:
        raise UnknownName(what, text, known, expected=f"the name of a shipped {what} or a file that ends in {SUFFIX}")
    raise UnknownName(what, text, known)


def neighbour(beside: str | Path, name: str) -> Path:
    """A file that another file names, relative to the folder of that one."""
    path = Path(beside) / name
    if not path.is_file():
        raise SpecError(f"no file {name!r} {'beside it' if str(beside) else 'in this folder'}")
    return path
