"""`paddock ecoli network`: tables, simulation and figures of a reaction network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.core.errors import PaddockError
from paddock.core.files import ensure_folder
from paddock.core.terminal.console import Console, cell, new_table
from paddock.core.terminal.output_files import check_new, print_written
from paddock.experiments.ecoli.reaction_networks import (
    Flux,
    ReactionNetwork,
    TimeCourse,
    load_reactions,
    reaction_names,
    simulate,
)
from paddock.experiments.ecoli.reaction_networks.simulate import Inputs
from paddock.report.tables import Table, print_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURES = ("network", "pools")
ROWS = 3000  # rows of a time course
STEP_AT = 1.0 / 6.0  # time of the input step, as a fraction of the whole time


def list_networks() -> None:
    """Print a table of the shipped networks."""
    table = new_table("Reaction networks", "name", "pools", "units", "title", right=("pools", "units"))
    for name in reaction_names():
        network = load_reactions(name)
        table.add_row(name, str(len(network.pools)), str(len(network.units)), cell(network.title))
    Console().print(table)


def show_network(name: str, *, seconds: float, step: InputStep, method: str, folder: Path | None, force: bool) -> None:
    """Print a network and its response to an input step; write its figures."""
    network = load_reactions(name)
    paths = {} if folder is None else figure_paths(folder, [f"{network.name}-{what}" for what in FIGURES], force=force)
    values = step.values(network)
    console = Console()
    print_network(console, network)
    course = step_network(network, seconds, values, method)
    stepped = describe_step(network, seconds, values)
    console.print(f"\n{stepped}", markup=False, highlight=False)
    print_course(console, course, f"{network.name}: {seconds:g} s by {method}")
    if folder is not None:
        from paddock.experiments.ecoli.reaction_networks import draw_reactions, pools_chart
        from paddock.report import save_figure

        drawings: list[tuple[str, Callable[[], Axes]]] = [
            ("pools, reaction units and their connections", lambda: draw_reactions(network)),
            (f"pools that change, over {seconds:g} s", lambda: pools_chart(course, about=stepped)),
        ]
        for (what, drawing), path in zip(drawings, paths.values(), strict=True):
            try:
                save_figure(drawing(), path)
            except PaddockError as problem:
                console.print(f"left out {path}: {problem}", markup=False, soft_wrap=True, style="yellow")
            else:
                print_written(path, f": {what}")


@dataclass(frozen=True)
class InputStep:
    """Step of the input: multiply it by `factor`, or set it to `target`; by default double it, or set 0 to 1."""

    factor: float | None = None
    target: float | None = None

    def values(self, network: ReactionNetwork) -> tuple[float, float] | None:
        """Return the input before and after the step; None without an input."""
        if self.factor is not None and self.target is not None:
            raise PaddockError("--step and --to: expected one of them, a factor or a value")
        given = "--step" if self.factor is not None else "--to"
        if network.input is None:
            if self.factor is not None or self.target is not None:
                raise PaddockError(
                    f'{given}: {network.name!r} has no input: set input = "…" to a held pool, or leave the option out'
                )
            return None
        start = network.pool(network.input).start
        if self.target is not None:
            return start, self.target
        if start == 0 and self.factor is not None:
            raise PaddockError(
                f"--step: the input {network.input!r} of {network.name} is 0, as is any multiple of it: use --to VALUE"
            )
        return start, start * (2.0 if self.factor is None else self.factor) if start else 1.0


def step_network(
    network: ReactionNetwork, seconds: float, values: tuple[float, float] | None, method: str
) -> TimeCourse:
    """Simulate a network whose input, if it has one, is stepped after a sixth of the time."""
    inputs: Inputs = {}
    if network.input is not None and values is not None:
        inputs = {network.input: [(0.0, values[0]), (seconds * STEP_AT, values[1])]}
    return simulate(network, seconds, dt=seconds / ROWS, method=method, inputs=inputs)


def describe_step(network: ReactionNetwork, seconds: float, values: tuple[float, float] | None) -> str:
    """Describe the input step of a network."""
    if values is None:
        return "no input step: the network has no input"
    return f"the input {network.input!r} is {values[0]:g}, and {values[1]:g} from {seconds * STEP_AT:g} s on"


def print_course(console: Console, course: TimeCourse, title: str) -> None:
    """Print the range of every pool, and the drift of conserved sums."""
    network = course.network
    rows = []
    for pool in network.pools:
        roles = [role for role in ("input", "output") if getattr(network, role) == pool.name]
        marks = ", ".join(roles or ["held"] * pool.held)
        values = course[pool.name]
        figures = (f"{value:.5g}" for value in (values[0], values.min(), values.max(), values[-1]))
        rows.append((pool.name, marks, *figures))
    print_table(console, title, Table(("pool", "", "start", "lowest", "highest", "end"), tuple(rows)))
    for sum_name, drift in course.drifts().items():
        console.print(f"conserved: {sum_name} (relative drift {drift:.1e})", markup=False)


def print_network(console: Console, network: ReactionNetwork) -> None:
    """Print the units of a network as equations."""
    title = f"{network.name}: {network.title}" if network.title else network.name
    table = new_table(title, "unit", "flux", "changes of pools")
    for unit in network.units:
        text = " − ".join(write_flux(flux) for flux in unit.fluxes)
        if unit.off_above is not None:
            text += f", off while {unit.off_above.pool} > {unit.off_above.level:g}"
        changes = ", ".join(f"{pool} {change:+g}" for pool, change in unit.changes.items())
        table.add_row(cell(unit.name), cell(text), cell(changes))
    console.print(table)
    for what, flow in (("supply", "/s"), ("loss", " of it /s")):
        flows = [f"{pool.name} {getattr(pool, what):g}{flow}" for pool in network.pools if getattr(pool, what)]
        if flows:
            console.print(f"{what}: {', '.join(flows)}", markup=False)


def write_flux(flux: Flux) -> str:
    """Return a flux as a product of powers."""
    powers = [pool if order == 1 else f"{pool}^{order:g}" for pool, order in flux.orders.items()]
    return " · ".join([f"{flux.rate:g}", *powers])


def figure_paths(folder: Path, names: list[str], *, force: bool) -> dict[str, Path]:
    """Return the paths of figures, and check them before anything is computed."""
    ensure_folder(folder)
    return {name: check_new(folder / f"{name}.png", force=force) for name in names}
