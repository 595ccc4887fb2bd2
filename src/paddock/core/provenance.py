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
from paddock.core.files import whole_file, write_text
from paddock.core.user_code import list_sources
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


def write_provenance(folder: Path, table: Mapping[str, Any], inputs: Mapping[str, bytes]) -> list[Path]:
    """Write `provenance.json` and copies of the input files into a folder; return the paths of the written files."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in inputs.items()}
    try:
        for path in (folder / FILE, *(folder / name for name in inputs)):
            path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PaddockError(f"{folder}: cannot write there: {error.strerror or error}") from None
    for name, data in inputs.items():
        with whole_file(folder / name, "wb") as file:
            file.write(data)
    write_text(folder / FILE, json.dumps({**table, "inputs": hashes}, indent=2, ensure_ascii=False) + "\n")
    return [folder / FILE, *(folder / name for name in inputs)]


def read_inputs(files: Iterable[str | Path]) -> dict[str, bytes]:
    """Read files and all files that they refer to; return the contents by the name of the copy in a result folder.

    Files in folders below a given file keep these folders, so that the copies find each other.
    """
    inputs: dict[str, bytes] = {}
    given = [Path(file).resolve() for file in files]
    for path in named_files(given):
        below = [path.relative_to(file.parent) for file in given if path.is_relative_to(file.parent)]
        copy = Path(INPUTS) / min(below, key=lambda place: len(place.parts), default=path.name)
        name, number = copy.as_posix(), 1
        while name in inputs:
            number += 1
            name = copy.with_stem(f"{copy.stem}-{number}").as_posix()
        try:
            inputs[name] = path.read_bytes()
        except OSError as error:
            raise PaddockError(f"{path}: cannot be read: {error.strerror or error}") from None
    return inputs


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
            queue += [(path.parent / text).resolve() for text in _texts(_table(path))]
        elif path.suffix == ".py":
            queue += list_sources(path)[1:]
    return list(found)


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):  # an unreadable file refers to no other files
        return {}


def _texts(value: Any) -> Iterator[str]:
    """Iterate over all strings in a TOML table that may be file names, including those in `module:Name`."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str) and len(value) < 1000 and "\0" not in value:
        module, _, name = value.rpartition(":")
        if name.isidentifier() and module:
            value = module if module.endswith(".py") else module.replace(".", "/") + ".py"
        if value.lower().endswith(ENDINGS):
            yield value


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
