"""Seeds as people write them: a list, or the number of seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any

from paddock.core.errors import SpecError, format_value
from paddock.core.spec import Number

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


def draw_uniform(seed: int, *key: object) -> float:
    """Return a number in [0, 1) that depends only on the seed and the key, on every machine."""
    text = "/".join(str(part) for part in (seed, *key))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53
