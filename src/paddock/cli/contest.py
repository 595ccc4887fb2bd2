"""`paddock class contest`: leagues and elimination brackets between submitted files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paddock.core.errors import PaddockError
from paddock.core.terminal.shared_options import Json, Unprotected, Workers, out_option
from paddock.core.terminal_text import shell_word

if TYPE_CHECKING:
    from paddock.teaching.contests import Entrant

contest_app = typer.Typer(help="Contests of submitted files: leagues and elimination.", no_args_is_help=True)
ContestFile = Annotated[Path, typer.Argument(help="The contest.toml.")]
Submissions = Annotated[
    Path | None,
    typer.Option(help="Folder with NAME.py or NAME/controller.py. Default: submissions/ next to the contest.toml."),
]
ClassPath = Annotated[Path | None, typer.Option("--class", help="Class folder whose submissions to use instead.")]
Exercise = Annotated[str | None, typer.Option(help="With --class: the exercise of the submissions.")]
Results = Annotated[
    Path | None,
    out_option("Folder for results. Default: results/ of the contest."),
]


@contest_app.command()
def new(
    folder: Annotated[Path, typer.Argument(help="The folder to create.")],
    game: Annotated[str, typer.Option(help="race, sumo, hill or maze.")] = "race",
) -> None:
    """Create a folder with a commented contest.toml, and two example controllers.

    paddock class contest new line-race
    paddock class contest new ring --game sumo
    """
    from paddock.teaching.contests import new_contest

    file = new_contest(folder, game)
    then = f"paddock class contest run {shell_word(file)}"
    typer.echo(f"wrote {file}; copy the submissions into {folder / 'submissions'}, then: {then}")


@contest_app.command()
def run(
    contest: ContestFile,
    submissions: Submissions = None,
    class_folder: ClassPath = None,
    exercise: Exercise = None,
    out: Results = None,
    workers: Workers = None,
    unprotected: Unprotected = False,
    json: Json = False,
) -> None:
    """Run all heats, and write tables, an HTML report and a recording of every heat.

    The same files and seed give the same results, to the last byte. To resume a contest that was stopped or killed, run
    the same command again; finished heats are not repeated.

      paddock class contest run line-race/contest.toml
      paddock class contest run contest.toml --submissions files --out results
      paddock class contest run contest.toml --class robotics-101 --exercise maze
      paddock record replay results/heats/001.mcap --open
    """
    from paddock.core.jobs import parse_workers
    from paddock.core.terminal.console import Console
    from paddock.core.terminal.ending import end_with_results
    from paddock.core.terminal.output_files import print_written
    from paddock.core.terminal.progress import show_runs
    from paddock.teaching.contests import load_contest, run_contest

    spec, aside = load_contest(contest), Console(stderr=True)
    folder = contest.parent / "results" if out is None else out
    entrants = _find_entrants(contest, submissions, class_folder, exercise, folder)
    with end_with_results(folder), show_runs(aside, spec.name, of="heats") as progress:
        run_contest(
            spec,
            entrants,
            out=folder,
            workers=parse_workers(workers),
            progress=progress,
            unprotected=unprotected,
        )
    show(folder, json=json)
    print_written(folder, ": report.html, results.csv, standings.csv, heats/", err=True)


@contest_app.command()
def show(
    results: Annotated[Path, typer.Argument(help="The folder with the results.")],
    heats: Annotated[bool, typer.Option("--heats", help="Print all heats instead of the standings.")] = False,
    json: Json = False,
) -> None:
    """Print the standings of a contest, or all its heats.

    paddock class contest show line-race/results
    paddock class contest show line-race/results --heats
    """
    from paddock.core.terminal.console import print_json
    from paddock.report.tables import make_console, print_table
    from paddock.teaching.contests.contest_files import read_results, read_standings
    from paddock.teaching.contests.contest_report import tabulate_heats, tabulate_standings

    rows = read_results(results) if heats else read_standings(results)
    if json:
        for row in rows:
            print_json(row)
    else:
        print_table(
            make_console(), "Heats" if heats else "Standings", (tabulate_heats if heats else tabulate_standings)(rows)
        )


def _find_entrants(
    contest: Path, submissions: Path | None, class_folder: Path | None, exercise: str | None, out: Path
) -> Sequence[Entrant]:
    from paddock.teaching.contests import collect_entrants, find_entrants

    if class_folder is None and exercise is None:
        return find_entrants(contest.parent / "submissions" if submissions is None else submissions)
    if submissions is not None or class_folder is None or exercise is None:
        raise PaddockError("expected either --submissions FOLDER, or both --class FOLDER and --exercise NAME")
    return collect_entrants(class_folder, exercise, out / "submissions")
