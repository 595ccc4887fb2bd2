"""`paddock ecoli`: reaction networks, E. coli walks as way-points, and populations of walkers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paddock.core.terminal.shared_options import Force, Json, Seed, out_option
from paddock.experiments.ecoli.commands.orders.commands import host_app

ecoli_app = typer.Typer(help="The random walk of E. coli, and robots that repeat it.", no_args_is_help=True)
ecoli_app.add_typer(host_app, name="host")
World = Annotated[str, typer.Argument(help="A shipped world's name or a TOML file, with a chemical field.")]
Network = Annotated[
    str, typer.Option(help="Reaction network of the walkers: a shipped one, or the path of a TOML file.")
]
Folder = Annotated[Path | None, out_option("Folder for figures. Default: no figures.")]


@ecoli_app.command()
def waypoints(
    world: World = "petri-dish",
    out: Annotated[Path | None, out_option("File to write. Default: print.")] = None,
    robots: Annotated[str | None, typer.Option(help="Comma-separated names of robots. Default: all.")] = None,
    orders: Annotated[int, typer.Option(min=1, help="Number of way-points of each robot.")] = 25,
    network: Network = "ecoli-chemotaxis-n6",
    seed: Seed = 0,
    force: Force = False,
) -> None:
    """Simulate E. coli walks of robots, and write the end points of their runs: lines `name;x;y` in cm.

    paddock ecoli waypoints petri-dish -o walk.txt
    paddock ecoli waypoints petri-dish-gauss --robots e-puck_2478 --orders 10
    paddock ecoli waypoints petri-dish --network my_network.toml
    """
    from paddock.experiments.ecoli.commands.ecoli_walks import write_waypoints

    write_waypoints(world, output=out, robots=robots, orders=orders, network=network, seed=seed, force=force)


@ecoli_app.command()
def network(
    network: Annotated[str, typer.Argument(help="A shipped network's name, or a TOML file.")] = "ecoli-chemotaxis",
    seconds: Annotated[float, typer.Option(min=0.01, help="Simulated seconds.")] = 60.0,
    step: Annotated[
        float | None,
        typer.Option(min=0.0, help="Multiply the input by this factor after a sixth of the time. Default: 2."),
    ] = None,
    to: Annotated[
        float | None,
        typer.Option(min=0.0, help="Set the input to this value instead. Default: 1, for an input that is 0."),
    ] = None,
    method: Annotated[str, typer.Option(help="Integration method: rk4 or euler.")] = "rk4",
    out: Folder = None,
    names: Annotated[bool, typer.Option("--list", help="List the shipped networks and exit.")] = False,
    force: Force = False,
) -> None:
    """Print a reaction network and its response to an input step, and draw both.

    The tables show its units as equations, and the range of every pool during the response. -o writes two figures: the
    network, and all pools that change over time.

    paddock ecoli network --list
    paddock ecoli network -o figures
    paddock ecoli network toggle-switch --to 0.5
    paddock ecoli network my_network.toml --seconds 20 --step 1.5
    """
    from paddock.experiments.ecoli.commands.ecoli_networks import InputStep, list_networks, show_network

    if names:
        list_networks()
    else:
        show_network(network, seconds=seconds, step=InputStep(step, to), method=method, folder=out, force=force)


@ecoli_app.command()
def population(
    world: World = "petri-dish",
    walkers: Annotated[
        int, typer.Option(min=2, max=1_000_000, help="Number of walkers, each alone in its own world.")
    ] = 100,
    seconds: Annotated[float, typer.Option(min=1.0, help="Simulated seconds.")] = 600.0,
    kinds: Annotated[
        str, typer.Option(help="Comma-separated kinds of walkers: normal, none, inverted, no-methylation.")
    ] = "normal",
    network: Network = "ecoli-chemotaxis-n6",
    nose: Annotated[
        str, typer.Option(help="Position of the chemical sensor: front, or centre (between the wheels).")
    ] = "front",
    seed: Seed = 1,
    out: Folder = None,
    json: Json = False,
    force: Force = False,
) -> None:
    """Compare populations of walkers with one that senses nothing ("none", which is always run).

    Values are measured in the second half of the time. p is the probability that a population has the same
    concentrations as the unbiased one. -o writes figures: the mean distance over time, and a map of each population.

    paddock ecoli population --walkers 100
    paddock ecoli population petri-dish-gauss --kinds normal,inverted -o figures
    paddock ecoli population --network mine.toml
    """
    from paddock.experiments.ecoli.commands.ecoli_walks import compare_walkers

    compare_walkers(
        world, walkers=walkers, seconds=seconds, kinds=kinds, network=network, nose=nose, seed=seed, folder=out,
        json_lines=json, force=force,
    )  # fmt: skip
