"""Similar submissions: pairs that share much of their text once names, numbers and comments are left out.

It is pointed out, no more: programs for the same task are alike. What the starter code holds does not count, nor what
most submissions share.
"""

from __future__ import annotations

import io
import keyword
import token
import tokenize
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

LENGTH = 12  # tokens of a piece
COMMON = 0.5  # pieces that more than this share of all submissions have do not count
FEWEST = 24  # pieces that must be left to be compared
MOST = 200_000  # letters of a submission that are compared
ALIKE = 0.6  # share of the smaller one's pieces from which a pair is named
SKIPPED = {token.NEWLINE, token.INDENT, token.DEDENT, tokenize.NL, tokenize.COMMENT, token.ENDMARKER, token.ENCODING}

Piece = tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SimilarPair:
    """Two submissions, and the share of the smaller one's pieces that the other has, too."""

    first: str
    second: str
    share: float
    exact_share: float  # the same, of pieces with their numbers: whoever copies changes names, but rarely all numbers


def find_similar(programs: Mapping[str, str], starter: str = "") -> list[SimilarPair]:
    """The pairs that are worth a look, the most similar first.

    Args:
        programs: the text of every submission, by name.
        starter: what all were given.
    """
    loose, exact = (_rare_pieces(programs, starter, numbers=numbers) for numbers in (False, True))
    found = []
    for first, second in combinations(sorted(programs), 2):
        share, exactly = _share(loose[first], loose[second]), _share(exact[first], exact[second])
        if max(share, exactly) >= ALIKE:
            found.append(SimilarPair(first=first, second=second, share=max(share, exactly), exact_share=exactly))
    return sorted(found, key=lambda pair: (-pair.exact_share, -pair.share, pair.first, pair.second))


def _rare_pieces(programs: Mapping[str, str], starter: str, *, numbers: bool) -> dict[str, set[Piece]]:
    """The pieces of each program that neither the starter code holds, nor most of the others."""
    given = set(_pieces(list_tokens(starter, numbers=numbers)))
    pieces = {name: set(_pieces(list_tokens(text, numbers=numbers))) - given for name, text in programs.items()}
    owners = Counter(piece for own in pieces.values() for piece in own)
    most = max(2.0, COMMON * len(programs))
    return {name: {piece for piece in own if owners[piece] <= most} for name, own in pieces.items()}


def _share(first: set[Piece], second: set[Piece]) -> float:
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller >= FEWEST else 0.0


def read_programs(files: Mapping[str, Iterable[Path]]) -> dict[str, str]:
    """The text of all Python files of each, one after the other; of long ones the beginning."""
    return {
        name: "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in own if path.suffix == ".py")[
            :MOST
        ]
        for name, own in files.items()
    }


def list_tokens(text: str, *, numbers: bool = False) -> list[str]:
    """The tokens of a program without comments and line breaks; all names are alike, and all numbers unless wanted."""
    found: list[str] = []
    try:
        for kind, word, *_ in tokenize.generate_tokens(io.StringIO(text).readline):
            if kind in SKIPPED:
                continue
            if kind == token.NAME and not keyword.iskeyword(word):
                word = "n"
            elif kind == token.STRING or (kind == token.NUMBER and not numbers):
                word = "0"
            found.append(word)
    except (tokenize.TokenError, SyntaxError):  # as far as it can be read
        pass
    return found


def _pieces(tokens: Sequence[str]) -> Iterable[Piece]:
    return (tuple(tokens[first : first + LENGTH]) for first in range(len(tokens) - LENGTH + 1))
