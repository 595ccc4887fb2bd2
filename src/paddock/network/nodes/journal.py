"""Journal: persistent state of a module, as a snapshot and the messages received since."""

from __future__ import annotations

import importlib
import json
from collections import deque
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Protocol, cast
from zipfile import BadZipFile

import numpy as np

from paddock.core.errors import PaddockError
from paddock.core.files import append_text, whole_file
from paddock.network.nodes.bus import decode_message, encode_message
from paddock.network.nodes.bus_recorder import read_recording
from paddock.network.nodes.node_messages import ModuleMessage, RoundMessage

PACKAGE = "paddock"
PLAIN = (bool, int, float, str, type(None))
Collections = (list, tuple, set, frozenset, deque)
GENERATORS: dict[str, Any] = {"PCG64": np.random.PCG64, "Philox": np.random.Philox}
MAKERS: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


class HasState(Protocol):
    """An object with its own `__setstate__`."""

    def __setstate__(self, state: object) -> None: ...


def save_snapshot(path: Path, header: Mapping[str, Any], state: Any) -> None:
    """Write a state with a header that identifies it."""
    writer = SnapshotWriter()
    tree = {"header": dict(header), "state": writer.write(state)}
    arrays: dict[str, Any] = {f"a{k}": array for k, array in enumerate(writer.arrays)}
    with whole_file(path, "wb", sync=False) as file:
        np.savez(file, tree=np.frombuffer(json.dumps(tree).encode(), np.uint8), **arrays)


def load_snapshot(path: Path, header: Mapping[str, Any]) -> Any:
    """Read a state that was written with the same header.

    Raises:
        PaddockError: the file is not a snapshot, or its header differs.
    """
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            tree = json.loads(file["tree"].tobytes())
            arrays = [file[f"a{k}"] for k in range(len(file.files) - 1)]
        found, state = dict(tree["header"]), tree["state"]
    except (OSError, EOFError, BadZipFile, ValueError, KeyError, TypeError, RecursionError) as error:
        raise PaddockError(f"{path}: not a snapshot ({error}): delete it to start with an empty map") from None
    for key, wanted in header.items():
        if found.get(key) != wanted:
            raise PaddockError(
                f"{path}: {key}: expected {wanted!r}, got {found.get(key)!r}: "
                "delete the file to start with an empty map, or use the previous options"
            )
    try:
        return SnapshotReader(arrays).read(state)
    except (AttributeError, ImportError, IndexError, KeyError, TypeError, ValueError) as error:
        raise PaddockError(
            f"{path}: written by another version of Paddock ({error}): delete it to start with an empty map"
        ) from None


