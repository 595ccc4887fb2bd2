"""Pose graphs with scans, in the text format of g2o.

    VERTEX_SE2 id x y theta
    ROBOTLASER1 …                         the scan at the vertex of the line before, as in CARMEN logs
    EDGE_SE2 from to x y theta i11 i12 i13 i22 i23 i33

Only edges between successive vertices count as odometry: other edges are loops that somebody found, and the vertices'
poses are somebody's result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, compose, relative
from paddock.mapping.logs.carmen import MOST_PROBLEMS, assemble_log
from paddock.mapping.logs.lines import LogWords
from paddock.mapping.logs.records import LASERS, LaserRecord, parse_pose
from paddock.mapping.logs.scan_log import ScanLog

BACK = Pose(0.0, 0.0, 0.0)


def parse_g2o(lines: Iterable[str], name: str) -> ScanLog:
    """The scans of a graph and the chain of its sequence edges."""
    lasers: dict[int, LaserRecord] = {}
    steps: dict[int, Pose] = {}
    vertices: list[int] = []
    skipped: Counter[str] = Counter()
    problems: list[str] = []
    for number, line in enumerate(lines, 1):
        words = LogWords(line.split())
        if not words.words or words.words[0].startswith("#"):
            continue
        kind = words.words[0]
        try:
            if kind == "VERTEX_SE2":
                vertices.append(words.count("vertex"))
            elif kind in LASERS:
                if not vertices:
                    raise ValueError("expected VERTEX_SE2 before it")
                lasers[vertices[-1]] = LASERS[kind](words)
            elif kind == "EDGE_SE2":
                skipped["loop edges"] += not take_edge(words, steps)
            else:
                skipped[kind] += 1
        except ValueError as error:
            skipped[f"broken {kind}"] += 1
            if len(problems) < MOST_PROBLEMS:
                problems.append(f"line {number}: {kind}: {error}")
    return chain_steps(name, sorted(set(vertices)), lasers, steps, +skipped, problems)


def take_edge(words: LogWords, steps: dict[int, Pose]) -> bool:
    """Keep an edge between successive vertices; False for others."""
    first, second = words.count("vertex"), words.count("vertex")
    step = parse_pose(words, "step")
    if abs(first - second) != 1:
        return False
    steps.setdefault(min(first, second), step if first < second else relative(step, BACK))
    return True


def chain_steps(
    name: str,
    vertices: list[int],
    lasers: dict[int, LaserRecord],
    steps: dict[int, Pose],
    skipped: Counter[str],
    problems: list[str],
) -> ScanLog:
    """Scans with the poses that the sequence edges lead to."""
    records, pose = [], Pose(0.0, 0.0, 0.0)
    for place, vertex in enumerate(vertices):
        if place:
            if vertices[place - 1] != vertex - 1 or vertex - 1 not in steps:
                raise PaddockError(
                    f"{name}: expected an EDGE_SE2 from vertex {vertices[place - 1]} to {vertex}: "
                    "successive vertices need edges between them"
                )
            pose = compose(pose, steps[vertex - 1])
        if vertex in lasers:
            records.append(lasers[vertex]._replace(robot=pose, laser=None))
    return assemble_log(name, records, [], skipped, problems)
