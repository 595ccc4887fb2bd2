"""A heat: some robots in a world, driven by submitted controllers, scored by a referee, and recorded."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from msgspec import structs

from paddock.arena import Robot
from paddock.arena.base_arena import BaseArena
from paddock.arena.controllers import Drivers
from paddock.arena.run_spec import RunSpec
from paddock.core.errors import PaddockWarning
from paddock.core.observation import Command, Observation
from paddock.core.user_code import explain_error
from paddock.report.recordings import record
from paddock.teaching.contests.entrants import Entrant
from paddock.teaching.sandbox import SandboxedController, SandboxLimits, SandboxLost, SubmissionFailure
from paddock.teaching.sandbox.submissions import Submission

STAND = (0.0, 0.0)
MAX_RESTARTS = 3  # maximum number of restarts of a heat after the sandbox's own process was killed
OWN_DOING = ("crash", "exit", "invalid")  # failures whose tick does not depend on the machine


@dataclass(frozen=True, kw_only=True)
class HeatJob:
    """A heat that can be sent to another process: its run, driven by `Competitors`, and the file of its recording."""

    run: RunSpec
    recording: Path


class Withdrawal(Exception):
    """Raised to run the heat again without a robot."""

    def __init__(self, robot: str, failure: SubmissionFailure) -> None:
        super().__init__(f"{robot}: {failure}")
        self.robot, self.failure = robot, failure


@dataclass(frozen=True, kw_only=True)
class Competitors:
    """The submitted controllers of a heat. Those that failed before stay at their starts."""

    entrants: tuple[Entrant, ...]
    devices: tuple[str, ...]  # that controllers may use; empty: all except cameras
    limits: SandboxLimits
    withdrawn: Mapping[str, SubmissionFailure] = field(default_factory=dict)

    def make(self, arena: BaseArena) -> Drivers:
        """Start the controllers."""
        drivers = Drivers(controllers={}, devices={})
        for entrant in self.entrants:
            robot = arena[entrant.robot]
            cameras = {name for name, device in robot.devices.items() if device.spec.kind == "camera"}
            devices = self.devices or tuple(name for name in robot.devices if name not in cameras)
            drivers.devices[robot.name] = devices
            failure = self.withdrawn.get(robot.name)
            drivers.controllers[robot.name] = Competitor(entrant.submission, robot, devices, self.limits, failure)
        return drivers

    def describe(self) -> list[Any]:
        """Return the digests of the submissions, and their limits."""
        programs = [[each.robot, each.submission.digest()] for each in self.entrants]
        return [programs, self.devices, self.limits.to_table()]

    def report_error_locations(self) -> AbstractContextManager[None]:
        """Failures of a controller name their location themselves."""
        return nullcontext()


class Competitor:
    """A submitted controller with its robot. When it fails, the robot stops, and the others continue."""

    def __init__(
        self,
        submission: Submission,
        robot: Robot,
        devices: Sequence[str],
        limits: SandboxLimits,
        known: SubmissionFailure | None = None,
    ) -> None:
        self.failure: SubmissionFailure | None = None
        self._robot = robot
        try:
            if known is not None:
                raise known
            if submission.problem:
                raise SubmissionFailure("invalid", "", submission.problem)
            self._controller = SandboxedController(
                submission.file, robot, devices=devices, folder=submission.folder, limits=limits
            )
        except SandboxLost:
            raise
        except Exception as error:
            self.fail(as_failure(error))

    def act(self, observation: Observation) -> Command | tuple[float, float] | None:
        """Return the controller's command; zero speeds after a failure."""
        if self.failure is not None:
            return STAND
        try:
            wanted = self._controller.act(observation)
            if isinstance(wanted, Command):  # a forged command may name devices that the robot does not have
                self._robot.apply(structs.replace(wanted, wheels=None))
                wanted = Command(wheels=wanted.wheels)
            return wanted
        except SandboxLost:
            raise
        except Exception as error:
            failure = as_failure(error)
            if failure.kind not in OWN_DOING:
                raise Withdrawal(self._robot.name, failure) from error
            self.fail(failure)
            return STAND

    def fail(self, failure: SubmissionFailure) -> None:
        """Store the failure and stop the robot for the rest of the heat."""
        self.failure = failure
        self._robot.arena.note_event("warning", self._robot.name, f"its controller failed: {failure}")

    def end(self, reason: str) -> None:
        """Close the controller at the end of the heat."""
        if self.failure is None:
            self._controller.close()


def as_failure(error: Exception) -> SubmissionFailure:
    """Return an error of a controller, its process or its connection as a SubmissionFailure."""
    return error if isinstance(error, SubmissionFailure) else SubmissionFailure("died", "", explain_error(error))


def run_heat(job: HeatJob) -> dict[str, Any]:
    """Run a heat and return its results as JSON-compatible data.

    The tick at which a controller reaches a limit depends on the machine. So the heat is run again, and that robot
    stays at its start. The heat is also run again if the fork server was killed, because no controller is at fault.
    """
    withdrawn: dict[str, SubmissionFailure] = {}
    lost = 0
    while True:
        try:
            return _drive_heat(job, withdrawn)
        except Withdrawal as found:
            withdrawn[found.robot] = found.failure
        except SandboxLost:
            lost += 1
            if lost > MAX_RESTARTS:
                raise


def _drive_heat(job: HeatJob, withdrawn: Mapping[str, SubmissionFailure]) -> dict[str, Any]:
    run = job.run
    assert isinstance(run.drivers, Competitors)
    with ExitStack() as stack:
        arena = stack.enter_context(run.build())
        stack.enter_context(record(arena, job.recording, flush=None))
        drivers = replace(run.drivers, withdrawn=withdrawn).make(arena)
        for competitor in drivers.controllers.values():
            stack.callback(competitor.end, "")
        drivers.enable(arena)
        with warnings.catch_warnings(action="ignore", category=PaddockWarning):  # each heat would repeat them
            episode = run.run_in(arena, drivers)
    verdict = episode.verdict
    assert verdict is not None
    return {
        "robots": {
            name: {
                "score": verdict.scores.get(name),
                "tie_break": verdict.tie_break.get(name, 0.0),
                "fouls": [[foul.time, foul.text] for foul in verdict.fouls if foul.robot == name],
                "failure": str(competitor.failure or ""),
            }
            for name, competitor in drivers.controllers.items()
        },
        "seconds": episode.seconds,
        "ended": episode.reason,
        "digest": episode.digest,
    }
