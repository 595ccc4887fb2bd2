"""The compiler: imported lazily, cached by the sources of all kernels, and switched off on request."""

from __future__ import annotations

import ast
import errno
import importlib
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from paddock.core import jit
from paddock.core.errors import PaddockWarning


def python(script: str, **environment: str) -> str:
    """Return the output of a new Python process."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_loading_a_world_does_not_import_numba() -> None:
    modules = "paddock, paddock.simulation.worlds, paddock.simulation.robots, paddock.arena"
    script = f"import sys, {modules}; paddock.simulation.worlds.load_world('clutter'); print('numba' in sys.modules)"
    assert python(script) == "False"


def test_importing_paddock_alone_imports_neither_numpy_nor_pillow() -> None:
    assert python("import sys, paddock; print({'numpy', 'PIL', 'numba'} & set(sys.modules))") == "set()"


def test_scipy_is_imported_only_for_matrix_products() -> None:
    pytest.importorskip("scipy")
    script = """
    import sys
    import numpy as np
    from paddock.simulation.engine.kernels.drive import wrap_angle
    wrap_angle(7.0)
    early = "scipy.linalg" in sys.modules
    import numba
    product = numba.njit(lambda a, b: np.dot(a, b))(np.eye(2), np.full((2, 2), 3.0))
    print(early, "scipy.linalg" in sys.modules, product.sum())
    """
    assert python(script) == "False True 12.0"


def test_full_disk_disables_the_kernel_cache_with_one_warning(tmp_path: Path) -> None:
    script = """
    import resource, sys, warnings
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # every write to a file fails
    from paddock.simulation.engine.kernels.drive import wrap_angle
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        print(wrap_angle(7.0) < 1.0, len(told), str(told[0].message).split(":")[0])
    """
    cannot = f"Paddock cannot cache compiled kernels in {tmp_path}"
    said = python(script, NUMBA_CACHE_DIR=str(tmp_path))
    assert said.startswith(f"True 1 {cannot}"), said
    assert not list(tmp_path.rglob("*.nbi"))


def test_stale_machine_code_is_not_used_after_a_failed_cache_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "from paddock.core.jit import kernel\n@kernel\ndef answer(x):\n    return x + {}\n"
    file = tmp_path / "kernels_on_a_full_disk.py"
    monkeypatch.syspath_prepend(tmp_path)
    file.write_text(source.format(1), encoding="utf-8")
    module = importlib.import_module(file.stem)
    assert module.answer(1) == 2
    file.write_text(source.format(22), encoding="utf-8")
    module = importlib.reload(module)
    kept = module.answer.compiled._cache._cache_file

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(type(kept), "_save_data", fail)  # the index was written, the machine code is not
    with pytest.warns(PaddockWarning, match="No space left on device"):
        assert module.answer(1) == 23
    assert not list(tmp_path.rglob("*.nbi"))


def test_with_the_compiler_off_kernels_run_without_numba() -> None:
    script = """
    import sys, paddock
    from paddock.simulation.engine.step import step
    arena = paddock.open("clutter")
    red = arena["red"]
    red.enable()
    red.wheels.set(0.1, 0.1)
    arena.step(3)
    print(step.is_cached(), "numba" in sys.modules, len(red.sense().proximity), arena.tick)
    """
    assert python(script, NUMBA_DISABLE_JIT="1") == "True False 8 3"


def test_compiled_and_plain_python_runs_agree() -> None:
    script = """
    import paddock
    arena = paddock.open("clutter", seed=3)
    red = arena["red"]
    red.enable("proximity")
    red.wheels.set(0.12, 0.1)
    arena.step(40)
    print([round(value, 9) for value in (*red.pose, *red.proximity.read())])
    """
    assert python(script, NUMBA_DISABLE_JIT="1") == python(script, NUMBA_DISABLE_JIT="0")


@pytest.mark.parametrize(("setting", "compiles"), [("0", True), ("", True), ("1", False)])
def test_environment_variable_switches_the_compiler_off(
    setting: str, compiles: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", setting)
    assert jit.compiling() is compiles


def test_plain_kernel_divides_by_zero_without_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")

    @jit.kernel
    def reciprocal(number):
        """One by a number."""
        return np.float64(1.0) / number

    assert reciprocal(np.float64(0.0)) == np.inf
    assert reciprocal.__name__ == "reciprocal"
    assert reciprocal.__doc__ == "One by a number."


@jit.kernel
def pick(pair, index):
    return pair[index]


@jit.kernel
def add_scaled(value, factor):
    return value + 2.0 * factor


@jit.kernel
def use_literals(value):
    return pick((1, value), 1) + add_scaled(value, 3) + add_scaled(value, value)


@pytest.mark.heavy
def test_literal_arguments_of_inlined_kernels_compile() -> None:
    assert use_literals(2.5) == 2.5 + 8.5 + 7.5


@pytest.mark.heavy
def test_user_function_called_by_a_kernel_is_fully_optimised() -> None:
    printed = python(
        """
        import numba
        from paddock.core.jit import kernel

        def add_up(number):
            total = 0.0
            for i in range(int(number)):
                total += i * number
            return total

        called_first, called_alone = numba.njit(add_up), numba.njit(add_up)

        @kernel
        def inner(number):
            return called_first(number)

        @kernel
        def outer(number):
            return inner(number)

        assert outer(3.0) == called_alone(3.0) == 9.0
        for function in (called_first, called_alone):
            (code,) = function.inspect_llvm().values()
            print(code.count("= alloca"))
        """
    )
    in_kernel, alone = printed.split()
    assert int(in_kernel) <= int(alone)


def test_kernel_keeps_its_python_function() -> None:
    def double(number: float) -> float:
        return 2 * number

    assert jit.kernel(double).function is double


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder in place of Paddock's sources."""
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    (folder / "rays.py").write_text("import math\n\n\n@kernel\ndef ray(): ...\n")
    (folder / "inner" / "arcs.py").write_text("import math\n\n\n@kernel\ndef arc(): ...\n")
    (folder / "words.py").write_text("def word(): ...\n")
    monkeypatch.setattr(jit, "package_folder", lambda: folder)
    return folder


