"""`paddock run` and `paddock demo`: run controllers in a world, with a status line, a summary and a picture."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import paddock
from paddock.arena import Arena
from paddock.arena.base_arena import BaseArena
from paddock.arena.controller_choice import choose_built_in, name_built_in
from paddock.arena.controllers import Drivers, chosen_controllers
from paddock.arena.episodes import Episode
from paddock.cli.driving import DriveOutcome, DrivePlan, check_seconds, run_drivers
from paddock.cli.pages import offer_to_run_again, show_page
from paddock.core.errors import PaddockError
from paddock.core.jit import stopwatch_on_compiler
from paddock.core.terminal.console import Console
from paddock.core.terminal.ending import INTERRUPTED
from paddock.core.terminal.output_files import ANIMATIONS, PICTURES, check_picture, print_written
from paddock.core.terminal_text import shell_word, visible
from paddock.core.user_code import warn_user
from paddock.report.tables import Table, print_table
from paddock.simulation.worlds import WorldSpec
from paddock.simulation.worlds.placement import describe_blind_spots, source_files

if TYPE_CHECKING:
    from paddock.arena.referees import Referee
    from paddock.network.server.show import Show
    from paddock.report.run_writer import RunFiles, RunWriter

SHOWN = 12  # robots in the table
COLUMNS = ("robot", "type", "distance [m]", "m/s", "contact [s]", "end [m]", "heading")
NOTICEABLE = 0.5  # compilation time that is reported [s]


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
    traceback: bool = False,
    record: Path | None = None,
    referee: Referee | None = None,
    choose: Callable[[Arena], Drivers] | None = None,
    files: RunFiles | None = None,
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Run a world and print a report; with `out`, write a folder with all results.

    A viewer of the page can restart the run; with `needs_viewer`, the run starts only when there is a viewer. `choose`
    creates the controllers if given; `files` are added to the folder, and `settings` to its summary.
    """
    console, page, is_built_in = Console(), None, not (controller or policy or choose)
    choose = choose or partial(chosen_controllers, controller=controller, policy=policy, otherwise=choose_built_in)
    picture = check_picture(picture, (*PICTURES, *ANIMATIONS))
    check_seconds(seconds)
    with open_world(world, seed, warns=settings is None) as arena, keep_recording(arena, record), ExitStack() as stack:
        if not headless:
            shown = show_page(arena, console=console, speed=speed, port=port, needs_viewer=needs_viewer)
            page = stack.enter_context(shown)
        while True:
            writer = _new_writer(out, arena, files, controller, policy)
            drive = DrivePlan(
                seconds=seconds,
                choose=partial(choose, arena),
                file=controller,
                every=arena.dt if out is not None else None,
                headless=headless and settings is None,  # a mapping run is long and always shows its status line
                traceback=traceback,
                keep=None if writer is None else writer.keep,
            )
            try:
                outcome, wall_time = _measure_run(_choose_run(arena, drive, referee, console, page))
            except PaddockError as error:  # such as an error in a file that was edited before the run was repeated
                if page is None or not offer_to_run_again(page, console, str(error), failed=True):
                    raise
                continue
            with suppress(SystemExit):  # rich exits if the reader of a pipe has closed it; the files are written anyway
                _report(console, arena, outcome.episode, wall_time, is_built_in=is_built_in)
            config = _describe(arena, seconds, controller or policy, referee) | dict(settings or {})
            write_folder(console, arena, arena.world, outcome.episode, writer, html, config)
            _write_picture(arena, outcome.episode, picture)
            why, failed = outcome.explanation, outcome.episode.failed
            if page is None or outcome.interrupted or not offer_to_run_again(page, console, why, failed=failed):
                break
    if outcome.interrupted or outcome.episode.failed:
        sys.exit(INTERRUPTED if outcome.interrupted else 2)


def open_world(world: str, seed: int, *, warns: bool) -> Arena:
    """Open a world; `warns`: for each type of robot, warn about obstacles that are lower than all its range sensors."""
    arena = paddock.open(world, seed=seed)
    for spec in {robot.spec.name: robot.spec for robot in arena.robots.values()}.values() if warns else ():
        if found := describe_blind_spots(arena.world, spec):
            warn_user(f"{arena.world.name}: {found}: no range sensor detects it")
    return arena


def _new_writer(out: Path | None, arena: Arena, files: RunFiles | None, *own: Path | None) -> RunWriter | None:
    """Return the writer of a run's folder below `out`, with its world, its robots and the user's own files."""
    if out is None:
        return None
    from paddock.report.run_writer import RunWriter

    return RunWriter(out, arena.world.name, [*source_files(arena.world), *own_files(*own)], files)


def own_files(*own: Path | None) -> list[Path]:
    """Return the user's own files; a policy may be the name of a registered one instead."""
    return [path for path in own if path is not None and path.is_file()]


def _describe(arena: Arena, seconds: float, driver: Path | None, referee: Referee | None) -> dict[str, Any]:
    """Return the settings that determine a run, for its summary."""
    config = {
        "seed": arena.seed,
        "seconds": seconds,
        "controller": str(driver or f"built-in: {_name_built_ins(arena)}"),
    }
    return config if referee is None else {**config, "referee": referee.to_table()}


