"""Run controllers in any arena with a status line; after an error in them, the recorded data is kept."""

from __future__ import annotations

import math
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from rich.progress import BarColumn, Progress, TextColumn
from rich.text import Text

from paddock.arena.base_arena import BaseArena
from paddock.arena.controllers import ANSWERING, Drivers, report_error_location
from paddock.arena.episode_plan import Until
from paddock.arena.episodes import Episode
from paddock.control.policies.policy import is_policy
from paddock.core.errors import PaddockError, Refused
from paddock.core.terminal.console import Console
from paddock.core.terminal_text import visible
from paddock.core.user_code import error_location, is_users, place
from paddock.report.summary import METRICS

STATUS_ROBOTS = 3  # robots in the status line
ENDLESS = 1e9  # duration of a run that only Ctrl-C ends [s]
PERIOD = 0.1  # wall time between two updates [s]
STALLED = 3.0  # wall time that a call of a user's function may take without a warning [s]
STALL_CHECKS = 6  # checks in this time

Show = Callable[[float, Callable[[], str]], None]  # (elapsed time of the robots [s], function that returns the status)


@dataclass(frozen=True, kw_only=True)
class DrivePlan:
    """Controllers and duration of a run."""

    seconds: float
    choose: Callable[[], Drivers]  # creates the controllers; called again after a reset
    file: Path | None = None  # file with the user's controllers
    every: float | None = None  # period of the traces [s]
    headless: bool = False  # without a status line
    traceback: bool = False  # print full tracebacks
    until: Until | None = None  # condition that ends the run early
    keep: Callable[[BaseArena], None] | None = None  # saves the data recorded so far; called after each tick


@dataclass(frozen=True, kw_only=True)
class DriveOutcome:
    """Result of a run."""

    episode: Episode
    interrupted: bool = False
    error: BaseException | None = None  # error of a controller that ended the run

    @property
    def explanation(self) -> str:
        """Reason why the run ended, for the page."""
        episode = self.episode
        who = f"robot {episode.culprit}, " if episode.culprit else ""
        return f"{episode.reason} ({who}at {episode.seconds:g} s)" if episode.failed else episode.reason


def check_seconds(seconds: float) -> None:
    """Raise an error if the duration is negative or not finite."""
    if not (math.isfinite(seconds) and seconds >= 0):
        raise PaddockError(f"--seconds: expected seconds >= 0, got {seconds:g}")


def run_drivers(arena: BaseArena, drive: DrivePlan, console: Console) -> DriveOutcome:
    """Run controllers until the time limit, Ctrl-C, or an error in a controller, which is printed here."""
    drivers = drive.choose()
    drivers.enable(arena)
    began = arena.time
    arena.episode = None
    try:
        with (
            status_line(console, drive.seconds, hidden=drive.headless) as show,
            report_stalls(console, after=STALLED),
            report_error_location(drive.file, *ANSWERING),
        ):
            compiled = all(is_policy(controller) for controller in drivers.controllers.values())
            keep = None if compiled else drive.keep  # compiled controllers run without a callback after each tick
            quiet = keep is None and (drive.headless or not console.is_terminal)

            def on_step(arena: BaseArena) -> None:
                show(arena.time - began, lambda: describe_robots(arena, drivers.controllers))
                if keep is not None:
                    keep(arena)

            arena.run(
                drive.seconds,
                drivers.controllers,
                every=drive.every,
                metrics=METRICS,
                until=drive.until,
                on_step=None if quiet else on_step,
                renew=lambda: drive.choose().controllers,
            )
    except KeyboardInterrupt as stop:
        if arena.episode is None:
            raise
        if drive.seconds < ENDLESS:
            where = error_location(stop)  # in an endless loop of a controller, for example
            console.print(f"stopped early{f' in {where}' if where else ''}", style="yellow", markup=False)
        return DriveOutcome(episode=arena.episode, interrupted=True)
    except (Exception, SystemExit) as error:
        if arena.episode is None:  # the run had not started
            raise
        is_located = isinstance(error, PaddockError)  # its text contains the location
        culprit = arena.episode.culprit if is_located and len(drivers.controllers) > 1 else None
        whose = f"{error} (controller of {culprit!r})" if culprit else ""
        print_traceback(error, all_files=drive.traceback, message=whose)
        episode = arena.episode.with_reason(str(error)) if is_located else arena.episode
        return DriveOutcome(episode=episode, error=error.__cause__ or error)
    assert arena.episode is not None
    return DriveOutcome(episode=arena.episode)


