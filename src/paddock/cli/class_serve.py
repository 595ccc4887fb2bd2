"""`paddock class serve`, and the connection of other commands to a running class."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import paddock
from paddock.arena.referees import Referee
from paddock.cli.serve_world import print_log
from paddock.core.addresses import ANY_ADDRESS
from paddock.core.errors import LinkError, PaddockError, Refused
from paddock.core.files import write_text
from paddock.core.locks import lock_folder
from paddock.core.packages import install_command
from paddock.core.terminal.console import Console
from paddock.core.terminal_text import shell_word, visible
from paddock.network.client.remote import RemoteArena
from paddock.network.server import Server, Settings
from paddock.network.server.services.classroom.classroom import Classroom
from paddock.network.server.services.classroom.lessons import open_lesson
from paddock.network.server.show import open_browser
from paddock.teaching.classroom import ClassFolder
from paddock.teaching.classroom.links import RUNNING, base_url, read_addresses, warn_unreachable

SERVING = ".serving"  # lock file of the server, in the class folder


def make_settings(folder: ClassFolder) -> Settings:
    """Return the server settings of a class."""
    spec = folder.spec
    host = urlsplit(spec.address).hostname
    return Settings(
        host=spec.host,
        port=spec.port,
        speed=spec.speed or None,
        token=folder.keys.supervisor,
        allowed_hosts=(host,) if host else (),
        limits=spec.limits,
    )


def serve_class(folder: ClassFolder, settings: Settings, *, referee: Referee | None, open_page: bool) -> None:
    """Serve a class until Ctrl-C or SIGTERM; raise if another server already serves it."""
    where = find_server(folder.path)
    busy = f"{folder.path}: this class is already served{f', at {where}' if where else ''}; stop that server first"
    with lock_folder(folder.path, timeout=0.0, file_name=SERVING, busy=busy):
        _serve(folder, settings, referee=referee, open_page=open_page)


def find_server(path: Path) -> str:
    """Return the local address that the server of a class has written; empty if there is none."""
    return next(iter(read_addresses(path)), "")


def _serve(folder: ClassFolder, settings: Settings, *, referee: Referee | None, open_page: bool) -> None:
    console = Console(highlight=False, soft_wrap=True, markup=False)
    print_log()
    lesson = replace(open_lesson(folder), own_referee=referee)
    arena = paddock.open(lesson.seat([student.robot for student in folder.students]), seed=lesson.seed)
    server = Server(arena, settings)
    server.services.append(Classroom(folder, lesson, server.heats))
    server.install_files.address = folder.spec.address.rstrip("/")
    running = folder.path / RUNNING

    def ready() -> None:
        everywhere = ANY_ADDRESS.get(settings.host)
        local = f"http://{everywhere}:{server.port}" if everywhere else server.url().rstrip("/")
        write_text(running, f"{local}\n{server.url()}\n")
        console.print(visible(f"serving {folder.spec.title} at {server.url()}   (Ctrl-C stops it)"))
        console.print(f"lecturer:   {server.url(token=server.supervisor)}")
        console.print(f"projector:  {server.url()}#view=projector&token={folder.keys.projector}")
        console.print(
            f"students:   {len(folder.students)}, in {lesson.title}; their links: paddock class links or sheet"
        )
        console.print(f"install:    {base_url(folder)}/install, a page for students; its line for Linux and macOS is:")
        console.print(f"            {install_command(base_url(folder))}")
        if warning := warn_unreachable(folder):
            console.print(warning)
        if os.name == "posix" and folder.path.stat().st_mode & 0o077:
            hint = f"chmod 700 {shell_word(folder.path)}"
            console.print(visible(f"warning: other accounts on this machine can read this class; fix it with: {hint}"))
        if open_page:
            open_browser(server.url(token=server.supervisor))

    try:
        with arena:
            server.run(ready)
    finally:
        running.unlink(missing_ok=True)
    console.print("stopped")


@contextmanager
def supervise_class(path: Path) -> Iterator[RemoteArena]:
    """Connect to the running class of a folder as its supervisor."""
    folder = ClassFolder.load(path)
    hint = f"start it with `paddock class serve {shell_word(path)}`"
    url = find_server(path)
    if not url:
        raise PaddockError(f"{path}: this class is not being served; {hint}")
    try:
        arena = RemoteArena(url, token=folder.keys.supervisor, name="command line", lock_step=False, timeout=10.0)
    except (LinkError, Refused):  # the server was killed; another program may use its port
        raise LinkError(f"{path}: no server of this class answers at {url}; {hint}") from None
    with arena:
        yield arena
