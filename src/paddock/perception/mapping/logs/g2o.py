"""Pose graphs with scans, in the text formats of g2o and of its predecessor TORO.

    VERTEX_SE2 id x y theta               TORO: VERTEX2
    ROBOTLASER1 …                         the scan at the vertex of the previous line, as in CARMEN logs
    EDGE_SE2 from to x y theta i11 …      TORO: EDGE2; the information matrix is not used

Only edges between successive vertices are used, as odometry. Other edges are loops detected by another SLAM system, and
the poses of the vertices are its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from paddock.core.errors import PaddockError
from paddock.core.geometry import ORIGIN, Pose, compose, relative
from paddock.perception.mapping.logs.carmen import assemble_log
from paddock.perception.mapping.logs.log_lines import LogNotes
from paddock.perception.mapping.logs.records import LASERS, LaserRecord, find_mount, parse_pose
from paddock.perception.mapping.logs.scan_log import ScanLog

VERTICES, EDGES = ("VERTEX_SE2", "VERTEX2"), ("EDGE_SE2", "EDGE2")
Steps = dict[tuple[int, int], Pose]


def parse_g2o(lines: Iterable[str], name: str) -> ScanLog:
    """Read the scans of a graph and the chain of its sequence edges."""
    lasers: dict[int, LaserRecord] = {}
    steps: Steps = {}
    vertices: set[int] = set()
    latest: int | None = None  # vertex
    notes = LogNotes(name)
    for number, words in notes.read(lines):
        with notes.leave_out_broken(number, words.kind):
            if words.kind in VERTICES:
                latest = None  # so that a scan after an invalid vertex is not assigned to an earlier one
                latest = words.count("vertex")
                vertices.add(latest)
            elif words.kind in LASERS:
                if latest is None:
                    raise ValueError(f"expected {VERTICES[0]} before it")
                lasers[latest] = LASERS[words.kind](words)
            elif words.kind in EDGES:
                first, second = words.count("vertex"), words.count("vertex")
                steps.setdefault((first, second), parse_pose(words, "step"))
                vertices |= {first, second}
            else:
                notes.skip(words.kind)
    if not lasers:
        notes.skipped["vertices without a scan"] = len(vertices)
    places = chain_steps(sorted(vertices), steps, notes) if lasers else {}
    records = [record._replace(robot=places[vertex]) for vertex, record in sorted(lasers.items())]
    return assemble_log(records, [], find_mount(list(lasers.values())), notes)


def chain_steps(vertices: Sequence[int], steps: Mapping[tuple[int, int], Pose], notes: LogNotes) -> dict[int, Pose]:
    """Return the poses of vertices by the edges between successive ones."""
    poses = {vertices[0]: ORIGIN}
    used = 0
    for first, second in pairwise(vertices):
        step, back = steps.get((first, second)), steps.get((second, first))
        if step is None and back is None:
            broken = f"; {notes.problems[0]}" if notes.problems else ""
            raise PaddockError(
                f"{notes.name}: expected an {EDGES[0]} from vertex {first} to {second}: successive vertices need edges "
                f"between them{broken}"
            )
        used += (step is not None) + (back is not None)
        step = step or relative(back or ORIGIN, ORIGIN)
        poses[second] = compose(poses[first], step)
    if loops := len(steps) - used:
        notes.skipped["loop edges"] += loops
    return poses
