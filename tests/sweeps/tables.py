"""The tables of a sweep, as bytes."""

from __future__ import annotations

from pathlib import Path

TABLES = ("runs.csv", "runs.parquet", "summary.csv")


def read_tables(folder: Path) -> dict[str, bytes]:
    """What must be the same however a sweep was done."""
    return {name: (folder / name).read_bytes() for name in TABLES}
