"""Wheels of this installation: this package, rebuilt from its own files, and the packages that a class's client needs.

A wheel is assembled from the files of a package and its metadata. In a clone these are the folder of the package and
`pyproject.toml`. An installed package has recorded its files, and keeps the metadata of the wheel it came from, so the
wheel that is rebuilt is the same to the last bit.
"""

from __future__ import annotations

import base64
import hashlib
import re
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email.message import Message
from email.parser import Parser
from importlib.metadata import Distribution, PackageNotFoundError, distribution, requires
from pathlib import Path, PurePosixPath
from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.packages import CLIENT, PACKAGE, find_clone
from paddock.core.version import DISTRIBUTION, VERSION

CLIENT_NEEDS = frozenset({"numpy", "msgspec", "websockets", "typer", "rich", "pillow"})  # numba, above all, is left out
INSTALLERS_OWN = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}  # written by pip, not part of the wheel
WHEEL = "Wheel-Version: 1.0\nGenerator: paddock\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
DATE = (1980, 1, 1, 0, 0, 0)  # of all files, so that equal contents give equal wheels


@dataclass(frozen=True)
class Wheel:
    """The files of a wheel by path: contents, or files on this machine. RECORD is added when it is written."""

    files: dict[str, bytes | Path]
    info: str  # folder of the metadata

    @property
    def metadata(self) -> Message:
        return Parser().parsestr(self.read("METADATA"))

    @property
    def name(self) -> str:
        """The file name, which pip requires."""
        tags = [tag.split("-") for tag in Parser().parsestr(self.read("WHEEL")).get_all("Tag", [])]
        parts = (".".join(dict.fromkeys(column)) for column in zip(*tags, strict=True))
        return "-".join([self.info.removesuffix(".dist-info"), *parts]) + ".whl"

    def read(self, name: str) -> str:
        """Return the text of a file of the metadata."""
        content = self.files[f"{self.info}/{name}"]
        return (content if isinstance(content, bytes) else content.read_bytes()).decode()

    def write(self, file: Path) -> None:
        """Write the wheel."""
        record = []
        with zipfile.ZipFile(file, "w") as archive:
            for path, source in sorted(self.files.items()):
                content = source if isinstance(source, bytes) else source.read_bytes()
                executable = isinstance(source, Path) and source.stat().st_mode & 0o100
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                quoted = f'"{path}"' if "," in path else path
                record.append(f"{quoted},sha256={digest},{len(content)}\n")
                _add(archive, path, content, 0o755 if executable else 0o644)
            path = f"{self.info}/RECORD"
            _add(archive, path, "".join([*record, f"{path},,\n"]).encode(), 0o644)


def _add(archive: zipfile.ZipFile, path: str, content: bytes, mode: int) -> None:
    entry = zipfile.ZipInfo(path, DATE)
    entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16, 3
    archive.writestr(entry, content, compresslevel=1)  # fast, for wheels of many megabytes


def own_wheel() -> Wheel:
    """Return the wheel of this package: of the clone, or as it was installed."""
    clone = find_clone()
    return installed_wheel(DISTRIBUTION) if clone is None else _wheel_of_clone(clone)


def client_wheel() -> Wheel:
    """Return this package for those who only connect to servers: the same files, which require fewer packages."""
    whole = own_wheel()
    metadata = whole.metadata
    version = metadata["Version"].removesuffix(CLIENT) + CLIENT
    wanted = [text for text in metadata.get_all("Requires-Dist", []) if _is_for_client(text)]
    for field in ("Version", "Requires-Dist", "Provides-Extra"):
        del metadata[field]
    metadata["Version"] = version
    for text in wanted:
        metadata["Requires-Dist"] = text
    info = f"{DISTRIBUTION.replace('-', '_')}-{version}.dist-info"
    files = {path.replace(whole.info, info, 1) if path.startswith(whole.info) else path: source
             for path, source in whole.files.items()}  # fmt: skip
    return replace(whole, files=files | {f"{info}/METADATA": metadata.as_string().encode()}, info=info)


def wheels_for_clients() -> tuple[list[Wheel], list[str]]:
    """Return the wheels that a client needs, for the Python and the system of this machine, and the packages without.

    A package has none if it was not installed from a wheel, as packages of Linux distributions are not.
    """
    found, missing = [client_wheel()], []
    for name in sorted(_list_required(CLIENT_NEEDS)):
        try:
            found.append(installed_wheel(name))
        except PaddockError:
            missing.append(name)
    return found, missing


