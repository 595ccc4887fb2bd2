"""What an importer hands back: a world, named after its file, with round numbers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from paddock.core.errors import SpecError
from paddock.core.geometry import Point
from paddock.worlds.spec import WorldSpec

MOST_FLOOR = 5000.0  # pixels along a side of a floor
FLOOR_DETAIL = 500.0  # pixels per metre of a floor that is not too large for it


class Imported(NamedTuple):
    """A world, the start that a robot would stand on, what of the source has no place in the world, and what may be
    a mistake in it."""

    world: WorldSpec
    start: str | None = None
    left_out: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def world_name(file: str | Path) -> str:
    """A file's name without its ending, as a world may be called."""
    return re.sub(r"[^\w-]", "-", Path(file).stem) if re.search(r"[^\W_]", Path(file).stem) else "world"


def tidy(x: float, y: float) -> Point:
    """Two lengths without the dust of floating point."""
    return round(float(x), 9), round(float(y), 9)


def read_text(path: Path, *, errors: str = "strict") -> str:
    """The text of a file; `errors` is what is done with bytes that are not UTF-8, as Python calls it."""
    try:
        return path.read_text(encoding="utf-8-sig", errors=errors)
    except FileNotFoundError:
        raise SpecError("no such file", file=str(path)) from None
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", file=str(path)) from None
    except UnicodeDecodeError:
        problem = "expected a floor plan as text in UTF-8, or a picture, whose name ends in .png, .pgm or alike"
        raise SpecError(problem, file=path.name) from None
