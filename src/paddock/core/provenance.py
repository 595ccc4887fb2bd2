"""Provenance of a result: time, command, software versions, machine, seed and input files."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.files import whole_file
from paddock.core.user_code import is_users, list_sources
from paddock.core.version import VERSION

FILE, INPUTS = "provenance.json", "inputs"
PACKAGES = ("numpy", "numba")  # packages that every result depends on
ENDINGS = (".toml", ".py", ".npz", ".png", ".jpg", ".jpeg", ".webp", ".bmp", ".pgm")  # suffixes of files named in specs


def collect(*, seed: int | None = None, packages: Iterable[str] = (), now: datetime | None = None) -> dict[str, Any]:
    """Collect the provenance of this process as a table for JSON.

    Args:
        seed: seed of the run.
        packages: further distributions whose versions are recorded, in addition to numpy and numba.
        now: time to record instead of the current time.
    """
    return {
        "made": (now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds"),
        "command": command_line(),
        "seed": seed,
        "versions": {"python": platform.python_version(), **versions(packages)},
        "machine": {"platform": platform.platform(), "processor": processor(), "cores": available_threads()},
    }


def write_provenance(
    folder: Path, kind: str, table: Mapping[str, Any], inputs: Mapping[str, bytes], *, private: bool = False
) -> list[Path]:
    """Write `provenance.json` and copies of the input files into a folder; return the paths of the written files.

    Args:
        folder: folder of the results, see `claim_folder`.
        kind: kind of run, as "sweep".
        table: further provenance, see `collect`.
        inputs: contents of the copies by name, see `read_inputs`.
        private: whether the files are readable by their owner only.
    """
    refuse_other_kind(folder, kind)
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in inputs.items()}
    text = json.dumps({"kind": kind, **table, "inputs": hashes}, indent=2, ensure_ascii=False) + "\n"
    write_copies(folder, {**inputs, FILE: text.encode()}, private=private)
    return [folder / FILE, *(folder / name for name in inputs)]


def claim_folder(folder: Path, kind: str, *, private: bool = False) -> Path:
    """Mark an existing folder as that of a kind of run, before anything is computed; raise if it has another kind."""
    refuse_other_kind(folder, kind)
    if not (folder / FILE).exists():
        write_provenance(folder, kind, collect(), {}, private=private)
    return folder


def refuse_other_kind(folder: Path, kind: str) -> None:
    """Raise if a folder contains the results of another kind of run, which would be mixed with these."""
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # none, or a damaged one, which is replaced
        return
    other = found.get("kind", kind) if isinstance(found, dict) else kind
    if other != kind:
        raise PaddockError(
            f"{folder}: this folder has the results of another kind of run ({other}): choose another one"
        )


def read_inputs(files: Iterable[str | Path]) -> dict[str, bytes]:
    """Read files and all files that they refer to; return the contents by the name of the copy in a result folder."""
    return read_copies(name_copies(files))


def name_copies(files: Iterable[str | Path]) -> dict[Path, str]:
    """Return the files, and all files that they refer to, with the name of their copies in a result folder.

    Files in folders below a given file keep these folders.
    """
    names: dict[Path, str] = {}
    given = [Path(file).resolve() for file in files]
    for path in named_files(given):
        below = [path.relative_to(file.parent) for file in given if path.is_relative_to(file.parent)]
        copy = Path(INPUTS) / min(below, key=lambda place: len(place.parts), default=path.name)
        name, number = copy.as_posix(), 1
        while name in names.values():
            number += 1
            name = copy.with_stem(f"{copy.stem}-{number}").as_posix()
        names[path] = name
    return names


def read_folder(folder: Path, files: Iterable[Path]) -> dict[str, bytes]:
    """Return the contents of files of a folder, and of the user's files outside of it that they name, for a copy."""
    names = {path.resolve(): path.relative_to(folder).as_posix() for path in files}
    for path, name in name_copies(names).items():
        if not path.is_relative_to(folder.resolve()) and is_users(path):
            names[path] = name
    return read_copies(names)


def write_copies(folder: Path, copies: Mapping[str, bytes], *, private: bool = False) -> None:
    """Write files with these names and contents below a folder. A `private` file is readable by its owner only."""
    try:
        for name in copies:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PaddockError(f"{folder}: cannot write there: {error.strerror or error}") from None
    for name, data in copies.items():
        with whole_file(folder / name, "wb", private=private) as file:
            file.write(data)