class SnapshotWriter:
    """Converts an object to a JSON tree; a repeated object is stored as a reference."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray[Any, Any]] = []
        self._known: dict[int, int] = {}  # index of each object, by its id
        self._kept: list[Any] = []  # keeps objects alive, so that no id is used twice

    def write(self, value: Any) -> Any:
        """Return the tree of a value."""
        if isinstance(value, PLAIN) and type(value) in PLAIN:
            return value
        if id(value) in self._known:
            return {"known": self._known[id(value)]}
        number = self._known[id(value)] = len(self._kept)
        self._kept.append(value)
        return {"number": number, **self._describe(value)}

    def _describe(self, value: Any) -> dict[str, Any]:
        if isinstance(value, np.ndarray | np.generic):
            if np.asarray(value).dtype.hasobject:
                raise PaddockError("a snapshot can store only arrays of numbers")
            self.arrays.append(np.asarray(value))
            return {"array": len(self.arrays) - 1, "scalar": isinstance(value, np.generic)}
        if isinstance(value, bytes):
            self.arrays.append(np.frombuffer(value, np.uint8))
            return {"bytes": len(self.arrays) - 1}
        if isinstance(value, ModuleMessage):
            return {"message": encode_message(value).decode()}
        if isinstance(value, np.random.Generator):
            return {"generator": self.write(dict(value.bit_generator.state))}
        if isinstance(value, Enum):
            return {"enum": _name(type(value)), "member": value.name}
        if isinstance(value, dict):
            pairs = [[self.write(key), self.write(item)] for key, item in value.items()]
            return {"dict": pairs, "class": "" if type(value) is dict else _name(type(value))}
        if isinstance(value, Collections):
            own = type(value).__name__ if type(value) in Collections else _name(type(value))
            longest = {"longest": value.maxlen} if isinstance(value, deque) else {}
            return {"items": [self.write(item) for item in value], "class": own, **longest}
        return {"object": _name(type(value)), "state": self.write(value.__getstate__())}


class SnapshotReader:
    """Restores objects from a tree."""

    def __init__(self, arrays: list[np.ndarray[Any, Any]]) -> None:
        self._arrays = arrays
        self._known: dict[int, Any] = {}

    def read(self, tree: Any) -> Any:
        """Return the value of a tree."""
        if not isinstance(tree, dict):
            return tree
        if "known" in tree:
            return self._known[tree["known"]]
        if "object" in tree:  # other objects may refer to it before it is complete
            value: Any = object.__new__(_find_class(tree["object"]))
            self._known[tree["number"]] = value
            _set_state(value, self.read(tree["state"]))
            return value
        value = self._known[tree["number"]] = self._make(tree)
        return value

    def _make(self, tree: dict[str, Any]) -> Any:
        if "array" in tree:
            array = self._arrays[tree["array"]]
            return array[()] if tree["scalar"] else array
        if "bytes" in tree:
            return self._arrays[tree["bytes"]].tobytes()
        if "message" in tree:
            return decode_message(tree["message"].encode())
        if "generator" in tree:
            state = self.read(tree["generator"])
            generator = np.random.Generator(GENERATORS[state["bit_generator"]]())
            generator.bit_generator.state = state
            return generator
        if "enum" in tree:
            return getattr(_find_class(tree["enum"]), tree["member"])
        if "dict" in tree:
            pairs = _find_class(tree["class"])() if tree["class"] else {}
            pairs.update((self.read(key), self.read(item)) for key, item in tree["dict"])
            return pairs
        items = [self.read(item) for item in tree["items"]]
        if tree["class"] == "deque":
            return deque(items, tree["longest"])
        return (
            MAKERS[tree["class"]](items)
            if tree["class"] in MAKERS
            else tuple.__new__(_find_class(tree["class"]), items)
        )


def _set_state(value: Any, state: Any) -> None:
    if hasattr(value, "__setstate__"):
        cast(HasState, value).__setstate__(state)
        return
    for part in state if isinstance(state, tuple) else (state,):  # attributes, and slots
        for name, item in (part or {}).items():
            object.__setattr__(value, name, item)


def _name(cls: type) -> str:
    if cls.__module__.partition(".")[0] != PACKAGE or "<" in cls.__qualname__:
        raise PaddockError(
            f"a snapshot can store only objects of Paddock's own classes, not {cls.__module__}.{cls.__qualname__}"
        )
    return f"{cls.__module__}:{cls.__qualname__}"


def _find_class(name: str) -> type:
    module, _, path = name.partition(":")
    if module.partition(".")[0] != PACKAGE:
        raise ImportError(f"{name} is not a part of Paddock")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    if not isinstance(found, type) or found.__module__.partition(".")[0] != PACKAGE:  # it may be an imported class
        raise TypeError(f"{name} is not a class of Paddock")
    return found


class Journal:
    """A snapshot file (.npz) and a message file (.jsonl) with a common path; without a path nothing is stored.

    A killed process leaves complete rounds. A power failure may lose the last ones.

    Args:
        path: path of both files without suffix.
        header: identifies the state; a snapshot with another header is rejected.
    """

    def __init__(self, path: Path | None, header: Mapping[str, Any]) -> None:
        self._path, self._header = path, header
        self._waiting: list[str] = []

    def add(self, message: ModuleMessage) -> None:
        """Add a message of the current round."""
        if self._path is not None:
            self._waiting.append(encode_message(message).decode() + "\n")

    def write(self) -> None:
        """Write the messages of the completed round."""
        if self._path is not None:
            append_text(self._lines, "".join(self._waiting))
            self._waiting.clear()

    def snapshot(self, number: int, state: Any) -> None:
        """Save the state at the end of a round, and delete the earlier messages."""
        if self._path is not None:
            save_snapshot(self._snapshot, self._header, (number, state))
            self._lines.unlink(missing_ok=True)

    def restore(self) -> tuple[int, Any] | None:
        """Return the number of a round and the state at its end; None without a snapshot."""
        if self._path is None or not self._snapshot.is_file():
            return None
        number, state = load_snapshot(self._snapshot, self._header)
        return number, state

    def messages(self, *, after: int) -> Iterator[ModuleMessage]:
        """Yield the messages of all complete rounds after a number."""
        if self._path is None or not self._lines.is_file():
            return
        waiting: list[ModuleMessage] = []
        for message in read_recording(self._lines):
            waiting.append(message)
            if isinstance(message, RoundMessage):
                if message.number > after:
                    yield from waiting
                waiting.clear()

    def clear(self) -> None:
        """Delete both files."""
        if self._path is not None:
            self._snapshot.unlink(missing_ok=True)
            self._lines.unlink(missing_ok=True)

    @property
    def _snapshot(self) -> Path:
        return Path(f"{self._path}.npz")

    @property
    def _lines(self) -> Path:
        return Path(f"{self._path}.jsonl")
