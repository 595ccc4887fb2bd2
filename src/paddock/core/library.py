"""Libraries of shipped specs, one TOML file each. Find shipped specs by name and a user's own file by path."""

from __future__ import annotations

import functools
from importlib import resources
from pathlib import Path

from paddock.core.errors import SpecError, UnknownName
from paddock.core.registry import Registry

SUFFIX = ".toml"


@functools.cache
def folder(package: str) -> Path:
    """Return the folder of a package's shipped files."""
    return Path(str(resources.files(package))) / "library"


@functools.cache
def registry(package: str) -> Registry[Path]:
    """Return the registry of spec files by name; other packages add files through an entry point: `paddock.worlds`."""
    shipped = {path.stem: path for path in sorted(folder(package).glob(f"*{SUFFIX}"), key=lambda path: path.stem)}
    name = package.rpartition(".")[2]
    return Registry(name.removesuffix("s").replace("_", " "), group=f"paddock.{name}", builtin=shipped, base=Path)


def is_shipped(path: Path, package: str) -> bool:
    """Whether a file is one of the package's own, which do not change while a process runs."""
    return path.parent == folder(package)


def names(package: str) -> list[str]:
    """Return all names in alphabetical order, the shipped ones first."""
    return registry(package).names()


def find(package: str, what: str, name_or_path: str | Path, *, relative_to: str | Path | None = None) -> Path:
    """Return the file of a name or a path; relative paths are resolved in the folder `relative_to`."""
    text = str(name_or_path)
    if text.endswith(SUFFIX):
        return Path(text) if relative_to is None else neighbour(relative_to, text)
    known = registry(package)
    if text in known:
        return known.get(text)
    if isinstance(name_or_path, Path) or Path(text).suffix or len(Path(text).parts) > 1:
        raise UnknownName(what, text, known, expected=f"the name of a shipped {what} or a file that ends in {SUFFIX}")
    raise UnknownName(what, text, known)


def neighbour(relative_to: str | Path, name: str) -> Path:
    """Return the file `name` in the folder `relative_to`; raise a SpecError if it does not exist."""
    path = Path(relative_to) / name
    if not path.is_file():
        raise SpecError(f"no file {name!r} {'in its folder' if str(relative_to) else 'in this folder'}")
    return path
