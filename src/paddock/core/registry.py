"""Registries of named objects. Entries are shipped, registered at run time, or provided by other packages.

A package adds an entry through an entry point of the registry's group in its `pyproject.toml`:

    [project.entry-points."paddock.sensors"]
    whisker = "my_package.whisker:WhiskerSpec"

A folder of Paddock that can be removed as a whole, such as the language of another simulator, adds its entries through
a file `provides.toml`, with the same groups and values. A user's own file needs no package: `module:Name` or
`path/to/file.py:Name` can be used instead of a name.

A library is a folder of shipped specs, one TOML file each; `find_spec_file` also accepts the path of a user's own file.
"""

from __future__ import annotations

import functools
import tomllib
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path
from typing import Any, Generic, TypeVar, cast, overload

from paddock.core.errors import PaddockError, SpecError, UnknownName, format_value
from paddock.core.user_code import is_path, load_path, load_target, refuse_received

T = TypeVar("T")
FIRST_FOREIGN = 1 << 16  # first number of classes that are not shipped


@dataclass(slots=True)
class Entry:
    """A registered object, or `module:Name` until the first access."""

    value: Any
    origin: str  # module or package that registered it, for messages


class Registry(Generic[T]):
    """Objects by name. Each is imported on first access.

    Args:
        what: term for an entry in messages, such as `sensor kind`.
        group: the entry-point group through which other packages add entries.
        builtin: shipped entries by name, as objects or as `module:Name`.
        base: the class that every entry must be a subclass or an instance of, itself or as `module:Name`; None: any.
    """

    def __init__(
        self, what: str, *, group: str, builtin: Mapping[str, T | str] | None = None, base: type | str | None = None
    ) -> None:
        self.what, self.group = what, group
        self._base = base
        self._entries = {name: Entry(value, _origin(value)) for name, value in (builtin or {}).items()}
        self.builtin = tuple(self._entries)
        self._positions = {value: i for i, value in enumerate((builtin or {}).values()) if isinstance(value, str)}
        self._clashes: dict[str, list[str]] = {}
        self._discovered = False

    # ---- look up

    def get(self, name: str, *, folder: str | Path | None = None) -> T:
        """Return the entry of a name, or the object of `module:Name` or `file.py:Name`.

        Args:
            name: a registered name, or the location of the object.
            folder: folder that is searched first for files and modules, usually that of the file that names them;
                None: search only the working directory.
        """
        if is_path(name):
            return self._check(load_path(name, folder, what=self.what), name)
        entry = self._entry(name)
        if isinstance(entry.value, str):
            entry.value = self._check(load_target(entry.value, f"{self.what} {name!r} of {entry.origin}"), name)
        return cast(T, entry.value)

    __getitem__ = get

    def names(self) -> list[str]:
        """Return all names: first the shipped ones in their order, then the others, sorted."""
        self._discover()
        return [*self.builtin, *sorted(set(self._entries) - set(self.builtin))]

    def number(self, cls: type) -> int:
        """Return the number of a class in kernels: its position if it is shipped, else a hash of its qualified name.

        The number does not depend on other entries, on the order of use, or on the process.
        """
        target = f"{cls.__module__}:{cls.__qualname__}"
        return self._positions.get(target, FIRST_FOREIGN + zlib.crc32(target.encode()))

    def is_shipped(self, cls: type) -> bool:
        """Whether a class is one of the shipped entries."""
        return f"{cls.__module__}:{cls.__qualname__}" in self._positions

    def origin(self, name: str) -> str:
        """Return the module or package that registered an entry."""
        return self._entry(name).origin

    def load_all(self) -> dict[str, T]:
        """Import all entries and return them by name; warn about each package whose entry cannot be imported."""
        loaded: dict[str, T] = {}
        for name in self.names():
            try:
                loaded[name] = self.get(name)
            except PaddockError as error:
                if name in self.builtin:
                    raise
                warnings.warn(str(error), RuntimeWarning, stacklevel=2)
        return loaded

    def __contains__(self, name: object) -> bool:
        if name not in self._entries:
            self._discover()
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    def __repr__(self) -> str:
        return f"<Registry of {len(self)} entries: {self.what}>"

    # ---- register

    @overload
    def register(self, name: str, value: T | str) -> T | str: ...
    @overload
    def register(self, name: str) -> Callable[[T], T]: ...
    def register(self, name: str, value: Any = None) -> Any:
        """Add an entry, an object or `module:Name`. Without a value, return a decorator."""
        if value is None:
            return lambda decorated: self.register(name, decorated)
        if not isinstance(name, str) or not name or is_path(name):
            raise PaddockError(f"{self.what}: expected a name without ':', got {format_value(name)}")
        self._discover()
        there = self._entries.get(name)
        if there is not None and there.value is not value:
            raise PaddockError(
                f"{self.what} {name!r} is registered twice: by {there.origin} and by {_origin(value)}: "
                "give one of them another name"
            )
        self._entries[name] = Entry(value if isinstance(value, str) else self._check(value, name), _origin(value))
        return value

    def _entry(self, name: str) -> Entry:
        if name not in self._entries or name in self._clashes:
            self._discover()
        if name in self._clashes:
            raise PaddockError(
                f"{self.what} {name!r} is registered twice: by {' and by '.join(self._clashes[name])}: "
                "uninstall one of these packages"
            )
        if name not in self._entries:
            raise UnknownName(self.what, str(name), [*self._entries])
        return self._entries[name]

    def _discover(self) -> None:
        """Add what folders of Paddock and installed packages provide, except names of entries that are shipped here."""
        if self._discovered:
            return
        self._discovered = True
        provided = read_provided().get(self.group, {})
        for name, target in provided.items():
            self._entries.setdefault(name, Entry(target, _origin(target)))
        for point in sorted(metadata.entry_points(group=self.group), key=lambda point: (point.name, point.value)):
            origin = f"package {point.dist.name if point.dist else '?'} ({point.value})"
            there = self._entries.get(point.name)
            if there is None:
                self._entries[point.name] = Entry(point.value, origin)
            elif point.name in self.builtin or point.name in provided:
                warnings.warn(
                    f"{self.what} {point.name!r} of {origin} is ignored: {there.origin} already uses that name",
                    RuntimeWarning,
                    stacklevel=3,
                )
            elif there.origin != origin:  # the same package may be found twice on the path
                self._clashes.setdefault(point.name, [there.origin]).append(origin)

    def _check(self, value: Any, name: str) -> T:
        if isinstance(self._base, str):
            self._base = cast(type, load_target(self._base, self.what))
        base = self._base
        if (
            base is not None
            and not isinstance(value, base)
            and not (isinstance(value, type) and issubclass(value, base))
        ):
            raise PaddockError(
                f"{name} is not a valid {self.what}: expected a kind of {base.__name__}, got {format_value(value)}"
            )
        return cast(T, value)


