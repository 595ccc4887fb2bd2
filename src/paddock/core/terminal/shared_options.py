"""Options that many commands share, also those of other packages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

FILES = "Files"  # title of the help's panel


def out_option(help: str) -> Any:
    """Return the option for the output file or folder of a command."""
    return typer.Option("--out", "-o", rich_help_panel=FILES, help=help)


def file_option(help: str) -> Any:
    """Return an option for another file that a command writes."""
    return typer.Option(rich_help_panel=FILES, help=help)


Seed = Annotated[int, typer.Option(help="Seed of all noise; equal seeds give equal runs.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON lines instead of a table.")]
Workers = Annotated[str | None, typer.Option(help="Number of processes, or ray for a cluster. Default: one per core.")]
Unprotected = Annotated[
    bool,
    typer.Option(
        "--unprotected", help="Run submissions also where the system cannot confine them: you trust them all."
    ),
]
Force = Annotated[
    bool, typer.Option("--force", rich_help_panel=FILES, help="Overwrite existing files; pictures always.")
]
Output = Annotated[Path | None, out_option("Output file. Default: NAME.png … in this folder.")]
