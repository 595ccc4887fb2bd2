"""Sandbox: run a user's controller in a separate process with tight limits on files, processes, memory and CPU time."""

from paddock.sandbox.controller import SandboxedController
from paddock.sandbox.failure import FailureKind, SandboxLost, SubmissionFailure
from paddock.sandbox.guards import active_guards
from paddock.sandbox.limits import SandboxLimits

__all__ = ["FailureKind", "SandboxLimits", "SandboxLost", "SandboxedController", "SubmissionFailure", "active_guards"]