@functools.cache
def read_provided() -> dict[str, dict[str, str]]:
    """Return the entries in the files `provides.toml` of this package, as `module:Name` by group and name."""
    provided: dict[str, dict[str, str]] = {}
    for file in sorted(Path(__file__).parents[1].glob("*/*/provides.toml")):
        for group, entries in tomllib.loads(file.read_text(encoding="utf-8"))["paddock"].items():
            provided.setdefault(f"paddock.{group}", {}).update(entries)
    return provided


def _origin(value: Any) -> str:
    """Return the module that defines an object."""
    if isinstance(value, str):
        return value.partition(":")[0]
    return str(getattr(value, "__module__", type(value).__module__))


SUFFIX = ".toml"


@functools.cache
def library_folder(package: str) -> Path:
    """Return the folder of a package's shipped files."""
    return Path(str(resources.files(package))) / "library"


@functools.cache
def get_spec_files(package: str) -> Registry[Path]:
    """Return the registry of spec files by name; other packages add files through an entry point: `paddock.worlds`."""
    shipped = {
        path.stem: path for path in sorted(library_folder(package).glob(f"*{SUFFIX}"), key=lambda path: path.stem)
    }
    name = package.rpartition(".")[2]
    return Registry(name.removesuffix("s").replace("_", " "), group=f"paddock.{name}", builtin=shipped, base=Path)


def is_shipped_file(path: Path, package: str) -> bool:
    """Whether a file is one of the package's own, which do not change while a process runs."""
    return path.parent == library_folder(package)


def list_spec_names(package: str) -> list[str]:
    """Return all names in alphabetical order, the shipped ones first."""
    return get_spec_files(package).names()


def find_spec_file(package: str, what: str, name_or_path: str | Path, *, relative_to: str | Path | None = None) -> Path:
    """Return the file of a name or a path; relative paths are resolved in the folder `relative_to`."""
    text = str(name_or_path)
    if text.endswith(SUFFIX):
        refuse_received(text)
        return Path(text) if relative_to is None else find_neighbour(relative_to, text)
    known = get_spec_files(package)
    if text in known:
        return known.get(text)
    if isinstance(name_or_path, Path) or Path(text).suffix or len(Path(text).parts) > 1:
        raise UnknownName(what, text, known, expected=f"the name of a shipped {what} or a file that ends in {SUFFIX}")
    raise UnknownName(what, text, known)


def find_neighbour(relative_to: str | Path, name: str) -> Path:
    """Return the file `name` in the folder `relative_to`; raise a SpecError if it does not exist."""
    path = Path(relative_to) / name
    if not path.is_file():
        raise SpecError(f"no file {name!r} {'in its folder' if str(relative_to) else 'in this folder'}")
    return path
