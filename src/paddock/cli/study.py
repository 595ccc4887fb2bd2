"""`paddock study`: sweeps, evolution, reproductions of published experiments.

The options of `evolve` are generated from those of the library, so that each is declared once.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import Field, fields
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import typer

from paddock.cli.options import complete
from paddock.cli.run import refuse_old_recording
from paddock.core.errors import PaddockError
from paddock.core.spec import Spec, hints
from paddock.core.terminal.shared_options import FILES, Force, Json, Workers, file_option, out_option
from paddock.learning.evolve.options import TASK, EvolutionConfig, Execution

study_app = typer.Typer(help="Sweeps, evolution, reproductions of experiments.", no_args_is_help=True)
NETWORK = ("hidden", "recurrent", "length", "precision")  # options of the controller
NUMBERS = re.compile(r"\s*(\d{1,9}(\s*[x×,]\s*\d{1,9})*)?\s*")


def list_reproductions() -> list[str]:
    """Return the names of the published experiments."""
    from paddock.experiments.reproductions import REPRODUCTIONS

    return [*REPRODUCTIONS, "all"]


def make_command() -> Callable[..., None]:
    """Return the command for typer: a function with a parameter for every option."""

    def evolve(
        task: str | None, out: Path | None, record: Path | None, force: bool, resume: bool, json: bool, **options: Any
    ) -> None:
        """Evolve a controller: a network, a program or a growing network (NEAT).

        After Ctrl-C, the best individual so far is saved. The same seed gives the same
        champion, to the last bit, on any number of cores.

          paddock study evolve maze --out runs/maze
          paddock run runs/maze/world.toml --policy runs/maze/champion.npz
          paddock study evolve --resume --out runs/maze --generations 400
          paddock study evolve maze --mazes 20 --strategy cma --test 100
          paddock study evolve my_tasks:far_and_wide --world clutter
        """
        from paddock.cli.evolve import run_evolution

        refuse_old_recording({"record": record, "force": force})
        given = {"task": task, **options}
        config, execution = (
            {field.name: _read(field, hints(kind)[field.name], given[field.name]) for field in fields(kind)}
            for kind in (EvolutionConfig, Execution)
        )
        run_evolution(
            {name: value for name, value in config.items() if value is not None},
            Execution(**{name: value for name, value in execution.items() if value is not None}),
            out=out,
            record=record,
            resuming=resume,
            json_line=json,
        )

    parameters = [_argument(), *_options(EvolutionConfig), *_options(Execution), *_folder_options()]
    evolve.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    evolve.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return evolve


def _argument() -> inspect.Parameter:
    task = next(field for field in fields(EvolutionConfig) if field.name == "task")
    help = f"{task.metadata['help']} Optional with --resume."
    return _parameter("task", Annotated[str | None, typer.Argument(help=help)], None)


def _options(kind: type[Spec]) -> list[inspect.Parameter]:
    """Return an option for every field; its value is None if it is not given."""
    made = []
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name == "task":
            continue
        help = field.metadata["help"]
        if field.default is not None and field.default is not False:
            help += f" Default: {field.default}."
        flags = field.metadata["flags"] or f"--{field.name.replace('_', '-')}"
        type_ = _click_type(hints(kind)[field.name])
        option = typer.Option(flags, help=help, rich_help_panel=_panel(kind, field.name, field.metadata["of"]))
        made.append(_parameter(field.name, Annotated[type_ | None, option], None))  # type: ignore[valid-type]
    return made


def _panel(kind: type[Spec], name: str, of: tuple[str, ...]) -> str | None:
    """Return the title of the help's panel for an option."""
    if kind is Execution:
        return "Execution"
    return "Network or program" if name in NETWORK else "Task" if TASK in of else None


def _folder_options() -> list[inspect.Parameter]:
    text = "Folder for champion, history, checkpoint."
    folder = out_option(text)
    record = file_option("Recording of the champion: champion.mcap.")
    resume = typer.Option("--resume", help="Resume the evolution in the folder --out.", rich_help_panel=FILES)
    return [
        _parameter("out", Annotated[Path | None, folder], None),
        _parameter("record", Annotated[Path | None, record], None),
        _parameter("force", Force, False),
        _parameter("resume", Annotated[bool, resume], False),
        _parameter("json", Json, False),
    ]


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _plain(hint: Any) -> Any:
    """Return a field's type without its annotations, and without None."""
    if get_origin(hint) in (Union, UnionType):
        hint = next(choice for choice in get_args(hint) if choice is not type(None))
    return _plain(get_args(hint)[0]) if get_origin(hint) is Annotated else hint


def _click_type(hint: Any) -> type:
    plain = _plain(hint)
    return plain if plain in (bool, int, float) else str


def _read(field: Field[Any], hint: Any, value: Any) -> Any:
    """Convert a typed value for the library; lists of numbers are typed as 8x8 or 8,4."""
    plain = _plain(hint)
    if value is None or get_origin(plain) is not tuple:
        return value
    if NUMBERS.fullmatch(value) is None:
        raise PaddockError(f"--{field.name}: expected numbers such as {field.metadata['example']}, got {value!r}")
    numbers = tuple(int(number) for number in re.findall(r"\d+", value))
    alike = len(numbers) == 1 and Ellipsis not in get_args(plain)  # --size 8 is 8x8
    return numbers * len(get_args(plain)) if alike else numbers


evolve = study_app.command("evolve")(make_command())


@study_app.command()
def sweep(
    file: Annotated[Path, typer.Argument(help="The TOML file of the sweep.")],
    out: Annotated[
        Path | None,
        out_option("Folder for tables and charts. Default: runs/NAME."),
    ] = None,
    workers: Workers = None,
    run: Annotated[
        int | None, typer.Option(min=1, help="Execute only the run with this number, without writing files.")
    ] = None,
    json: Json = False,
) -> None:
    """Run worlds × robots × controllers × parameters × seeds, and write one table with confidence intervals.

    To resume a sweep that was stopped or killed, run the same command again; finished runs are not repeated. Failed
    runs are listed, each with the command that repeats it. The exit status is then 1.

      paddock study sweep sweep.toml
      paddock study sweep sweep.toml --workers ray --out runs/avoid
      paddock study sweep sweep.toml --run 17
    """
    if run is not None and out is not None:
        raise typer.BadParameter("--out: leave it out: --run executes a single run without writing files")
    from paddock.cli.study_runs import run_sweep
    from paddock.core.jobs import parse_workers

    if not run_sweep(file, out=out, workers=parse_workers(workers), run=run, json_lines=json):
        raise typer.Exit(1)


@study_app.command()
def reproduce(
    name: Annotated[
        str,
        typer.Argument(
            help="wall-follower, epuck-framework, rossum, ecoli-walk, ap2dx, or all.",
            autocompletion=complete(list_reproductions),
        ),
    ],
    json: Json = False,
    out: Annotated[
        Path | None,
        out_option("Folder for the report. Finished runs in it are kept."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Number of seeds. Default: as many as the claims need.")
    ] = None,
    workers: Workers = None,
) -> None:
    """Repeat a published experiment, and print the published numbers next to Paddock's.

    The exit status is 0 unless a claim fails. Claims that need more seeds than --seeds say so and do not fail.
    To resume a reproduction that was stopped or killed, run the same command with --out again.

      paddock study reproduce wall-follower
      paddock study reproduce epuck-framework --seeds 2 --out report
    """
    from paddock.cli.study_runs import print_reproductions
    from paddock.core.jobs import parse_workers

    if not print_reproductions(name, json_lines=json, out=out, seeds=seeds, workers=parse_workers(workers)):
        raise typer.Exit(1)
