"""The text language of USARSim (Gamebots): lines, messages and frames without I/O."""

from paddock.usarsim.text import (
    LineSplitter,
    UsarLine,
    format_line,
    format_number,
    format_numbers,
    join_words,
    parse_line,
)

__all__ = [
    "LineSplitter",
    "UsarLine",
    "format_line",
    "format_number",
    "format_numbers",
    "join_words",
    "parse_line",
]
