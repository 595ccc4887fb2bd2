"""`paddock ecoli network`: a reaction network as tables, in time, and as pictures."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from paddock.cli.files import checked_new
from paddock.cli.tables import cell, new_table
from paddock.core.errors import PaddockError
from paddock.reactions import (
    Flux,
    ReactionNetwork,
    TimeCourse,
    conserved_sums,
    load_reactions,
    reaction_names,
    simulate,
)
from paddock.reactions.simulate import Inputs

FIGURES = ("network", "pools")


def list_networks() -> None:
    """The shipped networks."""
    table = new_table("Reaction networks", "name", "pools", "units", "title", right=("pools", "units"))
    for name in reaction_names():
        network = load_reactions(name)
        table.add_row(name, str(len(network.pools)), str(len(network.units)), cell(network.title))
    Console().print(table)


def show_network(
    name: str, *, seconds: float, factor: float | None, method: str, folder: Path | None, force: bool
) -> None:
    """Print a network and what a step of its input does; write its figures."""
    network = load_reactions(name)
    paths = {} if folder is None else figure_paths(folder, [f"{network.name}-{what}" for what in FIGURES], force=force)
    console = Console()
    print_network(console, network)
    course = step_network(network, seconds, factor, method)
    table = new_table(
        f"{network.name}: {seconds:g} s by {method}", "pool", "start", "lowest", "highest", "end",
        right=("start", "lowest", "highest", "end"),
    )  # fmt: skip
    for pool in network.names:
        values = course[pool]
        table.add_row(pool, *(f"{value:.5g}" for value in (values[0], values.min(), values.max(), values[-1])))
    console.print(table)
    for sum_name, drift in course.drifts().items():
        console.print(f"conserved: {sum_name} (strayed by {drift:.1e})", markup=False)
    if folder is not None:
        from paddock.report import draw_reactions, pools_chart, save_figure

        drawings = draw_reactions(network), pools_chart(course, relative=True)
        for drawing, path in zip(drawings, paths.values(), strict=True):
            save_figure(drawing, path)
            console.print(f"wrote {path}", markup=False, soft_wrap=True)


def step_network(network: ReactionNetwork, seconds: float, factor: float | None, method: str) -> TimeCourse:
    """A network whose input, if it has one, is multiplied after a sixth of the time."""
    if network.input is None and factor is not None:
        raise PaddockError(f"{network.name}: --step: it has no input")
    inputs: Inputs = {}
    if network.input is not None:
        start = network.pool(network.input).start
        inputs = {network.input: [(0.0, start), (seconds / 6.0, start * (2.0 if factor is None else factor))]}
    return simulate(network, seconds, dt=seconds / 3000.0, method=method, inputs=inputs)


def print_network(console: Console, network: ReactionNetwork) -> None:
    """The units of a network, as equations."""
    table = new_table(f"{network.name}: {network.title}", "unit", "flux", "changes")
    for unit in network.units:
        text = " − ".join(write_flux(flux) for flux in unit.fluxes)
        if unit.off_above is not None:
            text += f", off while {unit.off_above.pool} > {unit.off_above.level:g}"
        changes = ", ".join(f"{pool} {change:+g}" for pool, change in unit.changes.items())
        table.add_row(cell(unit.name), cell(text), cell(changes))
    console.print(table)
    held = ", ".join(f"{pool.name} = {pool.start:g}" for pool in network.pools if pool.held)
    console.print(f"held: {held or 'none'}; conserved sums: {len(conserved_sums(network))}", markup=False)


def write_flux(flux: Flux) -> str:
    """A flux as a product of powers."""
    powers = [pool if order == 1 else f"{pool}^{order:g}" for pool, order in flux.orders.items()]
    return " · ".join([f"{flux.rate:g}", *powers])


def figure_paths(folder: Path, names: list[str], *, force: bool) -> dict[str, Path]:
    """Where figures go, before anything is computed."""
    if folder.exists() and not folder.is_dir():
        raise PaddockError(f"{folder}: expected a folder")
    paths = {name: checked_new(folder / f"{name}.png", force=force) for name in names}
    folder.mkdir(parents=True, exist_ok=True)
    return paths
