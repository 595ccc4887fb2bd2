"""SandboxedProgram: a submitted program as what drives the robots of a run."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paddock.arena.base_arena import BaseArena
from paddock.arena.controllers import Drivers
from paddock.teaching.sandbox.controller import SandboxedController
from paddock.teaching.sandbox.limits import SandboxLimits
from paddock.teaching.sandbox.submissions import Submission


@dataclass(frozen=True, kw_only=True)
class SandboxedProgram:
    """A controller file. Each robot's controller runs in its own process and reads only the allowed devices."""

    file: Path
    devices: tuple[str, ...]  # that the program may read
    folder: Path | None = None  # folder whose files all belong to the program; None: the file only
    limits: SandboxLimits = field(default_factory=SandboxLimits)

    def make(self, arena: BaseArena) -> Drivers:
        """Start the program for each robot; the processes end with the run."""
        controllers: dict[str, Any] = {}
        try:
            for name, robot in arena.robots.items():
                controllers[name] = SandboxedController(
                    self.file, robot, devices=self.devices, folder=self.folder, limits=self.limits
                )
        except BaseException:
            for controller in controllers.values():
                controller.close()
            raise
        return Drivers(controllers=controllers, devices=dict.fromkeys(controllers, self.devices))

    def describe(self) -> dict[str, Any]:
        """Return the digest of its files, and what limits it."""
        files = Submission(name="", file=self.file, folder=self.folder).digest()
        return {"program": files, "devices": self.devices, "limits": self.limits.to_table()}

    def report_error_locations(self) -> AbstractContextManager[None]:
        """Failures of a program name their location themselves."""
        return nullcontext()
