"""Results of jobs as text for `FinishedJobs`: pickles that can contain nothing but data of Paddock and numpy."""

from __future__ import annotations

import base64
import dataclasses
import enum
import functools
import hashlib
import io
import pickle
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from paddock.core.jit import package_folder
from paddock.core.provenance import versions

ARRAY_PARTS = {"ndarray", "dtype", "_reconstruct", "_frombuffer", "scalar"}  # names of numpy in pickled arrays


def identify_job(work: Callable[[Any], Any], job: object) -> str:
    """Return the key of a job: a digest of its function, its parameters and the software."""
    content = (work.__module__, work.__qualname__, job, _identify_software())
    return hashlib.sha256(repr(content).encode()).hexdigest()


@functools.cache
def _identify_software() -> str:
    """Return a digest of Paddock's sources and of the versions of its packages."""
    digest = hashlib.sha256(repr(sorted(versions().items())).encode())
    for path in sorted(path for ending in ("*.py", "*.toml") for path in package_folder().rglob(ending)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def recall_results(finished: Mapping[str, str], keys: Sequence[str]) -> dict[int, Any]:
    """Return the finished results by the number of their key; those that cannot be read are left out."""
    results = {}
    for number, key in enumerate(keys):
        with suppress(Exception):
            results[number] = decode_result(finished[key])
    return results


def encode_result(result: object) -> str:
    """Return a result as text."""
    return base64.b64encode(zlib.compress(pickle.dumps(result), 1)).decode()


def decode_result(text: str) -> Any:
    """Return the result of a text; raise an error if it refers to anything but data classes of Paddock and arrays."""
    return _DataUnpickler(io.BytesIO(zlib.decompress(base64.b64decode(text)))).load()


class _DataUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Return a class of data; refuse functions and other classes, because a file must not run code."""
        if module.partition(".")[0] == "numpy" and name in ARRAY_PARTS:
            return super().find_class(module, name)
        found = super().find_class(module, name) if module.partition(".")[0] == "paddock" else None
        if isinstance(found, type) and (dataclasses.is_dataclass(found) or issubclass(found, tuple | enum.Enum)):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no data class of Paddock")
