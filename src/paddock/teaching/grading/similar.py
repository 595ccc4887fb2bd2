"""Find similar submissions: pairs that share much of their text, ignoring names, numbers and comments.

Similarity is only reported, because programs for the same task are similar. Parts of the starter code and parts that
most submissions share do not count.
"""

from __future__ import annotations

import io
import keyword
import token
import tokenize
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Literal

from paddock.teaching.exercises import Exercise
from paddock.teaching.exercises.exercise_spec import SOLUTION
from paddock.teaching.exercises.loader import exercise_folders, find_lecturers_folder

LENGTH = 12  # tokens of a piece
COMMON = 0.5  # pieces in more than this share of all submissions do not count
FEWEST = 24  # minimum number of remaining pieces for a comparison
MOST = 200_000  # maximum number of compared characters of a submission
ALIKE = 0.6  # minimum share of the smaller submission's pieces for a similar pair
SKIPPED = {token.NEWLINE, token.INDENT, token.DEDENT, tokenize.NL, tokenize.COMMENT, token.ENDMARKER, token.ENCODING}

Piece = tuple[str, ...]
Kind = Literal["similar", "equal"]


@dataclass(frozen=True, kw_only=True, slots=True)
class SimilarPair:
    """Two submissions, or one and a solution, and the share of the smaller one's pieces that the other one contains."""

    first: str
    second: str
    share: float
    exact_share: float  # the same for pieces including numbers: copies often have other names, but the same numbers
    kind: Kind = "similar"  # equal: a solution with the same tokens, apart from names and comments


def find_similar(programs: Mapping[str, str], starter: str = "") -> list[SimilarPair]:
    """Return the similar pairs, the most similar first.

    Args:
        programs: the text of every submission, by name.
        starter: the starter code.
    """
    loose, exact = (_rare_pieces(programs, starter, numbers=numbers) for numbers in (False, True))
    found = []
    for first, second in combinations(sorted(programs), 2):
        share, exactly = _share(loose[first], loose[second]), _share(exact[first], exact[second])
        if max(share, exactly) >= ALIKE:
            found.append(SimilarPair(first=first, second=second, share=max(share, exactly), exact_share=exactly))
    return sorted(found, key=lambda pair: (-pair.exact_share, -pair.share, pair.first, pair.second))


def find_copies(programs: Mapping[str, str], solutions: Mapping[str, str], starter: str = "") -> list[SimilarPair]:
    """Return the submissions that equal a solution or are similar to it, the most similar first.

    Pieces that most submissions share count here, because a whole class may have copied the solution.

    Args:
        programs: the text of every submission, by name.
        solutions: the text of every known solution, by a description.
        starter: the starter code.
    """
    everything, found = {**programs, **solutions}, []
    tokens = {name: list_tokens(text, numbers=True) for name, text in everything.items()}
    loose, exact = (_own_pieces(everything, starter, numbers=numbers) for numbers in (False, True))
    for name, solution in product(programs, solutions):
        equal = tokens[name] == tokens[solution]
        exactly = 1.0 if equal else _share(exact[name], exact[solution])
        share = max(exactly, 1.0 if equal else _share(loose[name], loose[solution]))
        if share >= ALIKE:
            kind: Kind = "equal" if equal else "similar"
            found.append(SimilarPair(first=name, second=solution, share=share, exact_share=exactly, kind=kind))
    return sorted(found, key=lambda pair: (-pair.exact_share, -pair.share, pair.first, pair.second))


def _rare_pieces(programs: Mapping[str, str], starter: str, *, numbers: bool) -> dict[str, set[Piece]]:
    """Return the pieces of each program that are neither in the starter code nor in most other programs."""
    pieces = _own_pieces(programs, starter, numbers=numbers)
    owners = Counter(piece for own in pieces.values() for piece in own)
    most = max(2.0, COMMON * len(programs))
    return {name: {piece for piece in own if owners[piece] <= most} for name, own in pieces.items()}


def _own_pieces(programs: Mapping[str, str], starter: str, *, numbers: bool) -> dict[str, set[Piece]]:
    """Return the pieces of each program that are not in the starter code."""
    given = set(_pieces(list_tokens(starter, numbers=numbers)))
    return {name: set(_pieces(list_tokens(text, numbers=numbers))) - given for name, text in programs.items()}


def _share(first: set[Piece], second: set[Piece]) -> float:
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller >= FEWEST else 0.0


def read_programs(files: Mapping[str, Iterable[Path]]) -> dict[str, str]:
    """Return the joined text of all Python files of each submission, truncated to MOST characters."""
    return {
        name: "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in own if path.suffix == ".py")[
            :MOST
        ]
        for name, own in files.items()
    }


def list_solutions(exercise: Exercise) -> dict[str, str]:
    """Return the text of all published solutions, and of the exercise's own, by description."""
    texts = {}
    for name, folder in exercise_folders().load_all().items():
        if (file := find_lecturers_folder(folder) / SOLUTION).is_file():
            texts[f"the shipped solution of {name}"] = read_programs({name: [file]})[name]
    if (own := exercise.path(SOLUTION)).is_file():
        text = read_programs({SOLUTION: [own]})[SOLUTION]
        if text not in texts.values():
            texts["the solution of the exercise"] = text
    return texts


def list_tokens(text: str, *, numbers: bool = False) -> list[str]:
    """Return the tokens of a program without comments and line breaks; names, and numbers by default, are all equal."""
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
    except (tokenize.TokenError, SyntaxError):  # use the tokens before the error
        pass
    return found


def _pieces(tokens: Sequence[str]) -> Iterable[Piece]:
    return (tuple(tokens[first : first + LENGTH]) for first in range(len(tokens) - LENGTH + 1))
