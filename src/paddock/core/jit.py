"""The interface to numba: `@kernel` compiles small numeric functions lazily and caches them on disk.

Nothing is compiled, and numba is not imported, before a kernel is first called. Kernels may call
each other. With `NUMBA_DISABLE_JIT=1` they stay plain Python, for debuggers and coverage.

Fingerprints are digests of all that affects machine code. `rebuild_kernel` makes a kernel again with other callees, in
another precision or for another device.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import hashlib
import importlib
import importlib.util
import os
import re
import sys
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from paddock.core.errors import PaddockError, PaddockWarning
from paddock.core.user_code import is_users, place

# Kernels never raise ("numpy" divides by zero without a check) and never allocate, so numba's memory runtime with its
# reference counting of arrays is disabled. Every kernel is inlined into its callers, because tables are passed by
# value, about a hundred words per call. Together these options make the engine six times as fast.
OPTIONS = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "forceinline": True,
    "no_cfunc_wrapper": True,  # no kernel is called from C
}
# Most kernels are called by other kernels only. Without wrappers for calls from Python they compile in three quarters
# of the time.
INLINED = {**OPTIONS, "no_cpython_wrapper": True}

# Folders in which every file counts as kernel source, because kernels use constants and tuples from these files.
KERNEL_FOLDERS = ("simulation/engine", "simulation/sensors", "arena/metrics", "control/policies", "arena/batches")
KERNEL_FILES = ("core/jit.py", "learning/gym/env_tables.py")  # … and files elsewhere


class Kernel:
    """A function that is compiled when it is first called or first used by another kernel."""

    def __init__(self, function: Callable[..., Any], *, cache: bool = True, stamp: str = "") -> None:
        functools.update_wrapper(self, function)
        self.stamp = stamp  # digest of further inputs of its machine code
        # Cached machine code is found through its module, but the module of a page or a plug-in may not be importable.
        self.function, self.cache = function, cache and function.__module__ in sys.modules

    def __call__(self, *arguments: Any) -> Any:
        return self.compiled(*arguments)

    @functools.cached_property
    def compiled(self) -> Callable[..., Any]:
        """The compiled function; it saves one attribute lookup per call compared with the kernel itself."""
        if not compiling():
            return plain(self.function)
        return self._make_dispatcher(OPTIONS)

    @functools.cached_property
    def inlined(self) -> Callable[..., Any]:
        """The compiled function for calls from other kernels; Python cannot call it."""
        dispatcher: Any = self._make_dispatcher(INLINED, ".inlined")
        _ignore_literals(dispatcher)
        _skip_optimisation(dispatcher)
        return dispatcher  # type: ignore[no-any-return]

    def _make_dispatcher(self, options: dict[str, object], suffix: str = "") -> Callable[..., Any]:
        """Return a numba dispatcher whose machine code is cached on disk in files with this suffix."""
        numba = _import_numba()
        if not self.cache:
            return numba.njit(**{**options, "cache": False})(self.function)  # type: ignore[call-overload, no-any-return]
        try:
            dispatcher: Any = numba.njit(**options)(self.function)  # type: ignore[call-overload]
        except RuntimeError:  # no writable cache folder: compile in every process
            return numba.njit(**{**options, "cache": False})(self.function)  # type: ignore[call-overload, no-any-return]
        # numba checks only the kernel's own file, but changes in the kernels that it calls matter, too.
        is_own = Path(self.function.__code__.co_filename).is_relative_to(package_folder())
        stamp = source_stamp() + (self.stamp if is_own else fingerprint(self))
        kept = dispatcher._cache
        name = kept._impl.filename_base + suffix
        cache = kept._cache_file = type(kept._cache_file)(kept._cache_path, name, stamp)
        try:
            cache._load_index()
        except Exception:  # written by another version, with classes that no longer exist: discard the index
            Path(cache._index_path).unlink(missing_ok=True)
        _survive_full_disk(kept)
        _compile_once(dispatcher, Path(cache._index_path).with_suffix(".lock"))
        return dispatcher  # type: ignore[no-any-return]

    def entry(self, *arguments: Any) -> Callable[..., Any]:
        """Return the machine code for arguments of these types. It does not check the types of its arguments.

        Type checks of a model's tables take several times as long as a tick of one robot.
        """
        if not compiling():
            if not _has_numba():  # as in the client that a class hands out
                raise PaddockError("simulating needs the package numba: pip install numba")
            return self.compiled
        dispatcher: Any = self.compiled
        kinds = tuple(dispatcher.typeof_pyval(argument) for argument in arguments)
        dispatcher.compile(kinds)  # loads it from the disk if it is cached
        return dispatcher.overloads[kinds].entry_point  # type: ignore[no-any-return]

    @property
    def _numba_type_(self) -> Any:
        """The attribute by which numba recognises a kernel that is called inside another kernel."""
        return self.inlined._numba_type_  # type: ignore[attr-defined]

    def is_cached(self) -> bool:
        """Whether machine code for this kernel is already in memory or on the disk."""
        if not compiling():
            return True
        dispatcher: Any = self.compiled
        kept = getattr(dispatcher._cache, "_cache_file", None)  # None without a cache folder
        return bool(dispatcher.overloads) or bool(kept and kept._load_index())


@functools.cache
def _import_numba() -> Any:
    """Import numba without SciPy, which takes a sixth of a program's start and which numba only probes for.

    Linear algebra in numba functions still works, because SciPy is then imported during compilation.
    """
    import numba
    from numba.np import linalg

    def find_no_blas() -> None:
        raise ImportError

    ensure_blas, linalg.ensure_blas = linalg.ensure_blas, find_no_blas
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas
    return numba


def _ignore_literals(dispatcher: Any) -> None:
    """Compile an inlined kernel once for all integers or booleans, instead of once more for each literal argument.

    LLVM propagates the literal after inlining, so the machine code of the caller is the same.
    """
    from numba.core import types
    from numba.core.errors import NumbaError

    find_template = dispatcher.get_call_template

    def get_call_template(arguments: Any, keywords: Any) -> Any:
        general = tuple(map(types.unliteral, arguments))
        try:
            return find_template(general, keywords)
        except NumbaError:  # some code needs the literal, such as an index of a tuple of different types
            if general == tuple(arguments):
                raise
            return find_template(arguments, keywords)

    dispatcher.get_call_template = get_call_template


def _skip_optimisation(dispatcher: Any) -> None:
    """Do not optimise the code of an inlined kernel on its own, because LLVM optimises it as part of its callers.

    Functions of users with numba's own decorator, which are compiled together with the kernel, are optimised, because
    Python can call them, too.
    """
    from numba.core.codegen import CPUCodeLibrary
    from numba.core.compiler_lock import global_compiler_lock

    compile_here, library_class = dispatcher.compile, cast(Any, CPUCodeLibrary)
    if not hasattr(library_class, "_optimize_final_module"):  # another version of numba: compile more slowly
        return

    def compile_without_optimisation(signature: Any) -> Any:
        with global_compiler_lock:
            optimise = library_class._optimize_final_module
            library_class._optimize_final_module = lambda library: _has_entry(library) and optimise(library)
            try:
                return compile_here(signature)
            finally:
                library_class._optimize_final_module = optimise

    dispatcher.compile = compile_without_optimisation


def _has_entry(library: Any) -> bool:
    """Whether Python can call a function of this library of machine code."""
    return any(function.name.startswith("_ZN7cpython") for function in library._final_module.functions)


def _survive_full_disk(cache: Any) -> None:
    """Replace errors about writing machine code to the disk by a warning, because the compiled kernel still works."""
    save, file = cache.save_overload, cache._cache_file

    def save_overload(signature: Any, code: Any) -> None:
        try:
            save(signature, code)
        except OSError as error:
            warnings.warn(
                f"Paddock cannot cache compiled kernels in {file._cache_path}: {error.strerror}. Each process compiles "
                "them again; free some space there, or set NUMBA_CACHE_DIR to another folder",
                PaddockWarning,
                stacklevel=2,
            )
            with contextlib.suppress(OSError):  # the index may name a file with older machine code
                Path(file._index_path).unlink(missing_ok=True)

    cache.save_overload = save_overload


def _compile_once(dispatcher: Any, path: Path) -> None:
    """Let only one of several processes compile a kernel; the others wait and load its machine code.

    Processes that find cached machine code load it concurrently.
    """
    from numba.core.compiler_lock import global_compiler_lock

    compile_here, cache = dispatcher.compile, dispatcher._cache

    def compile_alone(signature: Any) -> Any:
        with global_compiler_lock:
            with _lock_of_processes(path, shared=True):
                key = cache._index_key(signature, dispatcher.targetctx.codegen())
                if signature in dispatcher.overloads or key in cache._cache_file._load_index():
                    return compile_here(signature)
            with _lock_of_processes(path):
                return compile_here(signature)

    dispatcher.compile = compile_alone


LONGEST_COMPILATION = 180.0  # [s] to wait for another process; then this process compiles, too
_held: list[Path] = []  # locks of kernels that this process compiles; nested kernels take no further lock


@contextmanager
def _lock_of_processes(path: Path, *, shared: bool = False) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        if not _held:
            with contextlib.suppress(ImportError, OSError):  # not on Windows, or no folder to write to: compile anyway
                import fcntl

                file = os.open(path, os.O_CREAT | os.O_RDWR)
                stack.callback(os.close, file)
                kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
                deadline = time.monotonic() + LONGEST_COMPILATION
                while time.monotonic() < deadline:  # a suspended process must not block the others forever
                    with contextlib.suppress(BlockingIOError):
                        fcntl.flock(file, kind | fcntl.LOCK_NB)
                        break
                    time.sleep(0.05)
        _held.append(path)
        stack.callback(_held.pop)
        yield


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile `function` when it is first needed. It may use numbers, arrays, tuples and other kernels."""
    return Kernel(function)


