"""`paddock replay` and `paddock export`: show recordings on the page, continue them live, export them for ROS 2."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paddock.cli import options
from paddock.cli.console import Console
from paddock.core.terminal_text import shell_word

if TYPE_CHECKING:
    from paddock.network.server import Settings
    from paddock.report.recordings import Recording

RecordingPath = Annotated[Path, typer.Argument(help="A recording, written by --record.")]
From = Annotated[
    float | None, typer.Option("--from", help="Continue live from this time [s], from exactly the recorded state.")
]


def replay(
    recording: RecordingPath,
    at: From = None,
    controller: options.Controller = None,
    policy: options.PolicyFile = None,
    host: options.Host = "127.0.0.1",
    port: options.ServerPort = 8642,
    speed: options.ServerSpeed = None,
    token: options.Token = None,
    check: Annotated[
        bool, typer.Option("--check", help="Run the recording again and compare the states, without a page.")
    ] = False,
    open_page: options.OpenPage = False,
) -> None:
    """Show a recording on the page with a time line, or continue it live from any time.

    paddock run clutter --record run.mcap
    paddock replay run.mcap --open
    paddock replay run.mcap --from 12.3
    paddock replay run.mcap --from 12.3 -c my_controller.py
    paddock replay run.mcap --check
    """
    from paddock.cli.run_command import refuse_both
    from paddock.core.errors import PaddockError
    from paddock.report.recordings import Recording

    refuse_both(controller, policy)
    if check and at is not None:
        raise typer.BadParameter("--check compares the whole recording: leave --from out")
    if at is None and (controller is not None or policy is not None):
        raise typer.BadParameter("--controller and --policy drive live robots: add the start time, --from 12.3")
    found, console = Recording(recording), Console(highlight=False, soft_wrap=True, markup=False)
    cut = describe_cut(found)
    console.print(f"{recording}: {found.start:g} s to {found.end:g} s{cut}; robots: {', '.join(found.robots)}")
    if check:
        compared = found.check()
        if compared <= found.start:
            raise PaddockError(f"{recording}: nothing to check: it has no state after {found.start:g} s")
        until = (
            f" up to {compared:g} s{cut}" if compared >= found.end else f" up to {compared:g} s; no later state exists"
        )
        console.print(f"the repeated run has the same states{until}")
        return
    from paddock.network.server import Settings

    pace = 1.0 if speed is None else speed or None
    serve_recording(found, at, controller, policy, Settings(host=host, port=port, speed=pace, token=token), open_page)


def describe_cut(recording: Recording) -> str:
    """Return a note about a truncated file, or an empty string."""
    if recording.is_whole:
        return ""
    if recording.file.has_ended:
        return ", complete (the file is truncated after the data: the summary for other tools is missing)"
    return ", where the file is truncated"


def serve_recording(
    recording: Recording,
    at: float | None,
    controller: Path | None,
    policy: Path | None,
    settings: Settings,
    open_page: bool,
) -> None:
    """Serve a recording, paused at its start, or an arena that continues live from a time of it."""
    from paddock.arena.controllers import chosen_controllers
    from paddock.cli.serve import drive
    from paddock.network.server import Server
    from paddock.network.server.show import open_browser

    console = Console(highlight=False, soft_wrap=True, markup=False)
    arena = recording.replay() if at is None else recording.arena(at)
    server = Server(arena, settings)
    choose = partial(chosen_controllers, controller=controller, policy=policy)
    drivers = choose(arena)

    def ready() -> None:
        state = "replayed" if at is None else f"live from {at:g} s"
        console.print(f"{recording.path.name} is {state} at {server.url(token=server.supervisor)}   (Ctrl-C stops it)")
        if at is None:
            server.session.clock.set_running(False)
        if drivers.controllers:
            threading.Thread(target=drive, args=(server, drivers, choose, controller, console), daemon=True).start()
        if open_page:
            open_browser(server.url(token=server.supervisor))

    server.run(ready)
    console.print("stopped")


def export(
    recording: RecordingPath,
    out: Annotated[Path, typer.Argument(help="Folder of the new bag; it must not exist.")],
) -> None:
    """Export a recording as a ROS 2 bag with standard messages: /clock, /tf, scans, odometry, pictures, log.

    paddock export run.mcap run_bag
    """
    from paddock.bridges.ros2.bag import export_bag
    from paddock.cli.files import print_written

    count = export_bag(recording, out)
    print_written(out, f": {count} messages   (ros2 bag play {shell_word(out)})")
