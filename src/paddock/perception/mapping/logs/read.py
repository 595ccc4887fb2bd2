"""Read a log of any supported format, detected by its content."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from paddock.perception.mapping.logs.carmen import parse_carmen
from paddock.perception.mapping.logs.g2o import parse_g2o
from paddock.perception.mapping.logs.log_lines import read_lines
from paddock.perception.mapping.logs.records import LASERS
from paddock.perception.mapping.logs.scan_log import ScanLog

GRAPH_LINES = ("VERTEX", "EDGE", "FIX")


def read_log(path: str | Path) -> ScanLog:
    """Read a CARMEN log or a g2o graph with scans; plain, .gz or .zip."""
    lines = read_lines(Path(path))
    head: list[str] = []
    is_graph = begins_graph(lines, head)
    parse = parse_g2o if is_graph else parse_carmen
    return parse(chain(head, lines), str(path))


def begins_graph(lines: Iterator[str], head: list[str]) -> bool:
    """Return whether a line of a graph comes before any of a CARMEN log; `head` receives the lines read."""
    for line in lines:
        head.append(line)
        kind = line.split(maxsplit=1)[0] if line.strip() else ""
        if kind.startswith(GRAPH_LINES):
            return True
        if kind in LASERS or kind == "ODOM":
            return False
    return False
