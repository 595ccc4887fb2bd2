"""Changes of tables: laid over others key by key, or values at paths such as `sensors.proximity.noise`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paddock.core.errors import SpecError, suggestion


def overlay(ground: Mapping[str, Any], table: Mapping[str, Any], *, append: bool = False) -> dict[str, Any]:
    """Return a table with the keys of another laid over it: tables are merged, other values replaced.

    Args:
        ground: the table below.
        table: the table above.
        append: whether lists of tables are appended to those below instead of replacing them.
    """
    merged = dict(ground)
    for key, value in table.items():
        old: Any = merged.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            merged[key] = overlay(old, value, append=append)
        elif append and is_list_of_tables(old) and is_list_of_tables(value):
            merged[key] = [*old, *value]
        else:
            merged[key] = value
    return merged


def is_list_of_tables(value: Any) -> bool:
    """Return whether a value was written as [[…]]."""
    return isinstance(value, list) and all(isinstance(item, Mapping) for item in value)


def change_table(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a table with changed values; list entries are selected by `name`, or by index from 0."""
    changed: Any = dict(table)
    for path, value in changes.items():
        changed = _change(changed, path.split("."), value, path)
    return dict(changed)


def _change(part: Any, keys: list[str], value: Any, path: str) -> Any:
    if not keys:
        return value
    key, *others = keys
    if isinstance(part, (list, tuple)):
        index = _index(part, key, path)
        return [*part[:index], _change(part[index], others, value, path), *part[index + 1 :]]
    if part is not None and not isinstance(part, Mapping):
        raise SpecError(f"{key!r} is inside a value that is not a table", path=path)
    inside = dict(part or {})
    return {**inside, key: _change(inside.get(key), others, value, path)}


def _index(entries: list[Any] | tuple[Any, ...], key: str, path: str) -> int:
    names = [str(entry.get("name", i)) if isinstance(entry, Mapping) else str(i) for i, entry in enumerate(entries)]
    if key in names:
        return names.index(key)
    if key.isdigit() and int(key) < len(entries):
        return int(key)
    raise SpecError(f"no entry called {key!r}{suggestion(key, names)}", path=path)
