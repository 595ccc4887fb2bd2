"""Read and write TOML; short lists are written on one line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from paddock.core.errors import SpecError, format_value

WIDEST = 100  # characters of a list on one line
# Lists with one item per line: lists of plain values, and lists of lists that are already on one line.
LIST = re.compile(r"\[\n((?:[ ]+[^\[\]{}\n]+,\n)+)[ ]*\]")
LIST_OF_LISTS = re.compile(r"\[\n((?:[ ]+\[[^\[\]{}\n]*\],\n)+)[ ]*\]")


def toml_text(table: Mapping[str, Any]) -> str:
    """Format a table as TOML."""
    import tomli_w

    return LIST_OF_LISTS.sub(_shorter, LIST.sub(_shorter, tomli_w.dumps(table)))


def _shorter(found: re.Match[str]) -> str:
    items = [line.strip().removesuffix(",") for line in found[1].split("\n") if line]
    line = f"[{', '.join(items)}]"
    return line if len(line) <= WIDEST else found[0]


def read_toml(text: str, *, file: str = "") -> dict[str, Any]:
    """Parse TOML text; raise a SpecError with the line of a syntax error."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"not valid TOML: {error}", file=file) from None
    except RecursionError:
        raise SpecError("not valid TOML: nested too deeply", file=file) from None
    except ValueError:  # Python does not parse integers of more than 4300 digits
        raise SpecError("not valid TOML: a number has too many digits", file=file) from None


def read_toml_file(path: Path) -> dict[str, Any]:
    """Read a TOML file as a dict."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SpecError("no such file", file=str(path)) from None
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", file=str(path)) from None
    except UnicodeDecodeError:
        raise SpecError("cannot be read: expected UTF-8 text; save it with that encoding", file=path.name) from None
    except ValueError:  # a null character in the name
        raise SpecError(f"expected the name of a file, got {format_value(str(path))}") from None
    return read_toml(text, file=path.name)
