"""`paddock run --robot`: a controller file or a policy at the wheels of a robot that is reached by its address."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from rich.console import Console

import paddock
from paddock.arena import Robot
from paddock.arena.base import BaseArena
from paddock.cli.controllers import ANSWERING, chosen_controllers, telling_place
from paddock.cli.status import status_line
from paddock.core.errors import LinkError, PaddockError, Refused
from paddock.links import SERVERS

SLICE = 0.2  # seconds between two looks at the status


def run_robot(url: str, controller: Path | None, *, policy: Path | None, seconds: float, headless: bool) -> None:
    """Drive a robot until the time is over or Ctrl-C; whatever happens, it is stopped."""
    console = Console(highlight=False)
    if not (math.isfinite(seconds) and seconds >= 0):
        raise PaddockError(f"--seconds: expected seconds >= 0, got {seconds:g}")
    stopped = False
    with paddock.connect(url) as arena:
        robot = chosen(arena, url)
        drivers = chosen_controllers(arena, controller, policy, only=robot.name, cameras=fast_enough(url))
        began = arena.time
        try:
            drivers.enable(arena)
            with status_line(console, seconds, hidden=headless) as show, telling_place(controller, *ANSWERING):
                while (left := began + seconds - arena.time) > arena.dt / 2:
                    arena.run(min(left, SLICE), drivers.controllers)
                    show(arena.time - began, lambda: how_it_is(robot))
        except KeyboardInterrupt:
            stopped = True
            console.print("stopped early", style="yellow")
        finally:
            driven = arena.time - began
            halted = halt(robot, console)
    end = " and stands still" if halted else ""
    console.print(f"{robot.name} ({robot.spec.name}) was driven for {driven:.1f} s{end}")
    if stopped:
        sys.exit(130)  # as shells expect it after Ctrl-C


def chosen(arena: BaseArena, url: str) -> Robot:
    """The robot that an address means: of a server's, the one behind `robot=`, or the only one."""
    parts = urlsplit(url)
    if parts.scheme.lower() not in SERVERS:
        return next(iter(arena.robots.values()))
    names = parse_qs(parts.query).get("robot") or parse_qs(parts.fragment).get("robot")  # join links have it there
    if names is None and len(arena.robots) != 1:
        some = ", ".join(list(arena.robots)[:12])
        raise PaddockError(f"--robot {url}: which robot? Add ?robot=NAME, one of {some or 'none: there are no robots'}")
    return arena[names[-1]] if names is not None else next(iter(arena.robots.values()))


def fast_enough(url: str) -> bool:
    """Whether a robot is asked for pictures: over a serial line, one takes longer than all else together."""
    return urlsplit(url).scheme.lower() != "epuck"


def how_it_is(robot: Robot) -> str:
    """Where it is, or believes to be, and how fast its wheels turn."""
    left, right = robot.wheels.speeds
    try:
        x, y, heading = robot.pose
    except Refused:  # on a server, only supervisors may know
        return f"[cyan]{robot.name}[/] {left:.3f} {right:.3f} m/s"
    return f"[cyan]{robot.name}[/] {x:5.2f} {y:5.2f} {math.degrees(heading):4.0f}°  {left:.3f} {right:.3f} m/s"


def halt(robot: Robot, console: Console) -> bool:
    """Stop a robot; a connection that an interrupt left in the middle of an answer is opened anew by the second try."""
    for last in (False, True):
        try:
            robot.stop()
            return True
        except LinkError as error:
            if last:
                console.print(f"{robot.name} could not be stopped: {error}", style="bold red")
    return False
