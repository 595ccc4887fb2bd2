"""A heat: some robots in a world, driven by submitted controllers, scored by a referee, and recorded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from paddock.arena import Arena, Robot
from paddock.core.error_location import problem_of
from paddock.core.errors import PaddockError
from paddock.core.observation import Command, Observation
from paddock.core.provenance import versions
from paddock.core.source_hash import find_source, hash_sources
from paddock.report.drawing.colours import line_color
from paddock.report.recordings import record
from paddock.simulation.worlds import Placed, WorldSpec
from paddock.simulation.worlds.build import build
from paddock.simulation.worlds.fingerprint import fingerprint_world
from paddock.teaching.contests.contest_spec import ContestSpec
from paddock.teaching.contests.entrants import Entrant
from paddock.teaching.referees import officiate
from paddock.teaching.sandbox import SandboxedController, SandboxLost, SubmissionFailure

FORMAT = 1  # version of the data that `identify` hashes
STAND = (0.0, 0.0)
MAX_RESTARTS = 3  # maximum number of restarts of a heat after the sandbox's own process was killed
OWN_DOING = ("crash", "exit", "invalid")  # failures whose tick does not depend on the machine


@dataclass(frozen=True, kw_only=True)
class HeatJob:
    """All inputs of a heat, which can be sent to another process."""

    spec: ContestSpec
    world: WorldSpec  # with the robots at their starts
    entrants: tuple[Entrant, ...]
    seed: int
    recording: Path

    def identify(self) -> str:
        """Return a digest of all inputs of the heat, including the contents of files."""
        spec = self.spec
        source = find_source(spec.referee["kind"], spec.folder or None)
        content = {
            "format": FORMAT,
            "versions": versions(),
            "world": fingerprint_world(self.world),
            "referee": [spec.referee, None if source is None else hash_sources(source)],
            "entrants": [[each.robot, each.submission.digest()] for each in self.entrants],
            "settings": [spec.seconds, spec.devices, spec.limits.to_table(), self.seed],
        }
        return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


class Withdrawal(Exception):
    """Raised to run the heat again without a robot."""

    def __init__(self, robot: str, failure: SubmissionFailure) -> None:
        super().__init__(f"{robot}: {failure}")
        self.robot, self.failure = robot, failure


class Competitor:
    """A submitted controller with its robot. When it fails, the robot stops, and the others continue."""

    def __init__(
        self,
        entrant: Entrant,
        robot: Robot,
        spec: ContestSpec,
        devices: Sequence[str],
        known: SubmissionFailure | None = None,
    ) -> None:
        self.failure: SubmissionFailure | None = None
        self._robot = robot
        submission = entrant.submission
        try:
            if known is not None:
                raise known
            if submission.problem:
                raise SubmissionFailure("invalid", "", submission.problem)
            self._controller = SandboxedController(
                submission.file, robot, devices=devices, folder=submission.folder, limits=spec.limits
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
                self._robot.apply(replace(wanted, wheels=None))
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
    return error if isinstance(error, SubmissionFailure) else SubmissionFailure("died", "", problem_of(error))


def seat_robots(spec: ContestSpec, world: WorldSpec, robots: Mapping[str, str], colors: Mapping[str, int]) -> WorldSpec:
    """Return the world with robots at some of its starts; the order of the starts decides their noise."""
    kind = spec.choose_robot(world)
    order = [start.name for start in world.starts]
    placed = [
        Placed(name=name, type=kind, start=start, color=line_color(colors[name]))
        for name, start in sorted(robots.items(), key=lambda seat: order.index(seat[1]))
    ]
    return world.with_robots(*placed)


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
    spec = job.spec
    with ExitStack() as stack:
        arena = stack.enter_context(Arena(build(job.world), seed=job.seed))
        stack.enter_context(record(arena, job.recording, flush=None))
        game = stack.enter_context(officiate(arena, spec.make_referee()))
        competitors = {}
        for entrant in job.entrants:
            robot = arena[entrant.robot]
            devices = spec.devices or tuple(n for n, device in robot.devices.items() if device.spec.kind != "camera")
            robot.enable(*devices)
            competitors[robot.name] = Competitor(entrant, robot, spec, devices, withdrawn.get(robot.name))
            stack.callback(competitors[robot.name].end, "")
        episode = arena.run(spec.seconds, competitors, until=game.is_over)
        if game.error:
            raise PaddockError(f"the referee failed: {game.error}")
        ties = game.referee.tie_break()
    return {
        "robots": {
            name: {
                "score": game.scores.get(name),
                "tie_break": ties.get(name, 0.0),
                "fouls": [[foul.time, foul.text] for foul in game.fouls if foul.robot == name],
                "failure": str(competitor.failure or ""),
            }
            for name, competitor in competitors.items()
        },
        "seconds": episode.seconds,
        "ended": episode.reason,
        "digest": episode.digest,
    }
