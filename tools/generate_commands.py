"""Generate `docs/commands.md`, the reference of the command line, from the commands themselves.

`python tools/generate_commands.py` writes the page; with `--check` it fails if the page is out of date.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from paddock.bridges.common.bridge import describe_bridges
from paddock.cli.app import app

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
HEAD = """# Commands

All commands of `paddock`, generated from the code by `tools/generate_commands.py`. `paddock --help` lists them in the
terminal, and `--help` after any command explains it. `paddock --install-completion` lets the shell complete commands,
worlds, robots, scenarios, exercises and bridges.
"""


def write_page() -> str:
    """Return the text of the page."""
    root: Any = get_command(app)
    lines = [HEAD]
    for name, command in root.commands.items():
        lines += [f"\n## {name}\n", *describe_command(command, ("paddock", name), level=3)]
        if name == "serve":
            lines += ["\nThe bridges and their values, as `paddock serve --bridges` prints them:\n"]
            lines += ["\n| `--bridge` | is for |\n|---|---|\n"]
            lines += [f"| `{each.syntax.replace('|', ' or ')}` | {each.meaning} |\n" for each in describe_bridges()]
    return "".join(lines)


def describe_command(command: Any, path: tuple[str, ...], *, level: int) -> Iterator[str]:
    """Yield the lines of a command, and those of the commands below it."""
    if hasattr(command, "commands"):
        yield f"\n{command.help}\n"
        for name, each in command.commands.items():
            yield f"\n{'#' * level} {' '.join((*path[1:], name))}\n"
            yield from describe_command(each, (*path, name), level=level + 1)
        return
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    for paragraph in paragraphs:
        code = textwrap.dedent(paragraph)
        if paragraph.startswith((" ", "paddock ")):
            yield f"\n```{'python' if code.startswith('def ') else 'sh'}\n{code}\n```\n"
        else:
            yield f"\n{' '.join(paragraph.split())}\n"
    rows = list(list_parameters(command, " ".join(path)))
    if rows:
        yield "\n| | |\n|---|---|\n"
        yield from rows


def list_parameters(command: Any, path: str) -> Iterator[str]:
    """Yield a row for every argument and option of a command."""
    context = command.context_class(command, info_name=path)
    for parameter in command.params:
        value = parameter.display_type_rich(context).strip("<>")
        if parameter.param_type_name == "argument":
            names = f"`{parameter.display_name_raw.upper()}`"
        else:
            options = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts) if name.strip())
            names = options + (f" {value}" if value else "")
        default = parameter.default
        has_default = isinstance(default, str | int | float | Path) and not isinstance(default, bool) and default != ""
        told = f" Default: {default}." if has_default and "efault" not in parameter.help else ""
        yield f"| {names} | {parameter.help.replace('|', ' or ')}{told} |\n"


if __name__ == "__main__":
    text = write_page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PAGE}: stale: run python tools/generate_commands.py")
