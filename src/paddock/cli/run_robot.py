"""`paddock run --robot`: a controller file, a policy or a scenario drives a robot that has an address."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np

import paddock
from paddock.arena import Robot
from paddock.arena.base_arena import BaseArena
from paddock.arena.controllers import chosen_controllers
from paddock.arena.episodes import Trace
from paddock.arena.episodes.trace_files import FORMATS
from paddock.cli.driving import ENDLESS, DrivePlan, check_seconds, run_drivers
from paddock.cli.run_world import own_files, write_folder
from paddock.core.errors import LinkError, PaddockError, Refused
from paddock.core.provenance import hide_token
from paddock.core.terminal.console import Console
from paddock.core.terminal.ending import INTERRUPTED
from paddock.core.terminal.output_files import check_new, print_written
from paddock.experiments.scenarios.runner import find_run_world
from paddock.network.client import SERVERS
from paddock.network.client.remote import RemoteArena
from paddock.report.run_writer import RunWriter
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.world_spec import RobotPlacement

MARGIN = 0.3  # empty floor around the path of a real robot in its picture [m]


def run_robot(
    url: str,
    controller: Path | None,
    *,
    policy: Path | None,
    seconds: float | None,
    headless: bool,
    trace: Path | None = None,
    out: Path | None = None,
    html: bool = False,
    traceback: bool = False,
    take_over: bool = False,
) -> None:
    """Drive a robot until the time limit, if there is one, or Ctrl-C; always stop it at the end.

    With `take_over`, take the robot over from the client that drives it on its server. With `out`, write a folder with
    all results.
    """
    console = Console(highlight=False)
    seconds = ENDLESS if seconds is None else seconds
    check_seconds(seconds)
    if trace is not None:
        check_new(trace, *FORMATS, force=True)
    with paddock.connect(url) as arena:
        robot = choose_robot(arena, url)
        claim(arena, robot, take_over=take_over)
        writer = None if out is None else RunWriter(out, robot.name, own_files(controller, policy))
        drive = DrivePlan(
            seconds=seconds,
            choose=lambda: chosen_controllers(arena, controller, policy, only=robot.name, cameras=fast_enough(url)),
            file=controller,
            every=arena.dt if trace is not None or out is not None else None,
            headless=headless,
            traceback=traceback,
            keep=None if writer is None else writer.keep,
        )
        try:
            outcome = run_drivers(arena, drive, console)
        finally:
            halted = halt(robot, console)
        try:
            if writer is not None:
                world = find_run_world(arena, [robot]) or floor_around(robot, outcome.episode.trace)
                settings = {"robot": hide_token(url), "controller": str(controller or policy)}
                write_folder(console, arena, world, outcome.episode, writer, html, settings)
        finally:
            if isinstance(arena, RemoteArena):
                arena.close(outcome.error)
    if trace is not None:
        outcome.episode.trace.save(trace)
        print_written(trace)
    end = " and is stopped" if halted else ""
    seconds = outcome.episode.seconds
    console.print(f"{robot.name} ({robot.spec.name}) was driven for {seconds:.1f} s{end}", markup=False)
    if outcome.interrupted:
        sys.exit(INTERRUPTED)
    if outcome.episode.failed:
        sys.exit(2)


def floor_around(robot: Robot, trace: Trace) -> WorldSpec:
    """Return an empty world around the path of a real robot, for its picture."""
    places = trace.pose[np.isfinite(trace.pose).all(axis=1)]
    if not len(places):
        places = np.zeros((1, 3))
    (left, bottom), (right, top) = places[:, :2].min(axis=0) - MARGIN, places[:, :2].max(axis=0) + MARGIN
    x, y, heading = places[0].tolist()
    placed = RobotPlacement(name=robot.name, type=robot.spec, at=(x, y), heading_deg=math.degrees(heading))
    return WorldSpec(name=robot.name, bounds=(left, bottom, right, top), robots=(placed,))


def choose_robot(arena: BaseArena, url: str) -> Robot:
    """Return the robot of an address; for a server, the robot of `robot=`, or the only one."""
    if (name := parse_robot_name(url)) is not None:
        return arena[name]
    if urlsplit(url).scheme.lower() in SERVERS and len(arena.robots) != 1:
        some = ", ".join(list(arena.robots)[:12])
        raise PaddockError(f"--robot {url}: which robot? Add ?robot=NAME, one of {some or 'none: there are no robots'}")
    return next(iter(arena.robots.values()))


def claim(arena: BaseArena, robot: Robot, *, take_over: bool) -> None:
    """Become the driver of a server's robot before anything else is done; raise Refused if it is taken."""
    if not isinstance(arena, RemoteArena):
        if take_over:
            raise PaddockError("--take-over: expected the address of a server, such as ws://HOST:8642?robot=NAME")
        return
    supervisor = arena.role == "supervisor"
    if take_over:
        arena.claim(robot.name, force=supervisor)
        return
    try:
        robot.stop()  # the first command makes this client the driver
        arena.step(0)
    except Refused:
        owner = arena.owner(robot.name)
        if supervisor and owner not in ("", arena.name):
            raise Refused(f"robot {robot.name!r} is driven by {owner}: take it over with --take-over") from None
        raise


def parse_robot_name(url: str) -> str | None:
    """Return the robot's name in the address of a server, or None."""
    parts = urlsplit(url)
    if parts.scheme.lower() not in SERVERS:
        return None
    names = parse_qs(parts.query).get("robot") or parse_qs(parts.fragment).get("robot")  # join links use the fragment
    return names[-1] if names else None


def fast_enough(url: str) -> bool:
    """Return whether to request pictures: over a serial line, a picture takes longer than everything else together."""
    return urlsplit(url).scheme.lower() != "epuck"


def halt(robot: Robot, console: Console) -> bool:
    """Stop a robot; the second attempt reopens a connection that was interrupted in the middle of an answer."""
    for last in (False, True):
        try:
            robot.stop()
            return True
        except LinkError as error:
            if last:
                console.print(f"{robot.name} could not be stopped: {error}", style="bold red", markup=False)
    return False
