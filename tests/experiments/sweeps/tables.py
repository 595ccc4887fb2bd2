"""The tables of a sweep, as bytes."""

from __future__ import annotations

from pathlib import Path

TABLES = ("runs.csv", "runs.parquet", "summary.csv")


def read_tables(folder: Path) -> dict[str, bytes]:
    """The files that must be identical for every execution of a sweep."""
    return {name: (folder / name).read_bytes() for name in TABLES}
