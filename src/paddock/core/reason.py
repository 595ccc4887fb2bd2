"""Reason: a text for people that whoever shows it can translate, because its template and values stay known."""

from __future__ import annotations

import errno
import os
from typing import Any


class Reason(str):
    """An English text. Programs that know no other language take it as it is."""

    template: str
    values: dict[str, Any]  # some may be reasons themselves


def explain(template: str, **values: Any) -> Reason:
    """A reason from a template with places such as {seconds:.0f}. Write the template as a plain text, right here."""
    reason = Reason(template.format(**values))
    reason.template, reason.values = template, values
    return reason


def explain_os_error(error: OSError) -> str:
    """What the system says, as a reason where it is a frequent one."""
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
