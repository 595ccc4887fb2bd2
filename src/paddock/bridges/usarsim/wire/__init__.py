"""The text protocol of USARSim (Gamebots): lines, messages and frames without I/O."""

from paddock.bridges.usarsim.wire.messages import ROBOT_CLASSES, find_class_robot
from paddock.bridges.usarsim.wire.reports import RangeScan, UsarReports
from paddock.bridges.usarsim.wire.text import (
    LineSplitter,
    UsarLine,
    format_line,
    format_number,
    format_numbers,
    join_words,
    parse_line,
)

__all__ = [
    "ROBOT_CLASSES",
    "LineSplitter",
    "RangeScan",
    "UsarLine",
    "UsarReports",
    "find_class_robot",
    "format_line",
    "format_number",
    "format_numbers",
    "join_words",
    "parse_line",
]
