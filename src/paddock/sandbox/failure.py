"""SubmissionFailure: how a user's controller failed, and where in its file; SandboxLost: what is not its fault."""

from __future__ import annotations

from typing import Literal, get_args

from paddock.core.errors import PaddockError

FailureKind = Literal["crash", "exit", "answer-timeout", "cpu", "memory", "forbidden", "invalid", "died"]
KINDS: tuple[FailureKind, ...] = get_args(FailureKind)


class SandboxLost(PaddockError):
    """The process is gone from which controllers are forked, and all that it had forked: no fault of any of them."""


class SubmissionFailure(PaddockError):
    """The end of a user's controller.

    Args:
        kind: crash (an exception), exit, answer-timeout, cpu (of the whole run), memory, forbidden, invalid (answer
            or file), died (by a signal).
        place: `mine.py line 4`; empty if it is not known.
        text: what happened.
        output: what the controller had printed.
    """

    def __init__(self, kind: FailureKind, place: str, text: str, output: str = "") -> None:
        self.kind, self.place, self.text, self.output = kind, place, text, output
        super().__init__(f"{place}: {text}" if place else text)

    def __reduce__(self) -> tuple[type[SubmissionFailure], tuple[FailureKind, str, str, str]]:
        return SubmissionFailure, (self.kind, self.place, self.text, self.output)