def _name_built_ins(arena: BaseArena) -> str:
    """Return the names of the built-in controllers of all robots."""
    return ", ".join(dict.fromkeys(map(name_built_in, arena.robots.values())))


@contextmanager
def keep_recording(arena: Arena, path: Path | None, *, err: bool = False, **options: Any) -> Iterator[None]:
    """Record the block if a file is given; raise an error at the end if it could not be written completely."""
    if path is None:
        yield
        return
    with paddock.record(arena, path, **options) as recorder:
        yield
    if recorder.failure:
        raise PaddockError(f"{path}: the recording is incomplete: {recorder.failure}")
    print_written(path, f"   (paddock record replay {shell_word(path)})", err=err)


def write_folder(
    console: Console,
    arena: BaseArena,
    world: WorldSpec,
    episode: Episode,
    writer: RunWriter | None,
    html: bool,
    config: dict[str, Any],
) -> None:
    """Write the folder of a run, if it has one: traces, summary, pictures and provenance, and with `html` a report."""
    if writer is None or not episode.robots:
        return
    from paddock.report.report_files import ALL_FILES, USUAL_FILES, write_run

    folder = writer.folder
    with console.status("writing the trace and pictures …"):
        write_run(
            episode,
            world,
            folder,
            title=world.title or world.name,
            config={"world": world.name, **config},
            files=ALL_FILES if html else USUAL_FILES,
        )
        writer.write_provenance(arena)
        if writer.files is not None:
            writer.files.write(episode, folder)
    page = f"; the report is {folder / 'report.html'}" if html else ""
    print_written(folder, page)


def _write_picture(arena: Arena, episode: Episode, picture: Path | None) -> None:
    if picture is None:
        return
    from paddock.report import save_animation
    from paddock.report.drawing import save_drawing

    if picture.suffix.lower() in ANIMATIONS:
        save_animation(episode, picture)
        print_written(picture)
        return
    trails = {name: [(x, y) for x, y in record.trace.path().tolist()] for name, record in episode.robots.items()}
    save_drawing(arena.world, picture, poses=arena.poses, things=arena.thing_poses, trails=trails)
    print_written(picture)


def _choose_run(
    arena: Arena, drive: DrivePlan, referee: Referee | None, console: Console, page: Show | None
) -> Callable[[], DriveOutcome]:
    if referee is None:
        return partial(run_drivers, arena, drive, console)
    from paddock.cli.referee import run_with_referee

    return partial(run_with_referee, arena, drive, referee, console, page)


def _measure_run(run: Callable[[], DriveOutcome]) -> tuple[DriveOutcome, str]:
    """Return the outcome of a run and its wall time as text."""
    started = time.perf_counter()
    with stopwatch_on_compiler() as compile_s:
        outcome = run()
    return outcome, describe_wall_time(time.perf_counter() - started, compile_s[0])


def describe_wall_time(wall: float, compile_s: float) -> str:
    """Return the wall time of a run [s] without the time to compile kernels, which is given separately."""
    more = f", and {compile_s:.0f} s to compile kernels" if compile_s >= NOTICEABLE else ""
    return f"{max(0.0, wall - compile_s):.2f} s{more}"


def _report(console: Console, arena: Arena, episode: Episode, wall_time: str, *, is_built_in: bool) -> None:
    if not arena.robots:
        console.print(f"{arena.world.name}: no robots in this world", style="yellow", markup=False)
        return
    if episode.failed and not episode.ticks:
        console.print(f"{arena.world.name}: an error ended the run before the first tick", style="yellow", markup=False)
        return
    ended = "; an error ended the run" if episode.failed else ""
    rows = []
    for name, record in list(episode.robots.items())[:SHOWN]:
        results, (x, y, heading) = record.metrics, record.trace.pose[-1]
        row = (
            visible(name),
            visible(arena[name].spec.name if name in arena else "left"),
            f"{results['distance']:.2f}",
            f"{results['mean_speed']:.3f}" if episode.ticks else "-",
            f"{results['contact_time']:.2f}",
            f"{x:.2f}, {y:.2f}",
            f"{round(math.degrees(heading))}°",
        )
        rows.append(row)
    title = f"{arena.world.name}: {episode.seconds:g} s simulated in {wall_time}{ended}"
    print_table(console, title, Table(COLUMNS, tuple(rows)))
    if (more := len(arena.robots) - SHOWN) > 0:
        console.print(f"… and {more} more")
    if is_built_in:
        console.print(f"built-in controller: {_name_built_ins(arena)}", style="dim", highlight=False)
    for event in episode.interventions[:SHOWN]:
        console.print(f"{event.time:8.2f} s  {event}", style="yellow", markup=False, highlight=False)
    if episode.digest is not None and not episode.failed:
        why = episode.why_not_repeatable
        meaning = f"not repeatable: {why}" if why else "equal for equal world, controller and seed"
        console.print(f"digest {episode.digest[:16]} ({meaning})", style="dim", markup=False)