def compiling() -> bool:
    """Whether kernels are compiled; False with `NUMBA_DISABLE_JIT=1`, and without numba, as for metrics in a client."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0") and _has_numba()


@functools.cache
def _has_numba() -> bool:
    return importlib.util.find_spec("numba") is not None


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that integers wrap around and divisions by zero give inf, as in compiled code."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            return function(*arguments)

    return call


@functools.cache
def package_folder() -> Path:
    """Return the folder of this package's sources."""
    return Path(__file__).resolve().parent.parent


@functools.cache
def source_stamp() -> str:
    """Return a digest of all kernel sources, used to invalidate cached machine code."""
    digest = hashlib.sha256(repr(OPTIONS).encode())
    folder = package_folder()
    for path in sorted(folder.rglob("*.py")):
        text = path.read_bytes()
        name = path.relative_to(folder)
        if b"\n@kernel" in text or name.as_posix().startswith((*KERNEL_FOLDERS, *KERNEL_FILES)):
            digest.update(text)
    return digest.hexdigest()


@contextmanager
def progress_while_compiling(what: str, kernel: Kernel) -> Iterator[None]:
    """Report the compilation time on stderr during the first run on a machine; silent if the kernel is cached."""
    if kernel.is_cached():
        yield
        return
    started, done = time.monotonic(), threading.Event()
    live = sys.stderr.isatty()
    text = f"Paddock compiles {what}, once {'for this installation' if kernel.cache else 'in this process'}"

    def tick() -> None:
        while not done.wait(0.5):
            sys.stderr.write(f"\r{text} … {time.monotonic() - started:.0f} s")
            sys.stderr.flush()

    thread = threading.Thread(target=tick, daemon=True)
    if live:
        thread.start()
    else:
        sys.stderr.write(f"{text} …\n")
    try:
        with explain_mistakes(kernel):
            yield
    finally:
        done.set()
        if live:
            thread.join()
        head = "\r" if live else ""
        sys.stderr.write(f"{head}{text}: done in {time.monotonic() - started:.0f} s\n")
        sys.stderr.flush()


