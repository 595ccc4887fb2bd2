"""Result of an importer: a world named after its file, with rounded numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from paddock.core.errors import SpecError, format_value
from paddock.core.geometry import Point
from paddock.simulation.worlds.world_spec import WorldSpec

MAX_FLOOR = 5000.0  # maximum pixels along a side of a floor
MAX_TEXT = 20_000_000  # maximum characters of a plan; a device such as /dev/zero has no end
FLOOR_DETAIL = 500.0  # pixels per metre of a floor, unless it is too large


class ImportedWorld(NamedTuple):
    """An imported world, the start for a robot, the omitted parts of the source, and possible mistakes in it."""

    world: WorldSpec
    start: str | None = None
    left_out: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def world_name(file: str | Path) -> str:
    """Convert a file's name, without its suffix, to a valid world name."""
    return re.sub(r"[^\w-]", "-", Path(file).stem) if re.search(r"[^\W_]", Path(file).stem) else "world"


def tidy(x: float, y: float) -> Point:
    """Round two lengths to remove floating-point errors."""
    return round(float(x), 9), round(float(y), 9)


def read_text(path: Path, *, errors: str = "strict") -> str:
    """Read a text file; `errors` is Python's name for the handling of bytes that are not UTF-8."""
    try:
        with path.open(encoding="utf-8-sig", errors=errors) as file:
            text = file.read(MAX_TEXT + 1)
        if len(text) > MAX_TEXT:
            raise SpecError(f"expected a text of at most {MAX_TEXT:,} characters", file=str(path))
        return text
    except FileNotFoundError:
        raise SpecError("no such file", file=str(path)) from None
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", file=str(path)) from None
    except UnicodeDecodeError:
        problem = "expected a floor plan as UTF-8 text, or a picture whose name ends in .png, .pgm or similar"
        raise SpecError(problem, file=path.name) from None
    except ValueError:  # a null character in the name
        raise SpecError(f"expected the name of a file, got {format_value(str(path))}") from None
