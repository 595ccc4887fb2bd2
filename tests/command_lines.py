"""The command lines that documentation, messages and examples show, checked against the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from paddock.cli.app import app

SUFFIXES = {".md", ".py", ".toml", ".po", ".js", ".html", ".java", ".ipynb", ".mjs", ""}
ROOT = Path(__file__).parents[1]
PLACES = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", ".ci/run", "docs/**/*.md", "examples/**/*"),
    *("src/paddock/**/*.py", "src/paddock/**/*.toml", "src/paddock/**/*.md", "src/paddock/**/*.po"),
    *("src/paddock/**/*.js", "src/paddock/**/*.html", "clients/**/*.java", "clients/**/*.py", "benchmarks/**/*.py"),
)
# A command begins a line, or follows a quotation mark, a prompt, or the path of the program.
BEGINS = re.compile(
    r"(?:^[ \t#/*$]*|[`'\"(]|bin/|: {1,2}|: +#? *|and |or )paddock (?=[a-z-])([^`\n]*(?:\n[^`\n]*`)?)", re.MULTILINE
)
ENDS = re.compile(r"[;|>&)\"'`]|\s#|\s\s\s|\\n|,\s|\.\s|\.$|:\s|:$| … | → ")
OPTION = re.compile(r"(?<=\s)(--?[a-z][a-z0-9-]*)")
FORMAT = re.compile(r"[a-z]+ \d+")  # of a file, such as `paddock trace 1`
ROOT_COMMAND: Any = get_command(app)


def list_files() -> Iterator[Path]:
    """Yield the text files that may show commands."""
    for place in PLACES:
        for path in sorted(ROOT.glob(place)):
            if path.is_file() and path.suffix in SUFFIXES:
                yield path


def find_commands(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and the words after `paddock` of every command in a text."""
    for match in BEGINS.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, ENDS.split(" ".join(match[1].split("\n")), maxsplit=1)[0]


def list_paths(command: Any = ROOT_COMMAND, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command, groups too, with the words that lead to it."""
    yield path, command
    for name, each in getattr(command, "commands", {}).items():
        yield from list_paths(each, (*path, name))


def explain_mistake(line: str) -> str:
    """Return what is wrong with the words after `paddock`; empty if they name a command and options that it has."""
    words, command = line.split(), ROOT_COMMAND
    if FORMAT.fullmatch(line):
        return ""
    while words and hasattr(command, "commands") and not words[0].startswith("-"):
        if not re.fullmatch(r"[a-z0-9-]+", words[0]):
            return ""  # such as NAME, or …
        if words[0] not in command.commands:
            return f"no command {words[0]!r}"
        command = command.commands[words.pop(0)]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    unknown = [option for option in OPTION.findall(" " + " ".join(words)) if option not in {*known, "--help"}]
    return f"no option {', '.join(unknown)}" if unknown else ""
