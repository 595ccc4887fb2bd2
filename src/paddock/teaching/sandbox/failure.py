"""SubmissionFailure: how and where a user's controller failed. SandboxLost: a failure of the sandbox itself."""

from __future__ import annotations

from typing import Literal

from paddock.core.errors import PaddockError

FailureKind = Literal["crash", "exit", "answer-timeout", "cpu", "memory", "forbidden", "invalid", "died"]


class SandboxLost(PaddockError):
    """The fork server has ended with all its processes; no controller is at fault."""


class SubmissionFailure(PaddockError):
    """The failure that ended a user's controller.

    Args:
        kind: crash (an exception), exit, answer-timeout, cpu (of the whole run), memory, forbidden, invalid (answer
            or file), died (by a signal).
        place: location of the failure, such as `mine.py line 4`; empty if unknown.
        text: description of the failure.
        output: printed output of the controller.
    """

    def __init__(self, kind: FailureKind, location: str, text: str, output: str = "") -> None:
        self.kind, self.location, self.text, self.output = kind, location, text, output
        super().__init__(f"{location}: {text}" if location else text)

    def __reduce__(self) -> tuple[type[SubmissionFailure], tuple[FailureKind, str, str, str]]:
        return SubmissionFailure, (self.kind, self.location, self.text, self.output)
