"""Stateless random numbers for robot programs: a hash of a seed and a key, the same on every machine."""

from __future__ import annotations

import hashlib


def draw_uniform(seed: int, *key: object) -> float:
    """Return a number in [0, 1) that depends only on the seed and the key, on every machine."""
    text = "/".join(str(part) for part in (seed, *key))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53
