"""Load Python objects by name: `module:Name` in an installed package, or `file.py:Name` in a user's own file."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.machinery
import importlib.util
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from paddock.core.error_location import error_location, explain_error, is_users
from paddock.core.errors import PaddockError, suggestion

NO_TEXT = "expected a Python program as UTF-8 text; save it with that encoding"
_trusted: ContextVar[Path | None] = ContextVar("folder of the file that is being read", default=None)


@contextmanager
def code_beside(folder: Path) -> Iterator[None]:
    """Allow code in a folder while one of its files is read. Specs received over the network may not name code."""
    before = _trusted.set(folder)
    try:
        yield
    finally:
        _trusted.reset(before)


def trusted_folder() -> Path | None:
    """Return the folder of the file that is being read; None if names of code in files are not allowed."""
    return _trusted.get()


def absolute_path(value: Any) -> str:
    """Return `file.py:Name` with an absolute path for an object in a user's file, `module:Name` for others."""
    file = getattr(sys.modules[value.__module__], "__file__", None)
    return f"{file if file and is_users(file) else value.__module__}:{value.__qualname__}"


def is_path(name: object) -> bool:
    """Whether a name contains the object's location: `module:Name` or `file.py:Name`."""
    return isinstance(name, str) and ":" in name


def load_target(target: str, owner: str) -> Any:
    """Import `module:Name` from an installed package; error messages name the `owner`."""
    module, _, name = target.partition(":")
    try:
        value = importlib.import_module(module)
        for part in name.split("."):
            value = getattr(value, part)
    except Exception as error:
        where = error_location(error)
        raise PaddockError(
            f"{owner} cannot be loaded: {f'{where}: ' if where else ''}{explain_error(error)}"
        ) from error
    return value


def load_path(path: str, folder: str | Path | None = None, *, what: str = "object") -> Any:
    """Load `module:Name` or `path/to/file.py:Name`; search `folder`, then the working directory."""
    module_name, _, name = path.rpartition(":")
    if not name.isidentifier() or not module_name:
        raise PaddockError(f"{path}: expected module:Name or file.py:Name of a {what}")
    folders = list(dict.fromkeys([Path(folder or "").resolve(), Path.cwd()]))
    module = _find_module(path, module_name, folders)
    if not hasattr(module, name):
        public = [there for there in vars(module) if not there.startswith("_")]
        raise PaddockError(f"{path}: {module.__name__} has no {name!r}{suggestion(name, public)}")
    return getattr(module, name)


def load_file(file: Path, owner: str = "") -> ModuleType:
    """Import a user's Python file as a module, only once; it may import modules from its folder."""
    check_file(file, owner or str(file))
    check_text(file, owner or str(file))
    return _import(file.resolve(), file.stem, owner or str(file))


def load_fresh(file: Path) -> ModuleType:
    """Import a user's Python file as a new module on every call; its exceptions are raised unchanged."""
    folder = str(file.resolve().parent)
    sys.path[:] = [folder, *(other for other in sys.path if other != folder)]
    name = f"paddock_file_{file.stem}"
    return _import_as(name, file, _UncachedLoader(name, str(file.resolve())))


def check_file(file: Path, owner: str) -> None:
    """Refuse anything that is not a Python file; error messages name the `owner`."""
    if not file.is_file():
        raise PaddockError(f"{owner}: no such file")
    if file.suffix != ".py":
        raise PaddockError(f"{owner}: expected a Python file ending in .py")


def check_text(file: Path, owner: str) -> None:
    """Refuse UTF-16 text and binary files; error messages name the `owner`."""
    if b"\0" in file.read_bytes():
        raise PaddockError(f"{owner}: {NO_TEXT}")


def check_program(data: bytes, name: str) -> None:
    """Refuse invalid Python. The text is only parsed, because compiling a short text can take gigabytes."""
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(data, name)
    except (SyntaxError, ValueError) as error:
        if b"\0" in data or "codec can't decode" in str(error):
            raise PaddockError(f"{name}: {NO_TEXT}") from None
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise PaddockError(f"{name}{line}: this is not a Python program: {error.args[0]}") from None
    except (RecursionError, MemoryError):
        raise PaddockError(f"{name}: the program is nested too deeply") from None


def _find_module(path: str, name: str, folders: list[Path]) -> ModuleType:
    if name.endswith(".py") or "/" in name or "\\" in name:
        for folder in folders:
            if (folder / name).is_file():
                return load_file(folder / name, path)
        raise PaddockError(f"{path}: no file {name!r} in {' or in '.join(map(str, folders))}")
    if not all(part.isidentifier() for part in name.split(".")):
        raise PaddockError(f"{path}: expected module:Name or file.py:Name, got {name!r} before the colon")
    inside = name.replace(".", "/")
    for folder in folders:
        for file in (folder / f"{inside}.py", folder / inside / "__init__.py"):
            if file.is_file():
                return _import(file, name, path, folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise _import_error(path, error) from error
        raise PaddockError(f"{path}: no module {name!r}: there is no {inside}.py in {folders[0]}") from None
    except Exception as error:
        raise _import_error(path, error) from error


def _import(file: Path, name: str, owner: str, root: Path | None = None) -> ModuleType:
    """Import a file under its own name, so that other processes find it too, or under another if the name is used."""
    ending = file.name.lower()
    for module in list(sys.modules.values()):
        known = str(getattr(module, "__file__", None) or "")
        if known.lower().endswith(ending) and Path(known) == file and module.__name__ != "__main__":
            return module
    folder = str(root or file.parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    importlib.invalidate_caches()
    try:
        if name not in sys.modules and name not in sys.stdlib_module_names:
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.origin == str(file):
                return importlib.import_module(name)
        return _import_as(f"{name}_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}", file)
    except Exception as error:
        raise _import_error(owner, error, file) from error


class _UncachedLoader(importlib.machinery.SourceFileLoader):
    """Compiles the file on every import.

    Cached byte code is found by size and by seconds, so a small change within a second would go unnoticed.
    """

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


def _import_as(name: str, file: Path, loader: importlib.machinery.SourceFileLoader | None = None) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file, loader=loader)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _import_error(owner: str, error: Exception, *files: Path) -> PaddockError:
    where = error_location(error, *files)
    return PaddockError(f"{owner}: {f'{where}: ' if where else ''}{explain_error(error)}")
