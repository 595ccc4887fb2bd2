"""Results of jobs as text for `FinishedJobs`: plain data, which the declared types of the function turn into objects.

A file names no classes, so it cannot create other objects than the function itself returns.
"""

from __future__ import annotations

import base64
import dataclasses
import enum
import functools
import hashlib
import types
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.jit import package_folder
from paddock.core.provenance import versions
from paddock.core.spec import Spec

PLAIN = (bool, int, float, str, bytes)
LARGEST = 1 << 30  # bytes of a result
ARRAYS = "biufU"  # kinds of arrays: numbers and texts


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


def recall_results(finished: Mapping[str, str], keys: Sequence[str], work: Callable[[Any], Any]) -> dict[int, Any]:
    """Return the finished results by the number of their key; those that cannot be read are left out."""
    results, declared = {}, get_result_type(work)
    for number, key in enumerate(keys):
        with suppress(Exception):
            results[number] = decode_result(finished[key], declared)
    return results


def get_result_type(work: Callable[[Any], Any]) -> Any:
    """Return the declared type of a function's results."""
    declared = get_type_hints(work, include_extras=True).get("return", Any)
    if declared is Any:
        raise PaddockError(
            f"run_jobs: {work.__qualname__}: annotate what it returns, so that stored results can be read"
        )
    return declared


def encode_result(result: object) -> str:
    """Return a result as text."""
    return base64.b64encode(zlib.compress(msgspec.msgpack.encode(_pack(result)), 1)).decode()


def decode_result(text: str, declared: Any) -> Any:
    """Return the result of a text; raise an error unless it is of the declared type."""
    data = zlib.decompressobj().decompress(base64.b64decode(text), LARGEST)
    return _unpack(msgspec.msgpack.decode(data), declared)


def _pack(value: Any) -> Any:
    """Return plain data: of an object its fields, of an array its type, shape and bytes, of a mapping its pairs."""
    if isinstance(value, np.ndarray) and value.dtype.kind in ARRAYS:
        return [value.dtype.str, list(value.shape), value.tobytes()]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, enum.Enum):
        return value.value
    if value is None or isinstance(value, PLAIN):
        return value
    if isinstance(value, Spec):
        return value.to_table()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _pack(getattr(value, field.name)) for field in dataclasses.fields(value) if field.init}
    if isinstance(value, Mapping):
        return [[_pack(key), _pack(item)] for key, item in value.items()]
    if isinstance(value, Collection):
        return [_pack(item) for item in value]
    raise PaddockError(f"a result of type {type(value).__name__} cannot be stored: expected data classes and arrays")


def _unpack(data: Any, declared: Any) -> Any:
    """Return the object of a declared type."""
    kind, arguments = get_origin(declared) or declared, get_args(declared)
    if kind is Annotated:
        return _unpack(data, arguments[0])
    if kind is Literal and data in arguments:
        return data
    if kind in (Union, types.UnionType):
        return _unpack_union(data, arguments)
    if kind is np.ndarray:
        form, shape, content = data
        if np.dtype(form).kind not in ARRAYS:
            raise TypeError(f"expected an array of numbers or texts, got {form!r}")
        return np.frombuffer(content, form).reshape(shape).copy()
    if kind in PLAIN and type(data) in ((int, float) if kind is float else (kind,)):
        return kind(data)
    if kind in (None, types.NoneType) and data is None:
        return None
    if isinstance(kind, type):
        return _unpack_object(data, kind, arguments)
    raise TypeError(f"expected {declared}, got {type(data).__name__}")


def _unpack_union(data: Any, kinds: Sequence[Any]) -> Any:
    for kind in kinds:
        with suppress(Exception):
            return _unpack(data, kind)
    raise TypeError(f"expected one of {kinds}, got {type(data).__name__}")


def _unpack_object(data: Any, kind: type, arguments: Sequence[Any]) -> Any:
    """Return an object of a class, or a list, a tuple or a mapping."""
    if issubclass(kind, Spec):
        return kind.from_table(data)
    if dataclasses.is_dataclass(kind):
        hints = get_type_hints(kind, include_extras=True)
        return kind(**{name: _unpack(value, hints[name]) for name, value in data.items()})
    if issubclass(kind, enum.Enum):
        return kind(data)
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        hints = get_type_hints(kind, include_extras=True)
        return kind(*(_unpack(value, hints[name]) for name, value in zip(kind._fields, data, strict=True)))
    if issubclass(kind, Mapping):
        return {_unpack(key, arguments[0]): _unpack(value, arguments[1]) for key, value in data}
    if kind is tuple and arguments[-1] is not Ellipsis:
        return tuple(_unpack(value, hint) for value, hint in zip(data, arguments, strict=True))
    if issubclass(kind, Collection) and isinstance(data, list):
        items = [_unpack(value, arguments[0]) for value in data]
        return tuple(items) if kind is tuple else items
    raise TypeError(f"expected {kind.__name__}, got {type(data).__name__}")
