"""`paddock serve`: serve a world on the network, with a page, join links, and optionally a classroom."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import paddock
from paddock.arena import Arena
from paddock.arena.base_arena import BaseArena
from paddock.arena.controllers import ANSWERING, Drivers, chosen_controllers, report_error_location
from paddock.arena.referees import Referee
from paddock.bridges.common.bridge import LOOPBACK, OpenBridges
from paddock.cli.class_tables import print_join_links
from paddock.cli.driving import ENDLESS
from paddock.cli.run_world import keep_recording
from paddock.core.errors import PaddockError
from paddock.core.terminal.console import Console
from paddock.core.terminal_text import VisibleFormatter, visible
from paddock.network.server import Server, Settings
from paddock.network.server.core.access import Grant, Role
from paddock.network.server.services.classroom.classroom import Classroom
from paddock.network.server.services.classroom.lessons import Lesson
from paddock.network.server.services.heats import HeatSettings
from paddock.network.server.services.order_status import OrderStatus
from paddock.network.server.show import open_browser
from paddock.simulation.worlds import load_world
from paddock.teaching.classroom import ClassFolder, ClassSpec, robot_names, seat_students
from paddock.teaching.classroom.student_names import read_names


def serve_world(
    world: str | None,
    settings: Settings,
    *,
    robots: Sequence[str] = (),
    seed: int,
    classroom: Path | None,
    referee: Referee | None = None,
    heats: HeatSettings | None = None,
    controller: Path | None = None,
    policy: Path | None = None,
    bridges: Sequence[tuple[str, str]] = (),
    bridge_host: str = LOOPBACK,
    open_bridges: bool = False,
    record: Path | None = None,
    open_page: bool,
) -> None:
    """Serve a world until Ctrl-C; the arguments are those of the command."""
    console = Console(highlight=False, soft_wrap=True, markup=False)
    print_log()
    if settings.speed is not None and not (math.isfinite(settings.speed) and 0.01 <= settings.speed <= 1000):
        raise PaddockError(f"--speed: expected a factor from 0.01 to 1000, or 0 for no limit, got {settings.speed:g}")
    names = read_names(classroom) if classroom is not None else []
    arena, seats = open_real_arena(world, robots, names) if robots else open_arena(world or "", seed, names)
    server = Server(arena, settings, referee=referee, heats=heats)
    server.people.update({robot: student for student, robot in seats.items()})
    stack = ExitStack()
    if names and not robots:
        fixed = "robots of this world are driven or recorded here" if controller or policy or bridges or record else ""
        room = open_classroom(server, world or "", seed, names, referee=referee, heats=heats, fixed=fixed)
        tokens = stack.enter_context(room)
    else:
        tokens = add_tokens(server, seats)
    choose = partial(chosen_controllers, controller=controller, policy=policy)
    drivers = choose(server.arena)
    bridged = OpenBridges(server.arena, bridges, host=bridge_host, without_tokens=open_bridges)
    if any(name == "orders" for name, _ in bridges):
        show_orders(server, bridged)
    links = [(student, robot, tokens[robot]) for student, robot in seats.items()]

    def ready() -> None:
        announce(console, server, links)
        for line in bridged.describe():
            console.print(visible(line))
        if links:
            print_links(console, server, links)
        if drivers.controllers:
            threading.Thread(target=drive, args=(server, drivers, choose, controller, console), daemon=True).start()
        if open_page:
            open_browser(server.url(token=server.supervisor))

    with (
        stack,
        arena,
        bridged,
        keep_recording(arena, record, all_devices=True, people=server.people),
    ):
        server.run(ready)
    console.print("stopped")


def show_orders(server: Server, bridged: OpenBridges) -> None:
    """Show the state of robots that take orders on the page."""
    from paddock.experiments.ecoli.waypoint_robots import OrderRobots

    orders = next(bridge for bridge in bridged.bridges if isinstance(bridge, OrderRobots))
    server.services.append(OrderStatus(orders.list_orders))


@contextmanager
def open_classroom(
    server: Server,
    world: str,
    seed: int,
    names: Sequence[str],
    *,
    referee: Referee | None,
    heats: HeatSettings | None,
    fixed: str,
) -> Iterator[Mapping[str, str]]:
    """Serve a class with these students; yield their tokens. `fixed` is the reason why its world cannot be changed."""
    lesson = Lesson(world=load_world(world), seed=seed, own_referee=referee, own_heats=heats)
    with TemporaryDirectory(prefix="paddock-class-") as place:
        folder = ClassFolder.create(Path(place) / "class", ClassSpec(title=lesson.title, seed=seed, shared=True), names)
        server.services.append(Classroom(folder, lesson, server.heats, fixed=fixed, keeps_files=False))
        yield folder.keys.students


def print_log() -> None:
    """Print the messages of the server's log, without control characters."""
    handler = logging.StreamHandler()
    handler.setFormatter(VisibleFormatter("%(message)s"))
    logging.basicConfig(handlers=[handler])


