"""`paddock run` and `paddock demo`: a world, its controllers, a live status line, a summary, a picture."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import paddock
from paddock.arena import Arena, Robot
from paddock.cli.controllers import ANSWERING, chosen_controllers, telling_place
from paddock.cli.pages import offer_to_run_again, show_page
from paddock.cli.pictures import checked_picture, save_picture
from paddock.cli.status import Show, status_line
from paddock.cli.tables import new_table
from paddock.control.line import LinePatrol
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose, bounding_radius
from paddock.core.observation import Observation
from paddock.estimate import Odometry
from paddock.policies.braitenberg import explorer
from paddock.report import RunLog, fresh_folder, write_run
from paddock.sensors.laser import LaserSpec
from paddock.sensors.proximity import ProximitySpec
from paddock.sensors.sonar import SonarSpec

AHEAD = math.radians(60)  # what looks no farther aside than this looks ahead
SHOWN, FOLLOWED = 12, 500  # robots in the table; robots with trails


def run_world(
    world: str,
    controller: Path | None,
    *,
    seconds: float,
    speed: float | None,
    seed: int,
    picture: Path | None,
    headless: bool,
    out: Path | None = None,
    html: bool = False,
    port: int | None = None,
    policy: Path | None = None,
    needs_viewer: bool = False,
) -> None:
    """Run a world and report; with `out`, leave a folder with everything that happened.

    A viewer of the page can start the run again. With `needs_viewer`, it begins only when there is one.
    """
    console = Console()
    picture = checked_picture(picture)
    if not (math.isfinite(seconds) and seconds >= 0):
        raise PaddockError(f"--seconds: expected seconds >= 0, got {seconds:g}")
    with paddock.open(world, seed=seed) as arena, ExitStack() as stack:
        page = None
        if not headless:
            shown = show_page(arena, console=console, speed=speed, port=port, needs_viewer=needs_viewer)
            page = stack.enter_context(shown)
        while True:
            drivers = chosen_controllers(arena, controller, policy, otherwise=built_in)  # files may have changed
            drivers.enable(arena)
            watch = Watch(arena, record=drivers.controllers if out is not None else ())
            problem: BaseException | None = None
            started = time.perf_counter()
            try:
                with status_line(console, seconds, hidden=headless) as show, telling_place(controller, *ANSWERING):
                    _run(arena, drivers.controllers, watch, show, seconds)
            except KeyboardInterrupt as interrupt:
                problem = interrupt
                console.print("stopped early", style="yellow")
            except PaddockError as error:
                if page is None or not page.watched:
                    raise
                problem = error
            _report(console, arena, watch, time.perf_counter() - started)
            config = {"seed": arena.seed, "seconds": seconds, "controller": str(controller or policy or "")}
            _write_files(console, arena, watch, out, picture, html=html, config=config)
            if page is None or isinstance(problem, KeyboardInterrupt):
                break
            reason = f"{problem} (at {arena.time:g} s)" if problem else f"{seconds:g} s are over"
            if not offer_to_run_again(page, console, reason, failed=problem is not None):
                break
    if problem is not None:
        sys.exit(130 if isinstance(problem, KeyboardInterrupt) else 2)  # 130 as shells expect it after Ctrl-C


def _write_files(
    console: Console,
    arena: Arena,
    watch: Watch,
    out: Path | None,
    picture: Path | None,
    *,
    html: bool,
    config: dict[str, Any],
) -> None:
    """The folder of a run and its picture, if they are wanted."""
    if out is not None:
        config = {"world": arena.world.name, **config}
        folder = fresh_folder(out, arena.world.name)
        title = arena.world.title or arena.world.name
        write_run(list(watch.logs.values()), folder, title=title, config=config, html=html, digest=arena.digest())
        console.print(f"wrote {folder}")
    if picture is not None:
        from paddock.draw.world import draw_world

        save_picture(draw_world(arena.world, poses=arena.poses, trails=watch.trails), picture)


def _run(arena: Arena, controllers: Mapping[str, Any], watch: Watch, show: Show, seconds: float) -> None:
    """Run in slices short enough for a smooth status line."""
    ticks, done = max(1, round(watch.period / arena.dt)), 0
    total = round(seconds / arena.dt)
    while done < total:
        chunk = min(ticks, total - done)
        arena.run(chunk * arena.dt, controllers)
        done += chunk
        watch.look()
        show(arena.time, watch.status)


class Watch:
    """Keeps the trails, the distances and the contacts of a run."""

    def __init__(self, arena: Arena, record: Iterable[str] = ()) -> None:
        self.arena = arena
        self.logs = {name: RunLog(arena.world, name, arena.dt) for name in record}
        self.odometry = {name: dead_reckoning(arena[name]) for name in self.logs}
        self.period = arena.dt if self.logs else 0.1  # simulated seconds between two looks
        self.trails: dict[str, list[tuple[float, float]]] = {name: [] for name in list(arena.robots)[:FOLLOWED]}
        self.distance = dict.fromkeys(self.trails, 0.0)
        self.contact = dict.fromkeys(self.trails, 0.0)  # as seen at the looks
        self._looked = arena.time
        self.look()

    def look(self) -> None:
        """Note where everyone is."""
        for name, trail in self.trails.items():
            robot = self.arena[name]
            here = robot.pose[:2]
            if trail:
                self.distance[name] += math.dist(trail[-1], here)
            if robot.contacts:
                self.contact[name] += self.arena.time - self._looked
            trail.append(here)
        for name, log in self.logs.items():
            robot = self.arena[name]
            seen = robot.sense()
            log.note(
                self.arena.time,
                robot.pose,
                believed=believed_pose(self.odometry[name], seen),
                wheels=robot.wheels.speeds,
                readings={device: getattr(seen, device) for device in seen},
                contact=bool(robot.contacts),
            )
        self._looked = self.arena.time

    def status(self) -> str:
        """The first robots in one line."""
        parts = []
        for name in list(self.trails)[:3]:
            x, y, heading = self.arena[name].pose
            touch = " [red]touch[/]" if self.arena[name].contacts else ""
            parts.append(f"[cyan]{name}[/] {x:5.2f} {y:5.2f} {math.degrees(heading):4.0f}°{touch}")
        more = len(self.arena.robots) - 3
        return "  ".join(parts) + (f"  and {more} more" if more > 0 else "")


def dead_reckoning(robot: Robot) -> tuple[str, Odometry] | None:
    """A robot's encoders and what to add them up with, from where it stands; None without, or if they are off."""
    for device in robot.devices.values():
        if device.spec.kind == "encoders" and device.enabled:
            return device.name, Odometry(wheel_separation=robot.spec.drive.wheel_separation, pose=robot.pose)
    return None


