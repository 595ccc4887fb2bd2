"""The tokens of a class: its file secrets.toml, which only its owner may read."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from paddock.core.errors import SpecError
from paddock.core.files import write_text
from paddock.core.spec import Spec, spec_from_table
from paddock.core.toml import read_toml_file
from paddock.teaching.classroom.class_spec import Token

LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # without characters that look alike
HEADER = """\
# Anyone with a token can join the class. Do not share this file, and do not put it under version control.
# To replace the token of a student: paddock class new-token FOLDER NAME

"""


def new_token() -> str:
    """Return a random token (80 bits) that is easy to type from paper."""
    return "-".join("".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(4))


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassKeys(Spec):
    """The tokens of the supervisor, the projector and all students."""

    supervisor: Token
    projector: Token
    students: Mapping[str, Token] = field(default_factory=dict)  # by the names of their robots

    def check(self) -> None:
        holders: dict[str, str] = {}
        students = [(f"students.{robot}", token) for robot, token in self.students.items()]
        for holder, token in [("supervisor", self.supervisor), ("projector", self.projector), *students]:
            if token in holders:
                raise SpecError(f"expected different tokens, but {holders[token]} has the same one", path=holder)
            holders[token] = holder

    def with_tokens_for(self, robots: Iterable[str]) -> ClassKeys:
        """Return the tokens with new ones for robots that have none; keep existing tokens."""
        missing = {robot: new_token() for robot in robots if robot not in self.students}
        return replace(self, students={**self.students, **missing}) if missing else self


def read_keys(file: Path) -> ClassKeys:
    """Read the tokens from a file; create new ones if the file does not exist."""
    if not file.exists():
        return ClassKeys(supervisor=new_token(), projector=new_token())
    return spec_from_table(ClassKeys, read_toml_file(file), file=str(file))


def write_keys(file: Path, keys: ClassKeys) -> None:
    """Replace the file."""
    write_text(file, HEADER + keys.to_toml(), private=True)