def announce(console: Console, server: Server, links: Sequence[tuple[str, str, str]]) -> None:
    """Print the server's address and its call in Python; without students, also the links of the roles."""
    console.print(
        visible(f"serving {server.arena.world.name} at {server.url()}   (Ctrl-C stops it{server.port_remark})")
    )
    if server.supervisor:
        console.print(f"supervisor: {server.url(token=server.supervisor)}")
        if not links:
            console.print(f"controller: {server.url(token=server.controller)}")
        console.print(f"viewer:     {server.url(token=server.viewer)}")
    console.print(f"in Python:  {connect_call(server, classroom=bool(links))}")


def add_tokens(server: Server, seats: Mapping[str, str]) -> Mapping[str, str]:
    """Return new tokens by robot, for students without a class."""
    return {robot: server.tokens.add(Grant(Role.CONTROLLER, frozenset({robot}), name)) for name, robot in seats.items()}


def open_arena(world: str, seed: int, students: list[str]) -> tuple[Arena, dict[str, str]]:
    """Open a simulation; return it and the robot of each student."""
    spec, seats = load_world(world), robot_names(students)
    if students:
        spec = seat_students(spec, list(seats.values()))
    return paddock.open(spec, seed=seed), seats


def open_real_arena(world: str | None, robots: Sequence[str], students: list[str]) -> tuple[Arena, dict[str, str]]:
    """Open an arena of real robots; return it and the robot of each student."""
    from paddock.bridges.common.real_arena import FLOOR, open_real

    if len(students) > len(robots):
        raise PaddockError(f"--classroom: there are {len(students)} students for {len(robots)} robots")
    arena = open_real(robots, FLOOR if world is None else load_world(world))
    owners = {name: name.partition("_")[0] for name in arena.numbers if "_" in name}
    if students and (shared := next((name for name, owner in owners.items() if owner in arena.numbers), None)):
        arena.close()
        raise PaddockError(
            f"--classroom: robot {shared!r} would also belong to the student of {owners[shared]!r}: "
            "give it a name without '_' in its address, ?name=red"
        )
    return arena, dict(zip(students, arena.numbers, strict=False))


def connect_call(server: Server, *, classroom: bool) -> str:
    """Return the Python call that connects to a server."""
    if classroom:
        return "paddock.connect(LINK), with the link of a student"
    token = f', token="{server.controller}"' if server.controller else ""
    return f'paddock.connect("{server.url(scheme="ws").removesuffix("/ws")}"{token})'


def print_links(console: Console, server: Server, links: Sequence[tuple[str, str, str]]) -> None:
    """Print the join links of a classroom: student, robot, link."""
    print_join_links([(name, robot, f"{server.url(token=token)}&robot={robot}") for name, robot, token in links])
    if server.loopback:
        console.print("these links work on this machine only; for others: --host 0.0.0.0", style="yellow")


def drive(
    server: Server, drivers: Drivers, choose: Callable[[BaseArena], Drivers], file: Path | None, console: Console
) -> None:
    """Drive robots as a lock-step client, so that other clients see the driver and the clock waits for it."""
    name = file.name if file is not None else "policy"
    try:
        token = server.supervisor or None
        with (
            paddock.connect(server.url(scheme="ws"), token=token, name=name, lock_step=True) as arena,
            report_error_location(file, *ANSWERING),
        ):
            drivers.enable(arena)
            arena.run(ENDLESS, drivers.controllers, renew=lambda: choose(arena).controllers)
    except PaddockError as error:
        if server.goodbye not in str(error):
            console.print(visible(f"{error}\n{name} has stopped driving", lines=True), style="bold red")
