"""A heat: some robots in a world, driven by submitted controllers, watched by a referee, and recorded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paddock.arena import Arena, Robot
from paddock.contests.entrants import Entrant
from paddock.contests.spec import ContestSpec
from paddock.core.errors import PaddockError
from paddock.core.observation import Command, Observation
from paddock.core.provenance import versions
from paddock.core.sources import find_source, hash_sources
from paddock.draw.colours import line_color
from paddock.recordings import record
from paddock.referees import officiate
from paddock.sandbox import SandboxedController, SubmissionFailure
from paddock.worlds import Placed, WorldSpec
from paddock.worlds.build import build
from paddock.worlds.fingerprint import fingerprint_world

FORMAT = 1  # of what a key is made from
STAND = (0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class HeatJob:
    """All that decides a heat; another process can do it."""

    spec: ContestSpec
    world: WorldSpec  # with the robots at their starts
    entrants: tuple[Entrant, ...]
    seed: int
    recording: Path

    def identify(self) -> str:
        """A digest of all that decides the heat: files count by what is in them."""
        spec = self.spec
        source = find_source(spec.referee["kind"], spec.folder or None)
        told = {
            "format": FORMAT,
            "versions": versions(),
            "world": fingerprint_world(self.world),
            "referee": [spec.referee, None if source is None else hash_sources(source)],
            "entrants": [[each.robot, each.submission.digest()] for each in self.entrants],
            "settings": [spec.seconds, spec.devices, spec.limits.to_table(), self.seed],
        }
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()


class Competitor:
    """A submitted controller at a robot. When it fails the robot stands, and the others go on."""

    def __init__(self, entrant: Entrant, robot: Robot, spec: ContestSpec, devices: Sequence[str]) -> None:
        self.failure: SubmissionFailure | None = None
        self._robot = robot
        submission = entrant.submission
        try:
            if submission.problem:
                raise SubmissionFailure("invalid", "", submission.problem)
            self._controller = SandboxedController(
                submission.file, robot, devices=devices, folder=submission.folder, limits=spec.limits
            )
        except SubmissionFailure as failure:
            self._fail(failure)

    def act(self, observation: Observation) -> Command | tuple[float, float] | None:
        """What the controller wants; nothing but to stand once it has failed."""
        if self.failure is None:
            try:
                return self._controller.act(observation)
            except SubmissionFailure as failure:
                self._fail(failure)
        return STAND

    def _fail(self, failure: SubmissionFailure) -> None:
        self.failure = failure
        self._robot.arena.note_event("warning", self._robot.name, f"its controller failed: {failure}")

    def end(self, reason: str) -> None:
        """The heat is over."""
        if self.failure is None:
            self._controller.close()


def place_robots(
    spec: ContestSpec, world: WorldSpec, robots: Mapping[str, str], colors: Mapping[str, int]
) -> WorldSpec:
    """A world with some robots at some of its starts; the order of the starts decides their noise."""
    kind = spec.choose_robot(world)
    order = [start.name for start in world.starts]
    placed = [
        Placed(name=name, type=kind, start=start, color=line_color(colors[name]))
        for name, start in sorted(robots.items(), key=lambda seat: order.index(seat[1]))
    ]
    return world.with_robots(*placed)


def run_heat(job: HeatJob) -> dict[str, Any]:
    """Drive a heat; what came of it, in what JSON has."""
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
            competitors[entrant.robot] = Competitor(entrant, robot, spec, devices)
            stack.callback(competitors[entrant.robot].end, "")
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
