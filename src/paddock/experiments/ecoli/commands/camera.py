"""`paddock camera`: print markers, calibrate a lens, locate robots."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import typer

from paddock.core.errors import PaddockError
from paddock.core.files import write_text
from paddock.core.terminal.console import Console, cell, new_table, print_json
from paddock.core.terminal.output_files import CHARTS, check_new, check_picture, print_written
from paddock.core.terminal_text import shell_word
from paddock.core.toml import read_toml_file
from paddock.experiments.ecoli.overhead_camera import (
    OverheadCamera,
    draw_marker_sheets,
    load_overhead_camera,
    save_sheets,
)
from paddock.perception.vision import (
    BoardSpec,
    IpCamera,
    Lens,
    MarkerSighting,
    MarkerTracker,
    NotAStream,
    SiteSpec,
    TimedPicture,
    calibrate_lens,
    find_camera_pose,
    find_markers,
    load_site,
)
from paddock.perception.vision.calibration import find_boards
from paddock.perception.vision.camera_poses import fit_lens, load_lens
from paddock.perception.vision.markers import Pixels8
from paddock.perception.vision.opencv import DamagedPicture, PictureTooLarge, read_picture
from paddock.simulation.worlds import load_world

PICTURES = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
ANOTHER_VIEW = 0.06  # minimum movement of the board between two views, relative to the picture's width
ENOUGH_CORNERS = 8
LENS_FILE = Path("lens.toml")


def print_board(
    output: Path, *, square: float, marker: float, robots: int, size: float, lid: float, force: bool
) -> None:
    """Write the sheets with the board and the markers."""
    pages = draw_marker_sheets(board=BoardSpec(square=square, marker=marker), robots=robots, size=size, lid=lid)
    save_sheets(pages, check_new(output, force=force))
    count = len(pages) if output.suffix.lower() == ".pdf" else 1
    print_written(output, f" ({count} {'page' if count == 1 else 'pages'}, A4); print it at 100 %")


def calibrate_source(
    source: str,
    output: Path,
    *,
    views: int,
    seconds: float,
    square: float,
    marker: float,
    chart: Path | None,
    user: str,
    password: str,
    force: bool,
) -> None:
    """Calibrate from a folder or a camera, and write the lens."""
    board = BoardSpec(square=square, marker=marker)
    check_new(output, force=force)
    map_file = check_picture(chart, CHARTS)
    console = Console(highlight=False)
    if "://" in source:
        camera = IpCamera(source, user=user, password=password)
        pictures = []
        with suppress(KeyboardInterrupt):
            for view in collect_views(camera, board, views, seconds, console):
                pictures.append(view)  # keep the views taken before Ctrl-C
    else:
        pictures = list(read_folder(Path(source)))
    found = calibrate_lens(pictures, board)
    write_text(output, found.lens.to_toml())
    print_written(
        output,
        f": {found.views} views, rms {found.rms:.3f} pixels; {found.held_out} held out, "
        f"rms {found.hold_out_rms:.3f} pixels; {found.refused} pictures show too little of the board",
    )
    if found.hold_out_rms > 2 * max(found.rms, 0.15):
        console.print("the held-out views fit worse: take more views, with the board in the corners", style="yellow")
    if map_file is not None:
        from paddock.report import error_map, save_figure

        about = f"{found.views} views, {found.held_out} held out"
        chart_of_errors = error_map(
            found.corners,
            found.errors,
            unit="pixels",
            x_name="column [pixels]",
            y_name="row [pixels]",
            title="Reprojection errors",
            about=about,
            down=True,
        )
        save_figure(chart_of_errors, map_file)
        print_written(map_file)


def read_folder(folder: Path) -> Iterator[Pixels8]:
    """Yield all pictures of a folder, sorted by name."""
    if not folder.is_dir():
        raise PaddockError(f"{folder}: expected a folder with pictures, or the address of a camera, http://HOST/…")
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in PICTURES)
    if not files:
        raise PaddockError(f"{folder}: expected pictures ({', '.join(PICTURES)}), found none")
    for file in files:
        try:
            yield read_picture(file)
        except (DamagedPicture, PictureTooLarge) as error:
            raise PaddockError(f"{file}: {error}; or leave it out") from None


def collect_views(
    camera: IpCamera, board: BoardSpec, views: int, seconds: float, console: Console
) -> Iterator[Pixels8]:
    """Yield pictures in which the board is at a different position than in all previous ones."""
    console.print(f"show the board in all corners, and tilted; {views} views are needed (Ctrl-C ends it)")
    places: list[tuple[float, float, float]] = []
    ends = time.monotonic() + seconds
    for frame in camera.stream(most_reconnects=5, repeats=True):  # so that the time limit is checked
        found, size, _ = find_boards([frame.picture], board)
        if found and len(found[0][1]) >= ENOUGH_CORNERS:
            corners = found[0][1]
            place = (*(corners.mean(axis=0) / size[0]).tolist(), float(corners.std() / size[0]))
            if all(math.dist(place, other) > ANOTHER_VIEW for other in places):
                places.append(place)
                console.print(f"view {len(places)} of {views}")
                yield frame.picture
        if len(places) >= views or time.monotonic() > ends:
            return


def locate_robots(
    url: str,
    lens_file: Path | None,
    *,
    site: Path | None,
    world: str | None,
    pictures: int,
    user: str,
    password: str,
    json_lines: bool,
) -> None:
    """Locate the robots in some pictures, and print their last poses."""
    markers = choose_site(site, world, lens_file)
    calibrated = choose_lens(lens_file, world)
    camera = IpCamera(url, user=user, password=password)
    frames = take_frames(camera, pictures)
    first = next(frames)
    lens = fit_lens(calibrated, first.picture, lens_file or LENS_FILE)
    pose = find_camera_pose(lens, markers, find_markers(first.picture, [marker.marker for marker in markers.floor]))
    tracker = MarkerTracker(pose, markers)
    last: dict[str, MarkerSighting] = {}
    for frame in (first, *frames):
        for sighting in tracker.locate(frame.picture, frame.time_of_exposure or 0.0):
            last[sighting.robot] = sighting
    if pose.problem:
        fix = "the file of this camera, or a lens from `paddock camera lens`"
        typer.echo(f"warning: {pose.problem}; use {fix}", err=True)
    if json_lines:
        for robot, share in tracker.coverage.items():
            print_json({**describe_sighting(robot, last.get(robot), share), "residual": pose.rms})
        return
    place = pose.camera.pose
    console = Console(highlight=False)
    console.print(
        f"the camera is {place.height:.3f} m above ({place.at[0]:.3f}, {place.at[1]:.3f}); "
        f"floor markers agree within {pose.rms:.2f} pixels"
    )
    table = new_table("Robots", "robot", "x [m]", "y [m]", "heading [°]", "± [mm]", "found", right=("x [m]", "y [m]"))
    for robot, share in tracker.coverage.items():
        seen = last.get(robot)
        if seen is None:
            table.add_row(cell(robot), "–", "–", "–", "–", f"{share:.0%}")
            continue
        spread = 1000 * math.sqrt(float(seen.covariance[0, 0] + seen.covariance[1, 1]))
        numbers = (
            f"{seen.x:.4f}",
            f"{seen.y:.4f}",
            f"{round(math.degrees(seen.heading), 1) + 0.0:.1f}",
            f"{spread:.2f}",
        )
        table.add_row(cell(robot), *numbers, f"{share:.0%}")
    console.print(table)


def take_frames(camera: IpCamera, count: int) -> Iterator[TimedPicture]:
    """Yield pictures of a stream, or repeated single pictures if the address is not a stream."""
    try:
        yield from islice(camera.stream(most_reconnects=3, repeats=True), count)  # also if the world is at rest
    except NotAStream:
        for _ in range(count):
            yield camera.take_picture()


def choose_site(site: Path | None, world: str | None, lens_file: Path | None = None) -> SiteSpec:
    """Return the markers of a site file, or those of a simulated camera above a world, whose file may be given."""
    if (site is None) == (world is None):
        raise PaddockError("camera locate: expected either --site FILE or --world NAME")
    return load_site(site) if site is not None else open_simulated_camera(str(world), lens_file).site


def choose_lens(file: Path | None, world: str | None) -> Lens:
    """Return the lens of a file, which may describe a simulated camera above a world; without one, the default's."""
    if world is not None and (file is None or is_simulated(file)):
        return open_simulated_camera(world, file).model.lens
    file = file or LENS_FILE
    if is_simulated(file):
        command = f"`paddock camera locate URL --lens {shell_word(file)} --world NAME`"
        raise PaddockError(
            f"{file}: this file describes a simulated camera, whose lens depends on its world: {command}"
        )
    if not file.is_file():
        raise PaddockError(f"{file}: no such file: `paddock camera lens` writes one, from pictures of the board")
    return load_lens(file)


def open_simulated_camera(world: str, file: Path | None) -> OverheadCamera:
    """Return a simulated camera above a world: that of a file that describes one, else the default camera."""
    return OverheadCamera(load_world(world), load_overhead_camera(file) if file and is_simulated(file) else None)


def is_simulated(file: Path) -> bool:
    """Whether a file describes a simulated camera instead of a lens."""
    return file.is_file() and not {"focal", "centre"} & read_toml_file(file).keys()


def describe_sighting(robot: str, seen: MarkerSighting | None, share: float) -> dict[str, object]:
    """Return the pose of a robot as plain data."""
    if seen is None:
        return {"robot": robot, "found": share}
    pose = {"time": seen.time_of_exposure, "x": seen.x, "y": seen.y, "heading": seen.heading}
    return {"robot": robot, "found": share, **pose, "covariance": seen.covariance}