@contextmanager
def explain_mistakes(kernel: Kernel) -> Iterator[None]:
    """Shorten the compiler's error about a mistake in a user's kernel, while a kernel that calls it is compiled."""
    try:
        yield
    except Exception as error:
        if isinstance(error, RuntimeError) and str(error).startswith("no compiled object yet"):
            raise KeyboardInterrupt from None  # Ctrl-C in a callback of LLVM, where ctypes discards it
        if type(error).__module__.startswith("numba.") or isinstance(error, AttributeError):
            raise _explain(error, kernel) from None
        raise


def _explain(error: Exception, kernel: Kernel) -> Exception:
    """Shorten a compiler error about a user's kernel; return an error about Paddock's own kernels unchanged."""
    text = str(error)
    places = re.findall(r'File "([^"]+)", line (\d+):', text)
    unknown = re.search(r"NameError: (?:global )?name '(\w+)'|module '\w+' has no attribute '(\w+)'", text)
    if unknown is not None:  # the compiler does not say where
        name = unknown[1] or unknown[2]
        places = [found for part in _iterate_functions(kernel.function) for found in _find_name(part, name)]
    own = [place(file, int(line)) for file, line in places if is_users(file)]
    if not own:
        return error
    reasons = [line for line in text.splitlines() if line and not line.startswith("Failed in nopython")]
    return PaddockError(
        f"{own[0]}: this cannot be compiled: {reasons[0].rstrip(':')} "
        "(kernels may use numbers, loops, math and other kernels; they cannot create arrays, lists or strings)"
    )


