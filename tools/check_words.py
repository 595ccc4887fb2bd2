"""Fail where code or documentation uses a word that CONTRIBUTING.md replaces by the field's own."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^\| (?P<avoid>[^|]+) \| (?P<use>[^|]+) \|$", re.MULTILINE)
SEARCHED = ("src/**/*.py", "src/**/*.js", "docs/*.md", "README.md", "examples/**/*.py")


def read_glossary() -> dict[str, str]:
    """The words to avoid, each with the word to use."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = ROW.findall(text[text.index("## Words") :])[2:]  # without the head and the line below it
    return {word.strip(): use for avoid, use in rows for word in avoid.split(",")}


def find_words(glossary: dict[str, str]) -> list[str]:
    """Each place of a word to avoid, as `file:line: word: use …`."""
    pattern = re.compile(rf"(?<![\w'])({'|'.join(re.escape(word) for word in glossary)})(?![\w'])")
    found = []
    for path in sorted({path for place in SEARCHED for path in ROOT.glob(place)}):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for match in pattern.findall(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {match}: use {glossary[match]}")
    return found


if __name__ == "__main__":
    problems = find_words(read_glossary())
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    sys.exit(1 if problems else 0)
