"""Fail if code or documentation uses a word that CONTRIBUTING.md replaces with an established term.

Also fail if a text of the library names a command-line option, because Python callers have none. A whole command in
backquotes is allowed.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^\| (?P<avoid>[^|]+) \| (?P<use>[^|]+) \|$", re.MULTILINE)
FLAG = re.compile(r"(?<=[ (])--[a-z][a-z-]+")
COMMAND = re.compile(r"`[^`]*`|^paddock .*", re.DOTALL)  # options are allowed in these
COMMAND_LINE = ("src/paddock/cli/", "src/paddock/core/terminal/", "src/paddock/experiments/ecoli/commands/")
SEARCHED = ("src/**/*.py", "src/**/*.js", "docs/**/*.md", "README.md", "examples/**/*.py")


def read_glossary() -> dict[str, str]:
    """Return the words to avoid, each with its replacement."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = ROW.findall(text[text.index("## Words") :])[2:]  # without the table header and the line below it
    return {word.strip(): use for avoid, use in rows for word in avoid.split(",")}


def find_words(glossary: dict[str, str]) -> list[str]:
    """Return each occurrence of a word to avoid, as `file:line: word: use …`."""
    pattern = re.compile(rf"(?<![\w'])({'|'.join(re.escape(word) for word in glossary)})(?![\w'])")
    found = []
    for path in sorted({path for place in SEARCHED for path in ROOT.glob(place)}):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for match in pattern.findall(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {match}: use {glossary[match]}")
    return found


def find_flags(paths: Iterable[Path]) -> list[str]:
    """Return each text of the library that names a command-line option, as `file:line: --option: …`."""
    found = []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        if FLAG.search(text):
            for line, part in iterate_texts(ast.parse(text)):
                for flag in FLAG.findall(COMMAND.sub("", part)):
                    found.append(f"{path.relative_to(ROOT)}:{line}: {flag}: say it without the command line's options")
    return found


def is_command_line(path: Path) -> bool:
    """Return whether a file belongs to the command line itself."""
    return path.relative_to(ROOT).as_posix().startswith(COMMAND_LINE)


def iterate_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield all string literals except docstrings, with their lines; an ellipsis replaces f-string expressions."""
    inside = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inside | docstrings:
            yield node.lineno, node.value


if __name__ == "__main__":
    library = [path for path in sorted(ROOT.glob("src/**/*.py")) if not is_command_line(path)]
    problems = [*find_words(read_glossary()), *find_flags(library)]
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    sys.exit(1 if problems else 0)
