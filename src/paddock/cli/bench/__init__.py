"""`paddock bench`: benchmarks on this machine, as a table or as JSON lines."""

from __future__ import annotations

from typing import Annotated

import typer

from paddock.core.terminal.shared_options import Json


def bench(
    names: Annotated[list[str] | None, typer.Argument(help="Names of benchmarks. Default: all.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Number of measurements; the median is printed.")] = 3,
    json: Json = False,
) -> None:
    """Measure the speed of this machine, with collisions and sensors.

    paddock bench
    paddock bench single swarm --json
    """
    from paddock.cli.bench.measure import run_benches

    run_benches(names or [], rounds=rounds, json_lines=json)