def stamp() -> str:
    return jit.source_stamp.__wrapped__()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("file", ["rays.py", "inner/arcs.py"])
def test_stamp_changes_with_any_kernel_file(package: Path, file: str) -> None:
    before = stamp()
    (package / file).write_text((package / file).read_text() + "# more\n")
    assert stamp() != before


def test_stamp_ignores_files_without_kernels(package: Path) -> None:
    before = stamp()
    (package / "words.py").write_text("def other_word(): ...\n")
    assert stamp() == before


@pytest.mark.parametrize("folder", ["simulation/engine", "simulation/sensors"])
def test_stamp_changes_with_constants_beside_kernels(package: Path, folder: str) -> None:
    before = stamp()
    (package / folder).mkdir(parents=True)
    (package / folder / "columns.py").write_text("X, Y = range(2)\n")
    assert stamp() != before


def test_stamp_changes_with_a_new_kernel_file(package: Path) -> None:
    before = stamp()
    (package / "discs.py").write_text("import math\n\n\n@kernel\ndef disc(): ...\n")
    assert stamp() != before


def test_stamp_ignores_modification_times(package: Path) -> None:
    before = stamp()
    os.utime(package / "rays.py", (0, 0))
    assert stamp() == before


@pytest.mark.heavy
def test_cache_is_invalidated_when_a_called_kernel_changes(tmp_path: Path) -> None:
    (tmp_path / "outer_kernel.py").write_text(
        "from inner_kernel import number\nfrom paddock.core.jit import kernel\n\n\n"
        "@kernel\ndef doubled():\n    return 2 * number()\n"
    )
    script = f"""
    import sys
    from pathlib import Path
    from paddock.core import jit
    jit.package_folder = lambda: Path({str(tmp_path)!r})
    sys.path.insert(0, {str(tmp_path)!r})
    from outer_kernel import doubled
    cached = doubled.is_cached()
    print(cached, doubled())
    """
    inner = "from paddock.core.jit import kernel\n\n\n@kernel\ndef number():\n    return {}\n"
    (tmp_path / "inner_kernel.py").write_text(inner.format(3))
    assert python(script, NUMBA_DISABLE_JIT="0") == "False 6"
    assert python(script, NUMBA_DISABLE_JIT="0") == "True 6"
    (tmp_path / "inner_kernel.py").write_text(inner.format(10))
    assert python(script, NUMBA_DISABLE_JIT="0") == "False 20"