def believed_pose(counting: tuple[str, Odometry] | None, seen: Observation) -> Pose | None:
    """Where a robot believes to be, from the travel of its wheels; a controller may have switched encoders off."""
    if counting is None or counting[0] not in seen:
        return None
    left, right = getattr(seen, counting[0]).tolist()
    return counting[1].update(left, right)


def _report(console: Console, arena: Arena, watch: Watch, wall: float) -> None:
    if not watch.trails:
        console.print(f"{arena.world.name}: no robots in this world", style="yellow")
        return
    table = new_table(
        f"{arena.world.name}: {arena.time:g} s simulated in {wall:.2f} s",
        *("robot", "type", "way [m]", "m/s", "contact [s]", "end [m]", "heading"),
        right=("way [m]", "m/s", "contact [s]"),
    )
    for name in list(watch.trails)[:SHOWN]:
        robot, distance = arena[name], watch.distance[name]
        x, y, heading = robot.pose
        table.add_row(
            name,
            robot.spec.name,
            f"{distance:.2f}",
            f"{distance / max(arena.time, 1e-9):.3f}",
            f"{watch.contact[name]:.1f}",
            f"{x:.2f}, {y:.2f}",
            f"{round(math.degrees(heading))}°",
        )
    more = len(arena.robots) - SHOWN
    if more > 0:
        table.add_row(f"… and {more} more", "", "", "", "", "", "")
    console.print(table)
    console.print(f"digest {arena.digest()[:16]} (the same for the same world, controller and seed)", style="dim")


def built_in(robot: Robot) -> Any:
    """A controller that suits a robot's sensors: line patrol, explorer, or a careful wanderer."""
    strokes = bool(robot.arena.world.floor.strokes) or robot.arena.world.floor.image is not None
    if strokes and {"ground", "proximity"} <= set(robot.devices):
        return LinePatrol()
    if "proximity" in robot.devices and robot.devices["proximity"].spec.channels == 8:
        return explorer(0.6 * robot.spec.drive.max_speed)
    return wanderer(robot)


def wanderer(robot: Robot) -> Callable[[Observation], tuple[float, float]]:
    """Drives on until any distance sensor that looks ahead is short, then turns on the spot."""
    fast = 0.5 * robot.spec.drive.max_speed
    size = bounding_radius(robot.spec.body.shape)
    looks = []  # device, and which of its values look ahead
    for device in robot.devices.values():
        spec = device.spec
        if isinstance(spec, LaserSpec):
            looks.append((device.name, np.abs(spec.angles) < AHEAD))
        elif isinstance(spec, ProximitySpec | SonarSpec) and not device.polled:
            headings = np.radians([mount[3] for mount in spec.mounts])
            looks.append((device.name, np.abs(headings) < AHEAD))

    def act(observation: Observation) -> tuple[float, float]:
        seen = [np.atleast_1d(getattr(observation, name))[ahead] for name, ahead in looks]
        nearest = min((float(values.min()) for values in seen if len(values)), default=math.inf)
        return (fast, fast) if nearest > 1.5 * size else (0.3 * fast, -0.3 * fast)

    return act
