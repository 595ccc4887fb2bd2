"""Output files of `paddock nodes up --out`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

import paddock
from paddock.core.errors import PaddockError
from paddock.core.geometry import Pose
from paddock.core.provenance import collect, read_inputs, write_provenance
from paddock.core.terminal.output_files import print_written
from paddock.network.nodes import ModulesSpec
from paddock.network.nodes.map_listener import MapListener
from paddock.perception.mapping import MapTruth, MapView, save_map
from paddock.perception.mapping.logs import Trajectory, write_tum
from paddock.report import fresh_folder
from paddock.report.map_results import MAP, MapResult, find_truth, write_map


def check_out(spec: ModulesSpec, out: Path | None) -> None:
    """Raise an error if a folder is given, but no module builds a map."""
    if out is not None and "MAPPER" not in spec.names:
        raise PaddockError(f"--out {out}: these modules build no map: add a module named mapper")


@contextmanager
def keep_results(spec: ModulesSpec, url: str, config: str, out: Path | None) -> Iterator[None]:
    """Write the newest map and the trajectory into a folder while the block runs, and all results after it."""
    if out is None:
        yield
        return
    folder = fresh_folder(out, Path(config).stem)
    write_provenance(folder, collect(seed=spec.seed), read_inputs([config]))  # even if the run fails later
    with MapListener(url, lambda heard: keep_map(heard, folder)) as listener:
        yield
    if listener.grid is None or not listener.poses:
        typer.echo(f"{folder} is empty: the mapper has sent no map", err=True)
        return
    keep_map(listener, folder)
    title, truth, start = find_world(spec)
    write_map(
        MapResult(
            grid=listener.grid,
            view=MapView.of(listener.grid),
            path=listener.poses,
            growth=listener.growth,
            title=title,
            ended=listener.doing,
            truth=truth,
            alignment=start,
        ),
        folder,
    )
    print_written(folder)


def keep_map(listener: MapListener, folder: Path) -> None:
    """Write the current map and trajectory."""
    assert listener.grid is not None
    save_map(listener.grid, folder / MAP)
    write_tum(Trajectory(listener.times, listener.poses), folder / "trajectory.tum")


def find_world(spec: ModulesSpec) -> tuple[str, MapTruth | None, Pose | None]:
    """Return title, ground truth and start pose of the world; only a title for a world on another server."""
    if spec.url is not None:
        return f"world of {spec.robot_name}", None, None
    with paddock.open(spec.place(spec.world), seed=spec.seed) as arena:
        start = arena[spec.robot_name].pose
        title = arena.world.title or arena.world.name
        return title, find_truth(arena.world, spec.robot_spec, start), start
