"""Numbers that people and their controllers hand in: are they numbers at all?"""

from __future__ import annotations

import math
from typing import Any


def all_finite(*values: Any) -> bool:
    """Whether all are real, finite numbers; texts, None and lists are not."""
    try:
        return all(math.isfinite(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        return False
