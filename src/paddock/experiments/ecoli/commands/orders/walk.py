"""Menu entries 2 and 3: all robots drive to their way-points at the same time."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from paddock.arena import list_walls
from paddock.experiments.ecoli.commands.orders.language import _
from paddock.experiments.ecoli.commands.orders.program import HostProgram, find_robot
from paddock.experiments.ecoli.commands.orders.walk_view import WalkView
from paddock.experiments.ecoli.obstacles import (
    AmbientLight,
    EvidenceSource,
    ObstacleClassifier,
    RobotReports,
    WallMap,
)
from paddock.experiments.ecoli.waypoint_robots import (
    Host,
    HostConfig,
    HostTiming,
    OrderEvent,
    RobotPlan,
    Waypoint,
    read_waypoints,
)
from paddock.simulation.worlds import load_world

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def walk(program: HostProgram, file: Path, *, avoiding: bool, camera: bool = False, page: int | None = None) -> bool:
    """Send each robot its way-points; return whether all orders were executed. Ctrl-C stops the robots.

    Args:
        program: the host program.
        file: file of the way-points.
        avoiding: avoid obstacles.
        camera: measure the pose of each robot with the camera of the configuration after each drive, and correct it.
        page: port of a page that shows the walk, 0 for any free port; None: no page.

    Raises:
        KeyboardInterrupt: after Ctrl-C, when the summary has been printed.
    """
    config = program.config
    plans = plan_walk(config, read_waypoints(file), file=file, avoiding=avoiding, is_measured=camera)
    host = Host(
        [(plan, config.robot(plan.name).path) for plan in plans],
        checked=config.mode != "legacy",
        timing=HostTiming(silence=config.timeout_s),
        on_event=lambda event: [listener(event) for listener in listeners],
        measure=program.open_camera().read_pose if camera else None,
    )
    view = WalkView(program, plans, host.sessions, make_classifiers(program))
    listeners: list[Callable[[OrderEvent], object]] = [view.on_event]
    with ExitStack() as stack:
        if page is not None:
            from paddock.experiments.ecoli.commands.orders.walk_page import WalkPage

            shown = stack.enter_context(WalkPage(config, plans, host.sessions, page))
            listeners.append(shown.on_event)
            program.print_line(_("the walk is shown at {url}").format(url=shown.url))
        interrupted = stack.enter_context(stopping(program, host))
        stack.enter_context(view.live())
        host.run()
    done = view.summarise()
    if interrupted:
        raise KeyboardInterrupt
    return done


def plan_walk(
    config: HostConfig, waypoints: Sequence[Waypoint], *, file: Path, avoiding: bool, is_measured: bool
) -> list[RobotPlan]:
    """Return the plan of each robot of a file; all of them must be in the configuration."""
    targets: dict[str, list[tuple[float, float]]] = {}
    for waypoint in waypoints:
        targets.setdefault(waypoint.robot, []).append((waypoint.x, waypoint.y))
    for name in targets:
        find_robot(config, name, place=f"{file}: ")
    return [
        RobotPlan(
            name=robot.name,
            start=robot.pose,
            threshold=robot.near,
            targets=targets[robot.name],
            avoiding=avoiding,
            asks_where=True,
            needs_checked=config.mode == "checked",
            light_sensitivity=robot.light,
            is_measured=is_measured,
        )
        for robot in config.robots
        if robot.name in targets
    ]


def make_classifiers(program: HostProgram) -> dict[str, ObstacleClassifier]:
    """Return the classifier of each robot's detections, from all that the configuration knows."""
    config = program.config
    sources: list[EvidenceSource] = [RobotReports()]
    if config.world:
        file = program.path.parent / config.world
        sources.append(WallMap(walls=list_walls(load_world(file if file.is_file() else config.world))))
    return {
        robot.name: ObstacleClassifier(*sources, *([AmbientLight(sensitivity=robot.light)] if robot.light else []))
        for robot in config.robots
    }


@contextmanager
def stopping(program: HostProgram, host: Host) -> Iterator[list[int]]:
    """Stop the robots on the first Ctrl-C, and quit without waiting on the second; yield the received signals."""
    came: list[int] = []

    def stop(number: int, frame: Any) -> None:
        came.append(number)
        host.stop()
        for each in SIGNALS:
            signal.signal(each, before[each])

    before = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        yield came
    finally:
        for number in SIGNALS:
            signal.signal(number, before[number])
        if came:
            program.print_line(_("the walk was stopped"), "yellow")
