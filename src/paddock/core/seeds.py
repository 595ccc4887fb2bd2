"""Seeds as people write them: a list, or the number of seeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from paddock.core.errors import SpecError, format_value
from paddock.core.rules import Number

MAX_RUNS = 1_000_000
Seed = Annotated[int, Number("a seed", low=0, high=2**63 - 1)]


def expand_seeds(table: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the table with `seeds = 10` expanded to the seeds 0 … 9."""
    seeds = table.get("seeds")
    if seeds is None or isinstance(seeds, (list, tuple)):
        return table
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MAX_RUNS:
        raise SpecError(
            f"expected a list of seeds, or their number (1 to {MAX_RUNS}), got {format_value(seeds)}", path="seeds"
        )
    return {**table, "seeds": list(range(seeds))}
