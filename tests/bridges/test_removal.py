"""A language is one folder: without it, the rest of the package works as before."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "paddock"
LANGUAGES = sorted(path.parent for path in PACKAGE.glob("bridges/*/provides.toml"))
CORE_TESTS = (
    "core",
    "arena",
    "control",
    "network/client",
    "simulation/robots",
    "simulation/worlds",
    "teaching/exercises",
)
IMPORT_ALL = """
import importlib, pkgutil, paddock
for module in pkgutil.walk_packages(paddock.__path__, "paddock."):
    if not any(part in module.name for part in (".library", ".templates", "__main__", ".sb3")):
        importlib.import_module(module.name)
from paddock.bridges import BRIDGES
from paddock.network.client import LINKS
print(*BRIDGES, *LINKS, *map(str, BRIDGES.load_all().values()), *map(str, LINKS.load_all().values()))
"""


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda path: path.name)
def test_package_works_without_a_language(language: Path, tmp_path: Path) -> None:
    for folder in ("src", "tests", "docs", "examples", "tools"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    removed = language.relative_to(PACKAGE)
    shutil.rmtree(tmp_path / "src" / "paddock" / removed)
    shutil.rmtree(tmp_path / "tests" / removed)
    (page,) = tmp_path.glob(f"docs/{removed}*")  # a file, or a folder of several pages
    if page.is_dir():
        shutil.rmtree(page)
    else:
        page.unlink()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    imported = call("-c", IMPORT_ALL)
    assert imported.returncode == 0, imported.stderr
    assert f"paddock.{'.'.join(removed.parts)}" not in imported.stdout
    tests = call("-m", "pytest", "-n", "2", "-m", "not long", *(f"tests/{folder}" for folder in CORE_TESTS))
    assert tests.returncode == 0, tests.stdout[-5000:]
    assert " passed" in tests.stdout
