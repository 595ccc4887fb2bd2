"""Tests of the commands that install packages, and of the warning about another project's package."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from command_line import paddock
from command_lines import ROOT
from paddock.core import packages
from paddock.core.errors import PaddockError
from paddock.core.packages import find_clone, import_package, install_extra
from paddock.core.version import DISTRIBUTION

WRITTEN = {".md", ".py", ".toml", ".ipynb", ".html", ".js", ".po", ".txt", ".cfg", ".sh", ""}
INSTALLS = re.compile(r"pip3? install[^`;|&#\n]*?[\s'\"]paddock(?![\w./-])|\bpaddock\[(?=[a-z])(?!\w+\]\.)")


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this package believe that it was installed from a wheel."""
    monkeypatch.setattr(packages, "find_clone", lambda: None)


def add_distribution(folder: Path, name: str, version: str, origin: str = "") -> None:
    """Write the metadata of an installed distribution into a folder."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    if origin:
        (info / "direct_url.json").write_text(json.dumps({"url": origin, "dir_info": {"editable": True}}))


def test_no_text_installs_the_distribution_of_another_project() -> None:
    """`paddock` on package indexes belongs to somebody else; ours is `paddock-lab`."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = []
    for name in listed.splitlines():
        path = ROOT / name
        if path.suffix in WRITTEN and path.is_file() and path != Path(__file__):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if INSTALLS.search(line):
                    found.append(f"{name}:{number}: {line.strip()}")
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "pip install paddock",
        "pip install 'paddock[gym]'",
        'pip install -U "paddock[gym,learn]" torch',
        "or paddock[gpu]",
    ],
)
def test_such_a_text_would_be_noticed(line: str) -> None:
    assert INSTALLS.search(line)
    assert not INSTALLS.search(line.replace("paddock", DISTRIBUTION))


def test_message_in_a_clone_installs_the_clone() -> None:
    assert find_clone() == ROOT
    with pytest.raises(
        PaddockError, match=r"needs the package nowhere: pip install -e '\.\[gym\]', or pip install nowh"
    ):
        import_package("nowhere", "a walk", extra="gym")


@pytest.mark.usefixtures("installed")
def test_message_of_an_installed_package_names_its_distribution() -> None:
    with pytest.raises(PaddockError, match=r": pip install 'paddock-lab\[gym\]', or pip install nowhere"):
        import_package("nowhere", "a walk", extra="gym")
    assert install_extra("gpu", "gym", also="torch") == "pip install 'paddock-lab[gpu,gym]' torch"


@pytest.mark.usefixtures("installed")
def test_command_is_quoted_for_the_shells_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "win32")
    assert install_extra("gym") == 'pip install "paddock-lab[gym]"'


def test_every_extra_that_a_message_names_exists() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    sources = "".join(path.read_text(encoding="utf-8") for path in packages.PACKAGE.rglob("*.py"))
    named = set(re.findall(r"\bextra=\"(\w+)\"", sources))
    for extras in re.findall(r"install_extra\(((?:['\"]\w+['\"],? ?)+)", sources):
        named |= set(re.findall(r"\w+", extras))
    assert len(named) > 8
    assert named <= set(project["optional-dependencies"])


def test_every_command_warns_about_the_package_of_another_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_distribution(tmp_path, "paddock", "0.1.0b6")
    monkeypatch.syspath_prepend(tmp_path)
    done = paddock("--version")
    assert done.returncode == 0
    assert "the package paddock 0.1.0b6 is installed in this environment, too" in done.stderr
    assert "`pip uninstall paddock`, then run `pip install -e .`" in done.stderr
    (row,) = [line for line in paddock("doctor", "--json").stdout.splitlines() if "paddock 0.1.0b6" in line]
    assert (json.loads(row)["good"], json.loads(row)["fix"]) == (False, "pip uninstall paddock")


def test_import_of_the_library_does_not_look_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_distribution(tmp_path, "paddock", "0.1.0b6")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    program = "import paddock, sys; paddock.open('empty'); print('importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "0.1.0b6" not in done.stdout + done.stderr


def test_shell_that_completes_a_word_gets_no_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_distribution(tmp_path, "paddock", "0.1.0b6")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("_PADDOCK_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "paddock wor")
    monkeypatch.setenv("COMP_CWORD", "1")
    done = paddock()
    assert "0.1.0b6" not in done.stdout + done.stderr


def test_clone_that_was_installed_under_the_former_name_is_not_foreign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_distribution(tmp_path, "paddock", "0.1.0", origin=ROOT.as_uri())
    monkeypatch.syspath_prepend(tmp_path)
    assert paddock("--version").stderr == ""
