"""Packages of this installation: imports of optional ones, the commands that install them, and a foreign namesake."""

from __future__ import annotations

import functools
import importlib.util
import sys
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from paddock.core.errors import PaddockError
from paddock.core.version import DISTRIBUTION, VERSION

LECTURERS = (
    "paddock_lecturers"  # package with the solutions and hidden seeds of the shipped exercises; not for students
)
NAMESAKE = "paddock"  # a distribution of this name is another project's
CLIENT = "+client"  # local version of the wheel for students who only connect
PACKAGE = Path(__file__).resolve().parents[1]


def find_lecturers() -> Path | None:
    """Return the folder of the package for lecturers, or None if it is not installed."""
    found = importlib.util.find_spec(LECTURERS)
    return None if found is None or found.origin is None else Path(found.origin).resolve().parent


@functools.cache
def find_clone() -> Path | None:
    """Return the folder of the clone that contains this package, or None if the package was installed from a wheel."""
    clone = PACKAGE.parents[1]
    try:
        named = f'name = "{DISTRIBUTION}"' in (clone / "pyproject.toml").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return clone if named and PACKAGE.parent.name == "src" else None


def install_extra(*extras: str, also: str = "") -> str:
    """Return the command that installs extras of Paddock, here or in the clone, and optionally another package."""
    where, options = (DISTRIBUTION, "") if find_clone() is None else (".", "-e ")
    mark = '"' if sys.platform == "win32" else "'"  # cmd knows no single quotes; PowerShell knows both
    return f"pip install {options}{mark}{where}[{','.join(extras)}]{mark}{also and ' '}{also}"


def import_package(
    name: str, what: str, *, extra: str, install: str | None = None, error: type[PaddockError] = PaddockError
) -> Any:
    """Import an optional package, or raise an error that explains how to install it.

    Args:
        name: name of the module.
        what: the feature that needs it.
        extra: the extra of Paddock that installs it.
        install: name of the package, if it differs from the module's.
        error: class of the error.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about missing optional dependencies of the package
            return importlib.import_module(name)
    except ImportError:
        wanted = install or name.partition(".")[0]
        raise error(f"{what} needs the package {wanted}: {install_extra(extra)}, or pip install {wanted}") from None


def find_namesake() -> str:
    """Return the version of a foreign distribution called `paddock` in this environment; empty if there is none.

    A clone that was installed under that name, which was ours before the first release, is not foreign.
    """
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(NAMESAKE)
    except PackageNotFoundError:
        return ""
    clone, origin = find_clone(), found.read_text("direct_url.json") or ""
    return "" if clone is not None and clone.as_uri() in origin else str(found.version)


def explain_namesake(version: str) -> str:
    """Explain why a foreign distribution called `paddock` must go, and how to remove it."""
    repair = "`pip install -e .`" if find_clone() else f"`pip install --force-reinstall --no-deps {DISTRIBUTION}`"
    return (
        f"the package {NAMESAKE} {version} is installed in this environment, too: it is another project with the same "
        f"import name (this one is {DISTRIBUTION}). Remove it with `pip uninstall {NAMESAKE}`, then run {repair}"
    )


def name_wheel(*, client: bool = False) -> str:
    """Return the file name of the wheel of this version; `client` is the one for those who only connect to servers."""
    return f"{DISTRIBUTION.replace('-', '_')}-{VERSION}{CLIENT if client else ''}-py3-none-any.whl"


def install_command(address: str, *, client: bool = False, windows: bool = False) -> str:
    """Return the line with which students install, into a folder `robots`, what the server at an address hands out."""
    wheel = f"{address.rstrip('/')}/install/{'client/' if client else ''}{quote(name_wheel(client=client))}"
    return _install_into_folder(wheel, windows=windows)


def install_without_index(address: str, *, windows: bool = False) -> str:
    """Return the line that installs the client with all that it needs from a server alone, without the internet."""
    host = urlsplit(address).netloc.rpartition("@")[2]
    trusted = f"--trusted-host {host} " if address.startswith("http:") else ""
    source = f"--no-index {trusted}--find-links {address.rstrip('/')}/install/client/ {DISTRIBUTION}"
    return _install_into_folder(source, windows=windows)


def _install_into_folder(what: str, *, windows: bool) -> str:
    if windows:
        return rf"py -m venv robots; robots\Scripts\pip install {what}"
    return f"python3 -m venv robots && robots/bin/pip install {what}"