def _find_name(function: Any, name: str) -> Iterator[tuple[str, int]]:
    """Yield the file and the lines of a function that use a global name or an attribute."""
    code = function.__code__
    for step in dis.get_instructions(code):
        if step.opname.startswith("LOAD_") and step.argval == name and step.positions and step.positions.lineno:
            yield code.co_filename, step.positions.lineno


@contextmanager
def stopwatch_on_compiler() -> Iterator[list[float]]:
    """Measure the compilation time within the block [s]; it is appended to the yielded list at the end."""
    seconds: list[float] = []
    if not compiling():
        yield seconds
        seconds.append(0.0)
        return
    from numba.core import event

    listener: Any = event.RecordingListener()  # type: ignore[no-untyped-call]
    with event.install_listener("numba:compile", listener):
        yield seconds
    total, depth, started = 0.0, 0, 0.0
    for moment, note in listener.buffer:  # compilations are nested: count only the outermost
        if note.is_start:
            started = moment if depth == 0 else started
            depth += 1
        else:
            depth -= 1
            total += moment - started if depth == 0 else 0.0
    seconds.append(total)


def fingerprint(kernel: Kernel) -> str:
    """Return a digest of a kernel, of all functions that it calls, and of the constants that they use."""
    return digest(sorted(_contents(function) for function in _iterate_functions(kernel.function)))


def _iterate_functions(function: Any, known: set[Any] | None = None) -> Iterator[Any]:
    """Iterate over a function and all kernels and functions with numba's own decorator that it calls, each once."""
    known = set() if known is None else known
    if function in known:
        return
    known.add(function)
    yield function
    for value in _get_names(function).values():
        callee = value.function if isinstance(value, Kernel) else getattr(value, "py_func", value)
        if isinstance(callee, types.FunctionType):
            yield from _iterate_functions(callee, known)


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's `repr`, in hexadecimal."""
    return hashlib.sha256(repr(value).encode()).hexdigest()


