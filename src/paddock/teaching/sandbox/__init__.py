"""Sandbox: run a user's controller in a separate process with tight limits on files, processes, memory and CPU time."""

from paddock.teaching.sandbox.controller import SandboxedController, SandboxedProgram
from paddock.teaching.sandbox.failure import FailureKind, SandboxLost, SubmissionFailure
from paddock.teaching.sandbox.guards import active_guards
from paddock.teaching.sandbox.limits import SandboxLimits

__all__ = [
    "FailureKind",
    "SandboxLimits",
    "SandboxLost",
    "SandboxedController",
    "SandboxedProgram",
    "SubmissionFailure",
    "active_guards",
]
