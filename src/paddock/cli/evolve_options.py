"""The options of `paddock evolve`; the work is done elsewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer


def evolve(
    task: Annotated[
        str | None,
        typer.Argument(
            help="maze, avoid, wall-follow, line-follow, or your own fitness as module:function. "
            "With --resume it may be left out."
        ),
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help="ga, es, cma, random, map-elites, gp (programs) or neat. Default: ga.")
    ] = None,
    population: Annotated[int | None, typer.Option(min=1, help="Individuals in a generation. Default: 20.")] = None,
    generations: Annotated[int | None, typer.Option(min=0, help="Default: 200.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Decides all chance. Default: 0.")] = None,
    world: Annotated[str | None, typer.Option(help="Instead of the task's own world, with one robot.")] = None,
    mazes: Annotated[int | None, typer.Option(min=0, help="Generate so many. Default: 0, the shipped maze.")] = None,
    size: Annotated[
        str | None, typer.Option(help="Columns and rows of generated mazes, or of that in --world. Default: 8x8.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Of generated mazes. Default: backtracker.")] = None,
    trials: Annotated[
        int | None, typer.Option(min=1, help="Drives in every world, each with other noise. Default: 1; avoid: 5.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Simulated seconds of a drive, at most.")] = None,
    hidden: Annotated[str | None, typer.Option(help="Units of the hidden layers, such as 8 or 8,4.")] = None,
    recurrent: Annotated[
        bool | None, typer.Option("--recurrent/--feed-forward", help="Whether the network remembers.")
    ] = None,
    length: Annotated[
        int | None,
        typer.Option(min=1, help="Instructions of a program, at most. Default: 64, or more for many inputs."),
    ] = None,
    until_solved: Annotated[
        bool, typer.Option("--until-solved", help="Stop as soon as the champion has solved all its worlds.")
    ] = False,
    test: Annotated[int, typer.Option(min=0, help="Let the champion drive in so many unseen mazes or noises.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for champion, learning curve, history, checkpoint.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the evolution in the folder --out.")] = False,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    precision: Annotated[
        str | None, typer.Option(help="With --device cuda: float64, or float32, which is faster. Default: float64.")
    ] = None,
    workers: Annotated[str, typer.Option(help="local: all cores here; ray: a cluster.")] = "local",
    threads: Annotated[int | None, typer.Option(min=1, help="Default: one for every core. Results stay equal.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")] = False,
) -> None:
    """Evolve a controller: networks, programs or grown networks, judged in many worlds at once.

    Ctrl-C and SIGTERM keep the best so far. The same seed gives the same champion, to the last bit, on any
    number of cores.

      paddock evolve maze --out runs/maze
      paddock run runs/maze/world.toml --policy runs/maze/champion.npz --seed 0 --seconds 60
      paddock evolve --resume --out runs/maze --generations 400
      paddock evolve maze --mazes 20 --strategy cma --until-solved --test 100
      paddock evolve avoid --strategy cma --population 32 --generations 50
      paddock evolve my_tasks:far_and_wide --world clutter
    """
    from paddock.cli.evolve import run_evolution
    from paddock.core.errors import PaddockError

    cells = None
    if size is not None:
        found = re.fullmatch(r"\s*(\d{1,3})(?:\s*[x×]\s*(\d{1,3}))?\s*", size)
        if found is None:
            raise PaddockError(f"--size: expected columns and rows such as 8x8, got {size!r}")
        cells = int(found[1]), int(found[2] or found[1])
    layers = None
    if hidden is not None:
        try:
            layers = tuple(int(units) for units in hidden.split(",") if units.strip())
        except ValueError:
            raise PaddockError(f"--hidden: expected units such as 8 or 8,4, got {hidden!r}") from None
    wanted = {
        "strategy": strategy, "population": population, "generations": generations, "seed": seed, "world": world,
        "mazes": mazes, "size": cells, "kind": kind, "trials": trials, "seconds": seconds, "hidden": layers,
        "recurrent": recurrent, "length": length, "precision": precision,
    }  # fmt: skip
    run_evolution(
        task,
        {name: value for name, value in wanted.items() if value is not None},
        out=out,
        resume=resume,
        test=test,
        threads=threads,
        device=device,
        workers=workers,
        until_solved=until_solved,
        json_line=json,
    )