def read_copies(names: Mapping[Path, str]) -> dict[str, bytes]:
    """Return the contents of copies by name. Paths in TOML files are adapted where they would not find the copies."""
    copies: dict[str, bytes] = {}
    for path, name in names.items():
        try:
            data = path.read_bytes()
        except OSError as error:
            raise PaddockError(f"{path}: cannot be read: {error.strerror or error}") from None
        copies[name] = _adapt_paths(data, path, names) if path.suffix == ".toml" else data
    return copies


def _adapt_paths(data: bytes, path: Path, names: Mapping[Path, str]) -> bytes:
    """Return a TOML file whose paths lead from the place of its copy to the copies of the files that it names."""
    place = Path(names[path]).parent
    for text in dict.fromkeys(_texts(_table(path))):
        file = _file_in(text)
        target = names.get((path.parent / file).resolve())
        if target is None or os.path.normpath(place / file) == os.path.normpath(target):
            continue
        there = Path(os.path.relpath(target, place)).as_posix()
        new = text.replace(file, there) if file in text else f"{there}:{text.rpartition(':')[2]}"
        for mark in ('"', "'"):
            data = data.replace(f"{mark}{text}{mark}".encode(), f"{mark}{new}{mark}".encode())
    return data


def named_files(files: Iterable[str | Path]) -> list[Path]:
    """Return the files and the files that they refer to, each once.

    TOML files refer to robots, included worlds, images and code; Python files refer to imported modules.
    """
    found: dict[Path, None] = {}
    queue = [Path(file).resolve() for file in files]
    while queue:
        path = queue.pop(0)
        if path in found or not path.is_file():
            continue
        found[path] = None
        if path.suffix == ".toml":
            queue += [(path.parent / _file_in(text)).resolve() for text in _texts(_table(path))]
        elif path.suffix == ".py":
            queue += list_sources(path)[1:]
    return list(found)


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):  # an unreadable file refers to no other files
        return {}


def _texts(value: Any) -> Iterator[str]:
    """Iterate over all strings in a TOML table that may name files, including `module:Name`."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str) and len(value) < 1000 and "\0" not in value:
        yield from [value] if _file_in(value).lower().endswith(ENDINGS) else ()


def _file_in(text: str) -> str:
    """Return the path of the file in a text such as `a/b.toml`, `a/b.py:Name` or `a.b:Name`."""
    module, _, name = text.rpartition(":")
    if not (name.isidentifier() and module):
        return text
    return module if module.endswith(".py") else module.replace(".", "/") + ".py"


def versions(packages: Iterable[str] = ()) -> dict[str, str]:
    """Return the versions of Paddock, numpy, numba and other distributions; `not installed` for missing ones."""
    found = {"paddock": VERSION}
    for name in (*PACKAGES, *packages):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def command_line(arguments: Sequence[str] | None = None) -> list[str]:
    """Return the command line without secrets: the home directory is `~`, and tokens of addresses are left out."""
    program, *others = sys.argv if arguments is None else arguments
    name = "paddock" if Path(program).name == "__main__.py" else Path(program).name
    home = os.path.expanduser("~")  # noqa: PTH111 (it does not raise without a home directory)
    return [name, *(hide_token(text if home in ("", "/", "~") else text.replace(home, "~")) for text in others)]


def hide_token(address: str) -> str:
    """Return an address with … in place of its access token."""
    return re.sub(r"(?<=[?&#]token=)[^&#]+", "…", address)


def available_threads() -> int:
    """Return the number of processor cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


@functools.cache
def processor() -> str:
    """Return the processor's model name, or the machine type if the system does not report a model."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.lower().startswith("model name"))
    return next((name for name in names if name), "") or platform.processor() or platform.machine()


def describe(table: Mapping[str, Any], seeds: int) -> str:
    """Format the table of `collect` as one line for the head of a report; the seeds are 0 … seeds - 1."""
    moment, machine = datetime.fromisoformat(table["made"]), table["machine"]
    count = machine["cores"]
    return (
        f"{moment:%Y-%m-%d %H:%M} UTC · Paddock {table['versions']['paddock']} · "
        f"Python {table['versions']['python']} · {platform.system()} · "
        f"{machine['processor']}, {count} {'core' if count == 1 else 'cores'} · "
        + ("seed 0" if seeds == 1 else f"seeds 0 … {seeds - 1}")
    )