def global_names(code: types.CodeType) -> list[str]:
    """Return the global names that a function uses; `co_names` would also contain attribute names."""
    return sorted({step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"})


def _get_names(function: Any) -> dict[str, Any]:
    """Return the values of the global names that a function uses, and of the names of the functions around it."""
    known, code = function.__globals__, function.__code__
    around = zip(code.co_freevars, function.__closure__ or (), strict=True)
    return {
        **{name: known[name] for name in global_names(code) if name in known},
        **{name: cell.cell_contents for name, cell in around},
    }


def _contents(function: Any) -> str:
    code = function.__code__
    constants = {name: _constant(value) for name, value in _get_names(function).items()}
    return f"{function.__qualname__} {code.co_code.hex()} {code.co_consts!r} {code.co_names!r} {constants!r}"


def _constant(value: Any) -> Any:
    """Return the value that the compiler uses for a global name: numbers, arrays, or a digest of a module's source."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, types.ModuleType):
        file = getattr(value, "__file__", None) or ""
        return digest(Path(file).read_bytes()) if file.endswith(".py") else value.__name__
    return repr(value) if isinstance(value, (bool, int, float, tuple, np.generic)) else None


def rebuild_kernel(
    kernel: Kernel,
    swaps: Mapping[Kernel, Any],
    *,
    names: Mapping[str, Any] | None = None,
    constant: Callable[[Any], Any] | None = None,
    make: Callable[[types.FunctionType], Any] | None = None,
) -> Any:
    """Rebuild a kernel with the callees in `swaps` replaced recursively; return it unchanged if nothing differs.

    With replaced kernels only, its machine code is cached on disk, in the folder of the originals and under another
    name, until the source of a replacement changes.

    Args:
        kernel: the kernel to rebuild.
        swaps: replacements of kernels.
        names: replacements of global names, written with their module: `package.module.NAME`.
        constant: function that replaces a literal, or a number or module behind a global name.
        make: function that compiles every rebuilt function for the device; None for kernels of this process.
    """
    variant = None if names or constant or make else Variant.of(swaps.values())
    return _Maker(swaps, names or {}, constant, make, variant).rebuild(kernel)


class Variant(NamedTuple):
    """Name and source digest that distinguish a rebuilt kernel from the original on disk."""

    name: str
    stamp: str

    @classmethod
    def of(cls, kernels: Iterable[Kernel]) -> Variant:
        """Return the variant with these replacement kernels."""
        kernels = list(kernels)
        names = sorted(
            f"{function.__module__}.{function.__qualname__}"
            for kernel in kernels
            for function in _iterate_functions(kernel.function)
        )
        return cls(digest(names)[:12], digest(sorted(fingerprint(kernel) for kernel in kernels)))


class _Maker:
    def __init__(
        self,
        swaps: Mapping[Kernel, Any],
        names: Mapping[str, Any],
        constant: Callable[[Any], Any] | None,
        make: Callable[[types.FunctionType], Any] | None,
        variant: Variant | None,
    ) -> None:
        self.variant = variant
        self.done: dict[Kernel, Any] = {}
        self.swaps, self.names, self.constant, self.make = swaps, names, constant, make

    def rebuild(self, kernel: Kernel) -> Any:
        if kernel not in self.done:
            self.done[kernel] = self._rebuild(self.swaps.get(kernel, kernel))
        return self.done[kernel]

    def _rebuild(self, kernel: Kernel) -> Any:
        function, code = kernel.function, kernel.function.__code__
        known = function.__globals__
        names = {
            name: self.names.get(f"{known['__name__']}.{name}", self._stand_in(known[name]))
            for name in global_names(code)
            if name in known
        }
        literals = tuple(self._literal(value) for value in code.co_consts)
        changed = any(value is not known[name] for name, value in names.items())
        changed |= any(new is not old for new, old in zip(literals, code.co_consts, strict=True))
        if self.make is None and not changed:
            return kernel
        copy = types.FunctionType(code.replace(co_consts=literals), {**known, **names}, function.__name__)
        if self.make is not None:
            return self.make(copy)
        if self.variant is None:
            return Kernel(copy, cache=False)
        copy.__qualname__ = f"{function.__qualname__}_{self.variant.name}"
        return Kernel(copy, stamp=self.variant.stamp)

    def _literal(self, value: Any) -> Any:
        if self.constant is not None and isinstance(value, tuple) and any(isinstance(part, float) for part in value):
            return tuple(self._literal(part) for part in value)
        return self.constant(value) if self.constant is not None and isinstance(value, float) else value

    def _stand_in(self, value: Any) -> Any:
        if isinstance(value, Kernel):
            return self.rebuild(value)
        return value if self.constant is None else self.constant(value)
