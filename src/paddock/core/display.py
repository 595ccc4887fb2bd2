"""HTML representations of objects in notebooks. The drawing code is in `paddock.report` and is imported on demand."""

from __future__ import annotations

from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.user_code import load_target

DRAWERS = "paddock.report.display"


def display_html(kind: str, value: Any) -> str | None:
    """Return the HTML that a notebook shows for an object, as produced by `display_KIND` in `report/display.py`.

    None means that the notebook shows only the `repr`, for example for remote robots without read access.
    """
    try:
        return str(load_target(f"{DRAWERS}:display_{kind}", "display")(value))
    except PaddockError:
        return None
