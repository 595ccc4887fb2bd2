"""Reason: a message that keeps its template and values, so that user interfaces can translate it."""

from __future__ import annotations

import errno
import os
from typing import Any


class Reason(str):
    """An English message that can be used as a plain string or translated."""

    template: str
    values: dict[str, Any]  # some values may be Reasons


def explain(template: str, **values: Any) -> Reason:
    """Format a template with fields such as {seconds:.0f}. Pass a string literal, so that it can be extracted."""
    reason = Reason(template.format(**values))
    reason.template, reason.values = template, values
    return reason


def explain_os_error(error: OSError) -> str:
    """Return the system's text for an error, as a translatable Reason for common errors."""
    match error.errno:
        case errno.ENOENT:
            return explain("No such file or directory")
        case errno.EACCES:
            return explain("Permission denied")
        case errno.EISDIR:
            return explain("Is a directory")
        case errno.ENOSPC:
            return explain("No space left on device")
    return os.strerror(error.errno) if error.errno else str(error)