def print_traceback(error: BaseException, *, all_files: bool, message: str = "") -> None:
    """Print the traceback of an error with only the user's own files unless `all_files`, and the error or a message."""
    console, cause = Console(stderr=True), error.__cause__ or error
    frames = [frame for frame in traceback.extract_tb(cause.__traceback__) if all_files or is_users(frame.filename)]
    if frames:
        lines = "".join(["Traceback (most recent call last):\n", *traceback.format_list(frames)])
        console.print(Text(visible(lines.rstrip(), lines=True)), soft_wrap=True, highlight=False)
    text = visible(message or error, lines=True)
    console.print(Text.assemble(("paddock: ", "bold red"), text), soft_wrap=True, highlight=False)


def describe_robots(arena: BaseArena, drivers: Mapping[str, object]) -> str:
    """Return poses (if readable), wheel speeds and states of the first robots in one line."""
    names = list(drivers) or list(arena.robots)
    shown = [name for name in names if name in arena.robots][:STATUS_ROBOTS]
    parts = []
    for name in shown:
        robot = arena[name]
        left, right = robot.wheels.speeds
        try:
            x, y, heading = robot.pose
            where = f"{x:5.2f} {y:5.2f} {math.degrees(heading):4.0f}°" + (" touch" if robot.contacts else "")
        except Refused:  # on a server, only supervisors may read poses
            where = ""
        state = getattr(drivers.get(name), "state", "")
        parts.append(f"{name} {where} {left:.3f} {right:.3f} m/s" + (f", {visible(state)}" if state else ""))
    more = len(arena.robots) - len(shown)
    return "  ".join(parts) + (f"  and {more} more" if more > 0 else "")


@contextmanager
def report_stalls(console: Console, *, after: float) -> Iterator[None]:
    """While the block runs in this thread, print once where a call of the user's code has not returned for a while.

    Args:
        console: where to print.
        after: time that a call may take [s].
    """
    driver, ended = threading.get_ident(), threading.Event()
    own = count_frames(sys._getframe())

    def watch() -> None:
        call: FrameType | None = None  # the user's outermost function since `began`
        began, reported = 0.0, False
        while not ended.wait(after / STALL_CHECKS):
            frames = list_user_frames(sys._current_frames().get(driver), own)
            now = time.monotonic()
            if not frames or frames[-1] is not call:
                call, began, reported = frames[-1] if frames else None, now, False
            elif now - began >= after and not reported and sys.gettrace() is None:
                reported = True
                text = visible(describe_stall(frames, now - began))
                console.print(text, style="yellow", markup=False, highlight=False, soft_wrap=True)

    thread = threading.Thread(target=watch, name="stalls", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def count_frames(frame: FrameType | None) -> int:
    """Return the number of frames from a frame to the outermost one."""
    return sum(1 for _ in walk_frames(frame))


def walk_frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame and all that called it, the innermost first."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def list_user_frames(frame: FrameType | None, own: int) -> list[FrameType]:
    """Return the frames of the user's files, the innermost first, without the `own` outermost frames of the thread."""
    frames = list(walk_frames(frame))
    return [frame for frame in frames[: len(frames) - own] if is_users(frame.f_code.co_filename)]


def describe_stall(frames: Sequence[FrameType], seconds: float) -> str:
    """Return a warning with the line at which the user's code is, the function that was called, and the remedy."""
    inner, outer = frames[0], frames[-1]
    where, name = place(inner.f_code.co_filename, inner.f_lineno), outer.f_code.co_name
    return (
        f"{where}: {name} has not returned for {seconds:.0f} s: is it an endless loop, or does it wait? "
        "The run goes on when it returns; Ctrl-C ends it"
    )


@contextmanager
def status_line(console: Console, seconds: float, *, hidden: bool = False) -> Iterator[Show]:
    """Show a status line while the block runs; the yielded function updates it, and may be called at any rate."""
    with Progress(
        TextColumn("[bold]{task.fields[clock]}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[status]}", markup=False),
        console=console,
        transient=True,
        disable=hidden or not console.is_terminal,
    ) as progress:
        task = progress.add_task("", total=seconds if seconds < ENDLESS else None, clock="", status="")
        started, last = time.perf_counter(), 0.0

        def show(passed: float, status: Callable[[], str]) -> None:
            nonlocal last
            now = time.perf_counter()
            if progress.disable or now - last <= PERIOD:
                return
            last, factor = now, passed / (now - started)
            clock = f"{passed:6.1f} s  {factor:5.0f}×" if factor >= 10 else f"{passed:6.1f} s  {factor:5.1f}×"
            progress.update(task, completed=passed, clock=clock, status=visible(status()))

        yield show
