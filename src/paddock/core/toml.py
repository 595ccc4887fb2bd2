"""TOML files: read and written with short lists on one line; tables laid over others, and changed at paths."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from paddock.core.errors import SpecError, format_value, suggestion
from paddock.core.files import refuse_special_file

WIDEST = 100  # characters of a list on one line
LARGEST = 64 << 20  # bytes of a file
MOST_PARTS = 100  # of a dotted key; the time to parse one grows with the square of their number
PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
LONG_KEY = re.compile(rf"(?<![\w-]){PART}(?:[ \t]*+\.[ \t]*+{PART}){{{MOST_PARTS}}}", re.ASCII)
STRING_OR_COMMENT = re.compile(
    r""""{3}(?:\\.|[^\\])*?"{3}|'{3}.*?'{3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*""", re.DOTALL
)
# Lists with one item per line: lists of plain values, and lists of lists that are already on one line.
LIST = re.compile(r"\[\n((?:[ ]+[^\[\]{}\n]+,\n)+)[ ]*\]")
LIST_OF_LISTS = re.compile(r"\[\n((?:[ ]+\[[^\[\]{}\n]*\],\n)+)[ ]*\]")


class TomlName(str):
    """Name of a TOML file in messages; it finds the lines of keys."""

    path: Path

    def __new__(cls, path: str | Path) -> Self:
        self = super().__new__(cls, Path(path).name)
        self.path = Path(path)
        return self

    def find_line(self, key: str) -> int | None:
        """Return the line of a key such as `robots[0].at`, or of the table that lacks it; None if it is not found."""
        try:
            return find_line(self.path.read_text(encoding="utf-8-sig"), key)
        except (OSError, ValueError):  # it was removed or changed meanwhile
            return None


def find_line(text: str, key: str) -> int | None:
    """Return the line of a valid TOML text that sets a key such as `robots[0].at`, or opens the table that lacks it."""
    wanted = [int(part[1:-1]) if part[0] == "[" else part for part in re.findall(r"\[\d+\]|[^.\[\]]+", key)]
    table: list[str | int] = []  # of the current header
    last: dict[tuple[str | int, ...], int] = {}  # index of the last entry of each list of tables
    line, longest = None, 0
    for number, statement in _split_statements(text):
        is_header, node = statement.lstrip().startswith("["), tomllib.loads(statement)
        place: list[str | int] = [] if is_header else list(table)
        while isinstance(node, dict) and len(node) == 1:
            name, node = next(iter(node.items()))
            place.append(name)
            if is_header and isinstance(node, list):
                last[tuple(place)] = last.get(tuple(place), -1) + 1
            if tuple(place) in last:
                place.append(last[tuple(place)])
        equal = len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], zip(place, wanted, strict=False))))
        if equal > longest and equal > (len(place) - 1 if is_header else len(table)):
            line, longest = number, equal
        if is_header:
            table = place
        if place == ["base"] and any(isinstance(part, int) for part in wanted):
            return None  # its lists may have entries of another file
    return line


def _split_statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield headers and assignments with their first lines. Each of them is a TOML text of its own."""
    masked = STRING_OR_COMMENT.sub(_mask, text).split("\n")
    depth, first = 0, 0
    lines = text.split("\n")
    for number, plain in enumerate(masked, 1):
        depth += sum(map(plain.count, "[{")) - sum(map(plain.count, "]}"))
        if depth == 0:
            yield first + 1, "\n".join(lines[first:number])
            first = number


def _mask(match: re.Match[str]) -> str:
    """Replace a comment by nothing, and a string by a list with its line ends."""
    return "" if match[0][0] == "#" else "[" + "\n" * match[0].count("\n") + "]"


def toml_text(table: Mapping[str, Any]) -> str:
    """Format a table as TOML."""
    import tomli_w

    return LIST_OF_LISTS.sub(_shorter, LIST.sub(_shorter, tomli_w.dumps(table)))


def _shorter(match: re.Match[str]) -> str:
    items = [line.strip().removesuffix(",") for line in match[1].split("\n") if line]
    line = f"[{', '.join(items)}]"
    return line if len(line) <= WIDEST else match[0]


def read_toml(text: str, *, file: str = "") -> dict[str, Any]:
    """Parse TOML text; raise a SpecError with the line of a syntax error."""
    if LONG_KEY.search(text):
        raise SpecError(f"not valid TOML: a key has more than {MOST_PARTS} parts", file=file)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"not valid TOML: {error}{_explain_python(str(error), text)}", file=file) from None
    except RecursionError:
        raise SpecError("not valid TOML: nested too deeply", file=file) from None
    except ValueError:  # Python does not parse integers of more than 4300 digits
        raise SpecError("not valid TOML: a number has too many digits", file=file) from None


def _explain_python(problem: str, text: str) -> str:
    """Return a remark if a value is written as in Python."""
    place = re.search(r"at line (\d+), column (\d+)", problem)
    word = re.match(r"True|False|None", text.split("\n")[int(place[1]) - 1][int(place[2]) - 1 :]) if place else None
    if word is None:
        return ""
    return ": leave the key out instead of None" if word[0] == "None" else f": write {word[0].lower()}, not {word[0]}"


def read_toml_file(path: Path) -> dict[str, Any]:
    """Read a TOML file as a dict."""
    try:
        if not path.is_file():
            refuse_special_file(path)
        elif path.stat().st_size > LARGEST:
            raise SpecError(f"expected at most {LARGEST >> 20} MB", file=path.name)
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SpecError("no such file", file=str(path)) from None
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", file=str(path)) from None
    except UnicodeDecodeError:
        raise SpecError("cannot be read: expected UTF-8 text; save it with that encoding", file=path.name) from None
    except ValueError:  # a null character in the name
        raise SpecError(f"expected the name of a file, got {format_value(str(path))}") from None
    return read_toml(text, file=TomlName(path))


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
