"""A user's code: load it by name (`module:Name`, or `file.py:Name` in an own file), its errors, its sources."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import importlib.machinery
import importlib.util
import inspect
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from paddock.core.errors import PaddockError, PaddockWarning, SpecError, format_value, suggestion

NO_TEXT = "expected a Python program as UTF-8 text; save it with that encoding"
_trusted: ContextVar[Path | None] = ContextVar("folder of the file that is being read", default=None)
_source: ContextVar[str] = ContextVar("where data came from that is being read; empty: this machine", default="")


@contextmanager
def code_beside(folder: Path) -> Iterator[None]:
    """Allow code in a folder while one of its files is read, unless this happens for received data."""
    before = _trusted.set(None if _source.get() else folder)
    try:
        yield
    finally:
        _trusted.reset(before)


@contextmanager
def received_data(source: str) -> Iterator[None]:
    """Trust nothing while data from elsewhere is read: it may name neither code nor files, only what is installed.

    Args:
        source: where the data came from, such as `a recording`, for messages.
    """
    before, code = _source.set(source), _trusted.set(None)
    try:
        yield
    finally:
        _source.reset(before)
        _trusted.reset(code)


def refuse_received(name: str, path: str = "") -> None:
    """Refuse the name of a file or of code if it was received; raise a SpecError."""
    if _source.get():
        raise SpecError(f"{format_value(name)}: {_source.get()} may not refer to files of this machine", path=path)


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
    """Refuse invalid Python. The text is only parsed, because compiling a short text can take gigabytes.

    An encoding that it declares is not used: some take minutes to decode a short text.
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(data.decode("utf-8-sig"), name)
    except (SyntaxError, ValueError) as error:
        if b"\0" in data or isinstance(error, UnicodeDecodeError):
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


def error_location(error: BaseException, *files: Path | str) -> str | None:
    """Return the innermost location of an error in a user's files, as `FILE line N`; None if it occurred elsewhere.

    Args:
        error: the exception.
        files: files that count as the user's in addition to those of `is_users`.
    """
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno))
    named = {Path(file).resolve() for file in files}
    for file, line in reversed(frames):
        if line is not None and (is_users(file) or Path(file).resolve() in named):
            return place(file, line)
    return None


def explain_error(error: BaseException) -> str:
    """Return the text of an error without its location; errors of other libraries are preceded by their class."""
    if isinstance(error, PaddockError):
        return str(error)
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return (f"{type(error).__name__}: {text}" if text else type(error).__name__) + explain_array(error)


def explain_array(error: BaseException) -> str:
    """Return a remark if an error is about an array in place of a number, as in `if observation.proximity < 0.03:`."""
    texts = "The truth value of an array", "only length-1 arrays", "only 0-dimensional arrays"
    if not isinstance(error, TypeError | ValueError) or not str(error).startswith(texts):
        return ""
    return "; a device with several sensors has several readings: choose one, such as [0], or use min(…) or max(…)"


def place(file: Path | str, line: int) -> str:
    """Format a location as `FILE line N`, relative to the working directory if possible."""
    return f"{show_path(file)} line {line}"


def show_path(file: Path | str) -> Path:
    """Return the path of a file, relative to the working directory if possible."""
    path, here = Path(file).resolve(), Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def warn_user(text: str, *, author: Callable[..., Any] | None = None) -> None:
    """Warn at the line of the user's own file that led to the call, or at the caller's line if there is none.

    If the cause is the return value of a user's function, the `author`, the warning refers to its definition.
    """
    if author is not None and (code := users_code(author)) is not None:
        seen = getattr(inspect.unwrap(author), "__globals__", {}).setdefault("__warningregistry__", {})
        warnings.warn_explicit(text, PaddockWarning, code.co_filename, code.co_firstlineno, registry=seen)
        return
    caller = frame = sys._getframe(1)
    level = 2
    while not is_users(frame.f_code.co_filename):
        if frame.f_back is None:
            frame, level = caller, 2
            break
        frame, level = frame.f_back, level + 1
    warnings.warn(text, PaddockWarning, stacklevel=level)


