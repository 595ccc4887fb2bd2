"""`paddock serve`: a world on the network, with its page, its join links, and a classroom if wanted."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import math
from pathlib import Path

from rich.console import Console

import paddock
from paddock.bridges import Twins
from paddock.cli.tables import new_table
from paddock.core.errors import PaddockError
from paddock.protocol import epuck2
from paddock.server import Server, Settings
from paddock.server.access import Grant, Role
from paddock.server.classroom import robot_names, seat_students
from paddock.server.session import Scoring
from paddock.server.show import open_browser
from paddock.worlds import load_world


def serve_world(
    world: str,
    settings: Settings,
    *,
    seed: int,
    classroom: Path | None,
    score: Path | None,
    serial_twins: tuple[str, ...] = (),
    wifi_twins: tuple[str, ...] = (),
    open_page: bool,
) -> None:
    """Serve until Ctrl-C."""
    console = Console(highlight=False, soft_wrap=True)
    logging.basicConfig(format="%(message)s")
    if settings.speed is not None and not (math.isfinite(settings.speed) and 0.01 <= settings.speed <= 1000):
        raise PaddockError(f"--speed: expected a factor from 0.01 to 1000, or 0 for flat out, got {settings.speed:g}")
    spec = load_world(world)
    names = read_names(classroom) if classroom is not None else []
    if names:
        spec = seat_students(spec, names)
    server = Server(paddock.open(spec, seed=seed), settings, scoring=load_scoring(score))
    twins = open_twins(server, serial_twins, wifi_twins)
    links = []
    for student, robot in robot_names(names).items():
        token = server.tokens.add(Grant(Role.CONTROLLER, frozenset({robot}), student))
        links.append((student, robot, token))

    def ready() -> None:
        console.print(f"serving {spec.name} at {server.url()}   (Ctrl-C stops it)")
        if server.supervisor:
            console.print(f"supervisor: {server.url(token=server.supervisor)}")
            if not links:
                console.print(f"controller: {server.url(token=server.controller)}")
            console.print(f"viewer:     {server.url(token=server.viewer)}")
        for robot, device in twins.devices.items() if twins else ():
            console.print(f"{robot}: an e-puck at {device}   (epuck://{device})")
        for robot, (host, port) in twins.addresses.items() if twins else ():
            console.print(f"{robot}: an e-puck2 at {host}, port {port}   (epuck2://{host}:{port})")
        if links:
            table = new_table("Join links", "student", "robot", "link")
            for student, robot, token in links:
                table.add_row(student, robot, f"{server.url(token=token)}&robot={robot}")
            longest = max(len(f"{server.url(token=token)}&robot={robot}") for _, robot, token in links)
            wide = longest + max(len(student) + len(robot) for student, robot, _ in links) + 20
            Console(width=max(console.width, wide)).print(table)  # links must not be cut
        if names and server.loopback:
            console.print("these links work on this machine only; for others: --host 0.0.0.0", style="yellow")
        if open_page:
            open_browser(server.url(token=server.supervisor))

    with twins or contextlib.nullcontext():
        server.run(ready)
    console.print("stopped")


def open_twins(server: Server, serial: tuple[str, ...], wifi: tuple[str, ...]) -> Twins | None:
    """Robots as serial devices and as e-puck2s on Wi-Fi; `name` or `name=port` for the latter."""
    ports = {}
    for one in wifi:
        name, equals, port = one.partition("=")
        if equals and not (port.isdecimal() and int(port) <= 65535):
            raise PaddockError(f"--epuck2 {one}: expected a robot's name, or name=port with a port from 0 to 65535")
        if name in ports:
            raise PaddockError(f"--epuck2 {one}: robot {name!r} was to be an e-puck2 twice")
        ports[name] = int(port) if equals else epuck2.PORT
    if not (serial or ports):
        return None
    return Twins(server.arena, serial=serial, wifi=ports, host=server.settings.host)


def read_names(file: Path) -> list[str]:
    """A name per line; empty lines and what follows a # do not count."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise PaddockError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PaddockError(f"{file}: expected a text in UTF-8; save it with that encoding") from None
    names = [name for line in lines if (name := line.partition("#")[0].strip())]
    if not names:
        raise PaddockError(f"{file}: expected a name per line, found none")
    return names


def load_scoring(path: Path | None) -> Scoring | None:
    """The function `score(arena)` of a user's Python file."""
    if path is None:
        return None
    if not path.is_file():
        raise PaddockError(f"{path}: no such file")
    spec = importlib.util.spec_from_file_location(f"score_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise PaddockError(f"{path}: expected a Python file ending in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise PaddockError(f"{path}: {type(error).__name__}: {error}") from error
    scoring = getattr(module, "score", None)
    if not callable(scoring):
        raise PaddockError(f"{path}: expected a function score(arena) that answers a dict of points by robot name")
    return scoring  # type: ignore[no-any-return]