def _is_for_client(requirement: str) -> bool:
    return "extra ==" not in requirement and normalise_name(requirement) in CLIENT_NEEDS


def normalise_name(requirement: str) -> str:
    """Return the name of a package as indexes spell it, from a requirement such as `Jinja2>=3.1`."""
    found = re.match(r"[\w.-]+", requirement)
    return re.sub(r"[-_.]+", "-", found[0] if found else "").lower()


def _list_required(names: frozenset[str]) -> set[str]:
    """Return installed packages with all packages that they require."""
    known: set[str] = set()
    unseen = set(names)
    while unseen:
        name = unseen.pop()
        try:
            texts = requires(name) or []
        except PackageNotFoundError:  # not required on this system
            continue
        known.add(name)
        unseen |= {normalise_name(text) for text in texts if "extra ==" not in text} - known
    return known


def installed_wheel(name: str) -> Wheel:
    """Return the wheel from which a package was installed, assembled from the files that pip has recorded."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        raise PaddockError(f"{name}: it is not installed as a package, so its wheel cannot be rebuilt") from None
    files = dict(_list_files(found, name))
    info = next((path.partition("/")[0] for path in files if path.endswith(".dist-info/METADATA")), "")
    if not info or f"{info}/WHEEL" not in files or '"editable": true' in (found.read_text("direct_url.json") or ""):
        raise PaddockError(f"{name}: it was not installed from a wheel, so its wheel cannot be rebuilt")
    return Wheel(files, info)


def _list_files(found: Distribution, name: str) -> Iterator[tuple[str, bytes | Path]]:
    """Yield the files of an installed package that come from its wheel."""
    commands = {entry.name for entry in found.entry_points if entry.group in ("console_scripts", "gui_scripts")}
    for file in found.files or ():
        path, place = PurePosixPath(file), Path(str(found.locate_file(file)))
        if ".." in path.parts or path.is_absolute():
            if path.name.removesuffix(".exe") not in commands:
                raise PaddockError(f"{name}: {file} lies outside of its folder, so its wheel cannot be rebuilt")
        elif "__pycache__" in path.parts or (".dist-info" in path.parts[0] and path.name in INSTALLERS_OWN):
            continue  # pip writes these again
        elif not place.is_file():
            raise PaddockError(f"{place}: this file of {name} is missing: install {name} again")
        else:
            yield path.as_posix(), place


def _wheel_of_clone(clone: Path) -> Wheel:
    """Return the wheel of a clone, from its files and its `pyproject.toml`."""
    settings = tomllib.loads((clone / "pyproject.toml").read_text(encoding="utf-8"))
    project, build = settings["project"], settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    files: dict[str, bytes | Path] = {}
    for place in PACKAGE.rglob("*"):
        path = place.relative_to(clone)
        hidden = any(part == "__pycache__" or part.startswith(".") for part in path.parts)
        if place.is_file() and not hidden and not any(path.match(pattern) for pattern in build.get("exclude", ())):
            files[place.relative_to(PACKAGE.parent).as_posix()] = place
    info = f"{DISTRIBUTION.replace('-', '_')}-{VERSION}.dist-info"
    commands = "".join(f"{name} = {target}\n" for name, target in project["scripts"].items())
    files |= {
        f"{info}/METADATA": _describe(project, (clone / project["readme"]).read_text(encoding="utf-8")).encode(),
        f"{info}/WHEEL": WHEEL.encode(),
        f"{info}/entry_points.txt": f"[console_scripts]\n{commands}".encode(),
        **{f"{info}/licenses/{name}": clone / name for name in project["license-files"]},
    }
    return Wheel(files, info)


def _describe(project: dict[str, Any], readme: str) -> str:
    """Return the metadata of a project as a wheel has it."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {VERSION}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in project["license-files"]),
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {name}" for name in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {text}" for text in project["dependencies"]),
    ]
    for extra, requirements in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        for text in requirements:
            what, _, condition = (part.strip() for part in text.partition(";"))
            lines.append(f"Requires-Dist: {what}; {f'({condition}) and ' if condition else ''}extra == '{extra}'")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])
