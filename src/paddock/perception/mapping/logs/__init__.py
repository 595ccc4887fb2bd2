"""Recorded drives with a laser: readers of log files, trajectories, and errors of estimated paths."""

from paddock.perception.mapping.logs.log_formats import read_log
from paddock.perception.mapping.logs.scan_log import ScanLog
from paddock.perception.mapping.logs.slam_run import SlamResult, run_slam
from paddock.perception.mapping.logs.trajectory import (
    Relation,
    RelationErrors,
    Trajectory,
    evaluate_relations,
    read_relations,
    read_tum,
    write_tum,
)

__all__ = [
    "Relation",
    "RelationErrors",
    "ScanLog",
    "SlamResult",
    "Trajectory",
    "evaluate_relations",
    "read_log",
    "read_relations",
    "read_tum",
    "run_slam",
    "write_tum",
]
