"""`paddock evolve`: its options are generated from those of the library, so that each is declared once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import Field, fields
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import typer

from paddock.cli.options import Force
from paddock.cli.run_command import refuse_old_recording
from paddock.core.errors import PaddockError
from paddock.core.spec import Spec, hints
from paddock.learning.evolve.options import EvolutionConfig, Execution

NUMBERS = re.compile(r"\s*(\d{1,9}(\s*[x×,]\s*\d{1,9})*)?\s*")


def make_command() -> Callable[..., None]:
    """Return the command for typer: a function with a parameter for every option."""

    def evolve(
        task: str | None, out: Path | None, record: Path | None, force: bool, resume: bool, json: bool, **options: Any
    ) -> None:
        """Evolve a controller: a network, a program or a growing network (NEAT), evaluated in many worlds at once.

        After Ctrl-C or SIGTERM, the best individual so far is saved. The same seed gives the same champion, to the last
        bit, on any number of cores.

          paddock evolve maze --out runs/maze
          paddock run runs/maze/world.toml --policy runs/maze/champion.npz --seed 0 --seconds 60
          paddock evolve --resume --out runs/maze --generations 400
          paddock evolve maze --mazes 20 --strategy cma --until-solved --test 100
          paddock evolve avoid --strategy cma --population 32 --generations 50
          paddock evolve avoid --generations 20 --record champion.mcap
          paddock evolve my_tasks:far_and_wide --world clutter
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
        made.append(_parameter(field.name, Annotated[type_ | None, typer.Option(flags, help=help)], None))  # type: ignore[valid-type]
    return made


def _folder_options() -> list[inspect.Parameter]:
    folder = typer.Option(help="Folder for champion, learning curve, history and checkpoint.")
    record = typer.Option(help="Record a drive of the champion in the first world as an MCAP file: champion.mcap.")
    resume = typer.Option("--resume", help="Resume the evolution in the folder --out.")
    json = typer.Option("--json", help="Print the summary as one JSON object.")
    return [
        _parameter("out", Annotated[Path | None, folder], None),
        _parameter("record", Annotated[Path | None, record], None),
        _parameter("force", Force, False),
        _parameter("resume", Annotated[bool, resume], False),
        _parameter("json", Annotated[bool, json], False),
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


evolve = make_command()
