"""Generate the reference of the protocol's messages from their structs: docs/network/protocol-messages.md.

`python tools/generate_protocol.py` writes the page; with `--check` it fails if the page is out of date. Docstrings and
the comments of fields become the text, annotations the types and limits.
"""

from __future__ import annotations

import ast
import inspect
import io
import json
import re
import sys
import textwrap
import tokenize
import types
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec

from paddock.core.observation import Command
from paddock.network.protocol import MINOR, VERSION, messages
from paddock.network.protocol.messages import (
    ANSWERS,
    REQUESTS,
    Finite,
    Int64,
    Measured,
    Message,
    MessagePart,
    Numbers,
    Text,
    TomlTable,
)

PAGE = Path(__file__).parents[1] / "docs" / "network" / "protocol-messages.md"
HEAD = f"""# Messages of the protocol

This page lists every message of the protocol, version {VERSION}.{MINOR}, with its fields. [protocol.md](protocol.md)
explains transport, encodings, versions, roles and time. The page is generated: `python tools/generate_protocol.py`.

Lengths are in metres, angles in radians, times in seconds. Ticks count from the start. The types are those of
[Encoding](protocol.md#encoding).
"""
WORDS: dict[Any, str] = {
    bool: "bool",
    int: "int",
    float: "number",
    str: "text",
    bytes: "bytes",
    Numbers: "numbers",
    TomlTable: "table",
}
WORDS |= {Finite: "number", Int64: "int", Text: "text", Measured: "number"}
ROLE = re.compile(r"\((supervisor|controller)\)")
ANSWER = re.compile(r"→ `(\w+)`")
SECTIONS = re.compile(r"\bsee (Bodies|Time|Versions)\b")  # of the page that is written by hand

PARTS: dict[str, Any] = {"Command": Command} | {
    name: cls
    for name, cls in sorted(vars(messages).items())
    if isinstance(cls, type)
    and issubclass(cls, MessagePart)
    and not issubclass(cls, Message)
    and cls is not MessagePart
}


def describe_type(hint: Any) -> str:
    """Return the words for an annotation, with its limits."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in WORDS:
        return WORDS[hint]
    if origin is Annotated:
        inner, limits = arguments
        is_container = get_origin(inner) in (tuple, dict)
        return describe_type(inner) if is_container else f"{WORDS[inner]}, {describe_limits(limits)}"
    if origin in (Union, types.UnionType):
        return " or ".join("null" if choice is type(None) else describe_type(choice) for choice in arguments)
    if origin is tuple and arguments[-1] is Ellipsis:
        return f"list of {describe_type(arguments[0])}"
    if origin is tuple:
        return f"[{', '.join(describe_type(item) for item in arguments)}]"
    if origin in (dict, Mapping):
        return f"map of {describe_type(arguments[1])}"
    name = hint.__name__.lower()
    return f"[{hint.__name__}](#{name}{'-1' if name in (*REQUESTS, *ANSWERS) else ''})"


def describe_limits(limits: msgspec.Meta) -> str:
    """Return the limits of a text or a number."""
    if limits.max_length is not None:
        return f"≤ {limits.max_length} characters"
    return f"> {limits.gt} … {limits.le}" if limits.gt is not None else f"{limits.ge} … {limits.le}"


def describe_default(field: msgspec.structs.FieldInfo) -> str:
    """Return the default of a field as JSON, or `required`."""
    if field.required:
        return "required"
    if field.default is msgspec.NODEFAULT:
        return "`{}`"
    return f"`{json.dumps('' if field.default == b'' else field.default)}`"


def read_comments(cls: type) -> dict[str, str]:
    """Return the comment of every field that has one."""
    source = textwrap.dedent(inspect.getsource(cls))
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = {token.start[0]: token.string.removeprefix("# ") for token in tokens if token.type == tokenize.COMMENT}
    fields = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.AnnAssign)]
    return {ast.unparse(node.target): comments[node.lineno] for node in fields if node.lineno in comments}


def wrap(text: str) -> str:
    """Return a paragraph in lines."""
    return textwrap.fill(text, 130, break_long_words=False, break_on_hyphens=False)


def write_text(text: str) -> str:
    """Return a text of the code as the page writes it, with JSON's word for None."""
    return SECTIONS.sub(lambda m: f"see [{m[1]}](protocol.md#{m[1].lower()})", re.sub(r"\bNone\b", "`null`", text))


def write_docstring(cls: type) -> str:
    """Return the docstring of a class, with links to the messages that it names."""
    text = " ".join((inspect.getdoc(cls) or "").split())
    own = getattr(cls, "type", "")
    known = {name for name in (*REQUESTS, *ANSWERS) if name != own}
    linked = re.sub(r"`(\w+)`", lambda m: f"[{m[0]}](#{m[1]})" if m[1] in known else m[0], write_text(text))
    return wrap(linked)


def write_fields(cls: Any) -> str:
    """Return the table of the fields of a class, without the `id` of requests and their answers."""
    hints, comments = typing.get_type_hints(cls, include_extras=True), read_comments(cls)
    rows = [
        f"| `{field.name}` | {describe_type(hints[field.name])} | {describe_default(field)} "
        f"| {write_text(comments.get(field.name, '–'))} |\n"
        for field in msgspec.structs.fields(cls)
        if field.name != "id" or not field.required
    ]
    return "".join(["\n| field | type | default | meaning |\n|---|---|---|---|\n", *rows]) if rows else ""


def write_section(title: str, intro: str, classes: Iterable[tuple[str, type]]) -> str:
    """Return a section with a heading for each class."""
    entries = [f"\n### {name}\n\n{write_docstring(cls)}\n{write_fields(cls)}" for name, cls in classes]
    return "".join([f"\n## {title}\n\n{intro}\n", *entries])


def write_overview() -> str:
    """Return the table of all requests, with the role that each needs, and the list of all other messages."""
    rows = []
    for name, cls in REQUESTS.items():
        doc = inspect.getdoc(cls) or ""
        role, answer = ROLE.search(doc), ANSWER.search(doc)
        answered = f"[`{answer[1]}`](#{answer[1]})" if answer else "–"
        rows.append(f"| [`{name}`](#{name}) | {role[1] if role else 'viewer'} | {answered} |\n")
    links = wrap("From the server: " + ", ".join(f"[`{name}`](#{name})" for name in ANSWERS) + ".")
    table = "".join(["| to the server | role, at least | answer |\n|---|---|---|\n", *rows])
    return f"\n## All messages\n\n{table}\n{links}\n"


def write_page() -> str:
    """Return the whole page."""
    requests = "Every answered request has a field `id` (int, 0 … 2147483647) in addition to the fields listed here."
    answers = "The answer to a request has its `id`. A message without an `id` is a notification."
    parts = "These structures are values of fields."
    return "".join(
        [
            HEAD,
            write_overview(),
            write_section("Requests", requests, ((f"`{name}`", cls) for name, cls in REQUESTS.items())),
            write_section("Answers and notifications", answers, ((f"`{name}`", cls) for name, cls in ANSWERS.items())),
            write_section("Parts of messages", parts, PARTS.items()),
        ]
    )


def main() -> int:
    """Write or check the page."""
    text = write_page()
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    if "--check" in sys.argv[1:]:
        sys.stderr.write(f"{PAGE}: stale: run python tools/generate_protocol.py\n")
        return 1
    PAGE.write_text(text, encoding="utf-8")
    sys.stderr.write(f"{PAGE}: written\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
