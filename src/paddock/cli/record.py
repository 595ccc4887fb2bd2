"""`paddock record`: recordings on the page, continued live, repeated, as a video, and exported for ROS 2."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paddock.cli import options
from paddock.core.terminal.console import Console
from paddock.core.terminal.shared_options import out_option
from paddock.core.terminal_text import shell_word

if TYPE_CHECKING:
    from paddock.network.server import Settings
    from paddock.report.recordings import Recording

record_app = typer.Typer(help="Recordings: replay, check, video, export.", no_args_is_help=True)
RecordingPath = Annotated[Path, typer.Argument(help="A recording, written by --record.")]
From = Annotated[
    float | None,
    typer.Option("--from", help="Continue live from this time in seconds, from exactly the recorded state."),
]


@record_app.command()
def replay(
    recording: RecordingPath,
    at: From = None,
    controller: options.Controller = None,
    policy: options.PolicyFile = None,
    host: options.Host = "127.0.0.1",
    port: options.ServerPort = None,
    speed: options.ServerSpeed = None,
    token: options.Token = None,
    open_page: options.OpenPage = False,
) -> None:
    """Show a recording on the page with a time line, or continue it live from any time.

    paddock run clutter --record run.mcap
    paddock record replay run.mcap --open
    paddock record replay run.mcap --from 12.3
    paddock record replay run.mcap --from 12.3 -c my_controller.py
    """
    from paddock.cli.run import refuse_both
    from paddock.network.server import Settings

    refuse_both(controller, policy)
    if at is None and (controller is not None or policy is not None):
        raise typer.BadParameter("--controller and --policy drive live robots: add the start time, --from 12.3")
    found = open_recording(recording)
    pace = 1.0 if speed is None else speed or None
    serve_recording(found, at, controller, policy, Settings(host=host, port=port, speed=pace, token=token), open_page)


@record_app.command()
def check(recording: RecordingPath) -> None:
    """Run a recording again, and compare the states.

    paddock record check run.mcap
    """
    from paddock.core.errors import PaddockError

    found = open_recording(recording)
    compared = found.check()
    if compared <= found.start:
        raise PaddockError(f"{recording}: nothing to check: it has no state after {found.start:g} s")
    until = f" up to {compared:g} s"
    until += describe_cut(found) if compared >= found.end else "; no later state exists"
    typer.echo(f"the repeated run has the same states{until}")


def open_recording(path: Path) -> Recording:
    """Open a recording, and print its times and robots."""
    from paddock.report.recordings import Recording

    found = Recording(path)
    robots = ", ".join(found.robots)
    typer.echo(f"{path}: {found.start:g} s to {found.end:g} s{describe_cut(found)}; robots: {robots}")
    return found


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
    from paddock.cli.serve_world import drive
    from paddock.network.server import Server
    from paddock.network.server.show import open_browser

    console = Console(highlight=False, soft_wrap=True, markup=False)
    arena = recording.replay() if at is None else recording.arena(at)
    server = Server(arena, settings)
    choose = partial(chosen_controllers, controller=controller, policy=policy)
    drivers = choose(arena)

    def ready() -> None:
        state = "replayed" if at is None else f"live from {at:g} s"
        url = server.url(token=server.supervisor)
        console.print(f"{recording.path.name} is {state} at {url}   (Ctrl-C stops it{server.port_remark})")
        if at is None:
            server.session.clock.set_running(False)
        if drivers.controllers:
            threading.Thread(target=drive, args=(server, drivers, choose, controller, console), daemon=True).start()
        if open_page:
            open_browser(server.url(token=server.supervisor))

    server.run(ready)
    console.print("stopped")


@record_app.command()
def video(
    recording: RecordingPath,
    out: Annotated[Path, out_option("A .gif or a .mp4.")],
    start: Annotated[float | None, typer.Option("--from", help="First time in seconds.")] = None,
    until: Annotated[float | None, typer.Option(help="Last time in seconds.")] = None,
    speed: Annotated[
        float | None, typer.Option(help="Simulated seconds per second. Default: so that it lasts at most 20 s.")
    ] = None,
    fps: Annotated[float, typer.Option(help="Frames per second.")] = 12.5,
    size: Annotated[int, typer.Option(help="Width in pixels.")] = 640,
) -> None:
    """Write a recording as a GIF or an MP4: the world from above, with trails.

    paddock record video run.mcap -o run.gif
    paddock record video run.mcap -o run.mp4 --from 10 --until 30 --speed 2
    """
    from paddock.core.terminal.output_files import ANIMATIONS, check_picture, print_written
    from paddock.report import save_animation

    check_picture(out, ANIMATIONS)
    save_animation(open_recording(recording), out, start=start, end=until, speed=speed, fps=fps, size=size)
    print_written(out)


@record_app.command()
def export(
    recording: RecordingPath,
    out: Annotated[Path, typer.Argument(help="Folder of the new bag; it must not exist.")],
) -> None:
    """Export a recording as a ROS 2 bag with standard messages: /clock, /tf, scans, odometry, pictures, log.

    paddock record export run.mcap run_bag
    """
    from paddock.bridges.ros2.bag import export_bag
    from paddock.core.terminal.output_files import print_written

    count = export_bag(recording, out)
    print_written(out, f": {count} messages   (ros2 bag play {shell_word(out)})")