def users_code(function: Callable[..., Any]) -> CodeType | None:
    """Return the code of a function or a callable object; None if it is not in a user's own file."""
    while isinstance(function, functools.partial):
        function = function.func
    function = inspect.unwrap(function)
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return code if isinstance(code, CodeType) and is_users(code.co_filename) else None


def is_users(file: Path | str) -> bool:
    """Whether a source file belongs neither to Paddock nor to Python nor to an installed package."""
    path = Path(file)
    return not path.name.startswith("<") and not any(path.resolve().is_relative_to(folder) for folder in _others())


@functools.cache
def _others() -> tuple[Path, ...]:
    """Return the folders of Paddock, of Python and of installed packages with their commands."""
    names = ("stdlib", "platstdlib", "purelib", "platlib", "scripts")
    python = (Path(sysconfig.get_path(name)).resolve() for name in names)
    return Path(__file__).resolve().parents[1], *python


def refuse_abstract(kind: type, methods: str) -> None:
    """Refuse a user's class with missing methods; `methods` describes the required methods."""
    if inspect.isabstract(kind):
        raise PaddockError(f"{locate_class(kind)}: missing: {methods}")


def locate_class(kind: type) -> str:
    """Return the location and the name of a class: `mine.py line 3: Mine`."""
    file, line = inspect.getsourcefile(kind), inspect.getsourcelines(kind)[1]
    return f"{place(file or '', line)}: {kind.__name__}"


def find_source(name: str, folder: str | None = None) -> Path | None:
    """Return the source file of `module:Name` or `file.py:Name`; None for a registered name, or without a file."""
    if not is_path(name):
        return None
    try:
        file = inspect.getsourcefile(inspect.unwrap(load_path(name, folder)))
    except TypeError:  # not written in Python, or no function and no class
        return None
    return None if file is None or not Path(file).is_file() else Path(file)


def hash_source(name: str, folder: str | None = None) -> str | None:
    """Return the SHA-256 of the source file of a name and its local imports; None if `find_source` returns None."""
    file = find_source(name, folder)
    return None if file is None else hash_sources(file)


def describe_code(name: object, folder: str | None = None) -> object:
    """Return the name and the hash of the source of `file.py:name`; anything else unchanged."""
    return [str(name).rpartition(":")[2], hash_source(str(name), folder)] if is_path(name) else name


def hash_sources(file: Path) -> str:
    """Return the SHA-256 of a file and, for Python, of the modules in its folder that it imports, recursively."""
    found = hashlib.sha256()
    for source in list_sources(file):
        data = source.read_bytes()
        found.update(f"{source.relative_to(file.parent).as_posix()} {len(data)}\n".encode() + data)
    return found.hexdigest()


def list_sources(file: Path) -> list[Path]:
    """Return the file first, then the modules in its folder that it imports, recursively, sorted by name."""
    folder, known, waiting = file.parent, {file}, [file] if file.suffix == ".py" else []
    while waiting:
        for name in _imported_names(waiting.pop()):
            parts = Path(*name.split("."))
            for source in (folder / parts.with_suffix(".py"), folder / parts / "__init__.py"):
                if source not in known and source.is_file():
                    known.add(source)
                    waiting.append(source)
    return [file, *sorted(known - {file})]


def _imported_names(file: Path) -> set[str]:
    """Return the names of all modules that a file may import; `from a import b` adds both a and a.b."""
    names: set[str] = set()
    for node in [] if (tree := parse_source(file)) is None else ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = f"{node.module}." if node.module else ""
            names |= {start.rstrip("."), *(start + alias.name for alias in node.names)} - {""}
    parents = {name.rpartition(".")[0] for name in names} - {""}
    return names | parents


def parse_source(file: Path) -> ast.Module | None:
    """Return the syntax tree of a file as UTF-8, whatever encoding it declares, which may be slow; None if invalid."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(file.read_bytes().decode("utf-8-sig", "replace"))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # it has changed, or is nested too deeply
        return None
