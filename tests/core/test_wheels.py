"""Tests of the wheels that are rebuilt from this installation."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement

from command_lines import ROOT
from paddock.core import packages, wheels
from paddock.core.errors import PaddockError
from paddock.core.wheels import (
    CLIENT_NEEDS,
    _list_required,
    client_wheel,
    installed_wheel,
    own_wheel,
    wheels_for_clients,
)

PIP = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-compile"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel of this clone."""
    wheel = own_wheel()
    file = tmp_path_factory.mktemp("wheels") / wheel.name
    wheel.write(file)
    return file


def read_requirements(wheel: Path) -> tuple[dict[str, list[str]], set[Requirement]]:
    """Return the single fields of a wheel's metadata, and its requirements."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = Parser().parsestr(archive.read(name).decode())
    fields = {
        field: sorted(metadata.get_all(field, []))
        for field in metadata
        if field not in ("Requires-Dist", "Metadata-Version")
    }
    fields["Keywords"] = sorted(",".join(fields["Keywords"]).split(","))
    return fields | {"": [metadata.get_payload()]}, {
        Requirement(text) for text in metadata.get_all("Requires-Dist", [])
    }


def test_clone_builds_the_wheel_that_its_build_tool_builds(built: Path, tmp_path: Path) -> None:
    (other,) = map(Path, WheelBuilder(str(ROOT)).build(directory=str(tmp_path)))
    assert built.name == other.name
    with zipfile.ZipFile(built) as ours, zipfile.ZipFile(other) as theirs:
        assert ours.testzip() is None
        assert sorted(ours.namelist()) == sorted(theirs.namelist())
        entry = next(name for name in ours.namelist() if name.endswith("entry_points.txt"))
        assert ours.read(entry).split() == theirs.read(entry).split()
    assert read_requirements(built) == read_requirements(other)


def test_clients_wheel_has_the_same_files_and_needs_no_compiler() -> None:
    whole, client = own_wheel(), client_wheel()
    assert client.name == "paddock_lab-0.1.0+client-py3-none-any.whl"
    assert client.metadata["Version"] == "0.1.0+client"
    needed = {Requirement(text).name for text in client.metadata.get_all("Requires-Dist", [])}
    assert needed == CLIENT_NEEDS
    assert "numba" not in needed
    assert client.metadata.get_payload() == whole.metadata.get_payload()
    package = {path: source for path, source in whole.files.items() if path.startswith("paddock/")}
    assert len(package) > 900
    assert package.items() <= client.files.items()


def test_all_that_a_client_requires_is_handed_out() -> None:
    found, missing = wheels_for_clients()
    assert missing == []
    names = {Requirement(wheel.metadata["Name"]).name.lower().replace("_", "-") for wheel in found}
    assert {"numpy", "websockets", "msgspec", "pygments", "paddock-lab"} <= names
    assert not names & {"numba", "llvmlite", "matplotlib", "jinja2"}
    for wheel in found:
        for text in wheel.metadata.get_all("Requires-Dist", []):
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                assert requirement.name.lower().replace("_", "-") in names


def test_rebuilt_wheel_of_a_compiled_package_can_be_installed(tmp_path: Path) -> None:
    wheel = installed_wheel("msgspec")
    wheel.write(tmp_path / wheel.name)
    subprocess.run(
        [*PIP, "--no-deps", "--target", str(tmp_path / "site"), str(tmp_path / wheel.name)],
        check=True,
        capture_output=True,
    )
    program = "import msgspec; print(msgspec.__file__, msgspec.json.encode([1]))"
    path = str(tmp_path / "site")
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(path)
    assert done.stdout.endswith("b'[1]'\n")


@pytest.mark.long
def test_wheel_simulates_in_an_environment_of_its_own(built: Path, tmp_path: Path) -> None:
    """With the packages that it requires, and nothing else. Messages there name the distribution."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path)], check=True)
    (site,) = tmp_path.glob("lib/python*/site-packages")
    subprocess.run([*PIP, "--no-deps", "--target", str(site), str(built)], check=True, capture_output=True)
    required = {Requirement(text) for text in own_wheel().metadata.get_all("Requires-Dist", [])}
    for name in _list_required(frozenset(each.name for each in required if each.marker is None)):
        for file in distribution(name).files or ():
            if not (site / file.parts[0]).exists() and file.parts[0] != "..":
                (site / file.parts[0]).symlink_to(Path(str(distribution(name).locate_file(file.parts[0]))))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(tmp_path / "bin" / "python"), "-m", "paddock", *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    demo = run("demo", "--headless")
    assert demo.returncode == 0, demo.stderr
    assert "digest" in demo.stdout
    assert run("run", "clutter", "--headless", "--record", "a.mcap").stderr.startswith(
        "paddock: a recording needs the package mcap: pip install 'paddock-lab[record]'"
    )


def test_damaged_installation_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "ruin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ruin\nVersion: 1.0\n")
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nTag: py3-none-any\n")
    (info / "RECORD").write_text("ruin.py,,\nruin-1.0.dist-info/METADATA,,\nruin-1.0.dist-info/WHEEL,,\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PaddockError, match=r"ruin\.py: this file of ruin is missing: install ruin again"):
        installed_wheel("ruin")
    (tmp_path / "ruin.py").touch()
    assert installed_wheel("ruin").name == "ruin-1.0-py3-none-any.whl"


def test_package_that_did_not_come_from_a_wheel_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of Linux distributions, which record no files."""
    info = tmp_path / "numpy-9.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 9.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert distribution("numpy").version == "9.0"
    assert wheels_for_clients()[1] == ["numpy"]
    with pytest.raises(PaddockError, match="numpy: it was not installed from a wheel"):
        installed_wheel("numpy")


def test_editable_installation_elsewhere_has_no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that is installed as a link to a clone that has moved away."""
    monkeypatch.setattr(wheels, "find_clone", lambda: None)
    monkeypatch.setattr(packages, "find_clone", lambda: None)
    with pytest.raises(PaddockError, match=r"paddock-lab: it was not installed from a wheel|is not installed"):
        own_wheel()
