"""How objects show themselves in a notebook: drawn by a room above their own, and only when they are shown."""

from __future__ import annotations

from typing import Any

from paddock.core.errors import PaddockError
from paddock.core.user_code import load_target

DRAWERS = "paddock.report.display"


def display_html(kind: str, value: Any) -> str | None:
    """What a notebook shows of an object: the answer of `display_KIND` in `report/display.py`.

    None: only its `repr`, as of robots elsewhere that one may not see.
    """
    try:
        return str(load_target(f"{DRAWERS}:display_{kind}", "display")(value))
    except PaddockError:
        return None
