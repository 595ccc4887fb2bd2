"""Sandbox: a user's controller in a process of its own, which can read, write, start and use up next to nothing."""

from paddock.sandbox.controller import SandboxedController
from paddock.sandbox.failure import FailureKind, SandboxLost, SubmissionFailure
from paddock.sandbox.guards import active_guards
from paddock.sandbox.limits import SandboxLimits

__all__ = ["FailureKind", "SandboxLimits", "SandboxLost", "SandboxedController", "SubmissionFailure", "active_guards"]