@pytest.mark.heavy
def test_concurrent_processes_compile_a_kernel_once(tmp_path: Path) -> None:
    (tmp_path / "waited_for.py").write_text(
        "from paddock.core.jit import kernel\n\n\n@kernel\ndef three():\n    return 3\n"
    )
    script = f"""
    import sys
    sys.path.insert(0, {str(tmp_path)!r})
    from waited_for import three
    three()
    print(sum(three.compiled.stats.cache_misses.values()))
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0"}
    processes = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert sorted(int(process.communicate()[0]) for process in processes) == [0, 0, 1]


def test_lock_of_a_stopped_compilation_is_released_after_a_timeout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl", reason="no file locks on this system")
    monkeypatch.setattr(jit, "LONGEST_COMPILATION", 0.1)
    with (tmp_path / "kernel.lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with jit._lock_of_processes(tmp_path / "kernel.lock"):
            assert jit._held == [tmp_path / "kernel.lock"]
    assert jit._held == []


def test_kernel_of_an_unimportable_module_is_not_cached() -> None:
    names: dict[str, object] = {"__name__": "nowhere", "kernel": jit.kernel}
    exec("@kernel\ndef three():\n    return 3", names)
    made = names["three"]
    assert isinstance(made, jit.Kernel)
    assert (made(), made.cache) == (3, False)


def kernel_constants() -> list[str]:
    """Return the files, relative to the package, of all names that kernels use and do not define themselves."""
    folder, found = jit.package_folder(), set()
    for path in folder.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "@kernel" not in text:
            continue
        tree = ast.parse(text)
        compiled = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and "kernel" in [ast.unparse(d) for d in node.decorator_list]
        ]
        used = {node.id for one in compiled for node in ast.walk(one) if isinstance(node, ast.Name)}
        for node in tree.body:
            names = [alias.asname or alias.name for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.ImportFrom) and node.module and used.intersection(names):
                file = folder.parent.joinpath(*node.module.split(".")).with_suffix(".py")
                if file.exists():  # whole modules from a package are counted where they are
                    found.add(file.relative_to(folder).as_posix())
    return sorted(found - {"core/jit.py"})


def test_stamp_changes_with_every_file_that_kernels_depend_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied = tmp_path / "paddock"
    shutil.copytree(jit.package_folder(), copied, ignore=shutil.ignore_patterns("__pycache__", "*.toml", "*.png"))
    files = kernel_constants()
    monkeypatch.setattr(jit, "package_folder", lambda: copied)
    stamps = [stamp()]
    for file in files:
        (copied / file).write_bytes((copied / file).read_bytes() + b"# changed\n")
        stamps.append(stamp())
    unnoticed = [file for file, before, after in zip(files, stamps, stamps[1:], strict=False) if before == after]
    assert len(files) > 20
    assert not unnoticed


class Waiting(jit.Kernel):
    """A kernel stub with a given cache state."""

    def __init__(self, cached: bool) -> None:
        super().__init__(lambda: None)
        self.cached = cached

    def is_cached(self) -> bool:
        return self.cached


def test_first_compilation_is_announced(capsys: pytest.CaptureFixture[str]) -> None:
    with jit.progress_while_compiling("its engine", Waiting(False)):
        announced = capsys.readouterr().err
    assert announced == "Paddock compiles its engine, once for this installation …\n"
    assert "done in 0 s" in capsys.readouterr().err


def test_failed_compilation_ends_the_progress_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="no"), jit.progress_while_compiling("its engine", Waiting(False)):
        raise ValueError("no")
    assert capsys.readouterr().err.endswith(" s\n")


def test_keyboard_interrupt_lost_by_the_compiler_is_raised() -> None:
    problem = RuntimeError("no compiled object yet for <Library 'sense' at 0x7f46a1edf350>")  # as numba raises it then
    with pytest.raises(KeyboardInterrupt), jit.progress_while_compiling("its engine", Waiting(False)):
        raise problem


def test_cached_kernels_are_not_announced(capsys: pytest.CaptureFixture[str]) -> None:
    with jit.progress_while_compiling("its engine", Waiting(True)):
        pass
    assert capsys.readouterr().err == ""


@pytest.mark.heavy
def test_compilation_time_is_measured() -> None:
    with jit.stopwatch_on_compiler() as seconds:
        pass
    assert seconds == [0.0]
