"""docs/protocol.md documents every message and field with type and default, and its example session is correct."""

from __future__ import annotations

import json
import re
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
import pytest
from websockets.sync.client import connect

import paddock
from network.protocol.samples import KNOWN
from paddock.core import errors
from paddock.core.observation import Command
from paddock.network.protocol import VERSION, messages
from paddock.network.protocol import message_base as base
from paddock.network.protocol.frames import BODY
from paddock.network.protocol.messages import ANSWERS, REQUESTS, Finite, Int64, Measured, Numbers, Table, Text
from paddock.network.server import Server, Settings
from paddock.network.server.core import clock_requests, ownership, robot_requests, uploads
from paddock.network.server.core import connection as connections

PAGE = (Path(__file__).parents[3] / "docs" / "protocol.md").read_text(encoding="utf-8")
PARTS = {
    cls.__name__: cls
    for cls in (Command, *vars(messages).values())
    if isinstance(cls, type) and issubclass(cls, msgspec.Struct) and not issubclass(cls, messages.Message)
    if cls not in (messages.MessagePart, msgspec.Struct)
}
WORDS = {bool: "bool", int: "int", float: "number", str: "text", bytes: "bytes", Numbers: "numbers", Table: "table"}
WORDS |= {Finite: "number", Int64: "int", Text: "text", Measured: "number"}


def sections() -> dict[str, str]:
    """The text below every heading, by the heading."""
    parts = re.split(r"^##+ (.*)\n", PAGE, flags=re.MULTILINE)
    return {title.strip("`"): text for title, text in zip(parts[1::2], parts[2::2], strict=True)}


def told(hint: Any) -> str:
    """A type as the page writes it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in WORDS:
        return WORDS[hint]
    if origin is Annotated:
        kind, limits = arguments
        return told(kind) if get_origin(kind) in (tuple, dict) else f"{WORDS[kind]}, {bounds(limits)}"
    if origin in (Union, types.UnionType):
        return " or ".join("null" if choice is type(None) else told(choice) for choice in arguments)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return f"list of {told(arguments[0])}"
        return f"[{', '.join(told(item) for item in arguments)}]"
    if origin in (dict, Mapping):
        return f"map of {told(arguments[1])}"
    return f"[{hint.__name__}](#{hint.__name__.lower()})"


def bounds(limits: msgspec.Meta) -> str:
    if limits.max_length is not None:
        return f"≤ {limits.max_length} characters"
    return f"> {limits.gt} … {limits.le}" if limits.gt is not None else f"{limits.ge} … {limits.le}"


def rows(cls: Any) -> dict[str, tuple[str, str]]:
    """Type and default of the fields of a class, without the id of requests, which is documented once."""
    hints = typing.get_type_hints(cls, include_extras=True)
    return {
        field.name: (told(hints[field.name]), default(field))
        for field in msgspec.structs.fields(cls)
        if field.name != "id" or not field.required
    }


def default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "required"
    if field.default is msgspec.NODEFAULT:
        return "`{}`"
    empty = field.default == b""  # as JSON has it
    return f"`{json.dumps('' if empty else field.default)}`"


def table_told(text: str) -> dict[str, tuple[str, str]]:
    found = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| [^|]+ \|$", text, re.MULTILINE)
    return {name: (kind, start) for name, kind, start in found}


@pytest.mark.parametrize("kind", KNOWN)
def test_page_documents_all_fields_of_message(kind: str) -> None:
    assert table_told(sections()[kind]) == rows(KNOWN[kind])


@pytest.mark.parametrize("part", PARTS)
def test_page_documents_all_fields_of_part(part: str) -> None:
    assert table_told(sections()[part]) == rows(PARTS[part])


@pytest.mark.parametrize("kind", REQUESTS)
def test_page_documents_answer_of_request(kind: str) -> None:
    answer = re.search(r"→ `(\w+)`", REQUESTS[kind].__doc__ or "")
    assert (answer is None) == (kind in ("steer", "got", "show", "goal_answer", "program_ended"))
    if answer is not None:
        assert f"→ [`{answer[1]}`](#{answer[1]})" in sections()[kind]


def test_every_message_is_in_overview_of_its_direction() -> None:
    overview = sections()["All messages"]
    up, down = overview.split("from the server", 1)
    assert set(re.findall(r"\(#(\w+)\)", up)) == set(REQUESTS)
    assert set(re.findall(r"\(#(\w+)\)", down)) == set(ANSWERS)


def test_page_documents_every_byte_of_body_record() -> None:
    words = {"<f4": "float32", "<i2": "int16", "<u2": "uint16", "|u1": "uint8"}
    expected = [(str(BODY.fields[name][1]), name, words[BODY.fields[name][0].str]) for name in BODY.names]  # type: ignore[index,union-attr]
    assert re.findall(r"^\| (\d+) \| `(\w+)` \| (\w+) \|", PAGE, re.MULTILINE) == expected
    assert f"{BODY.itemsize} bytes" in PAGE


def test_table_of_errors_names_only_existing_classes() -> None:
    named = re.findall(r"^\| `([A-Z]\w+)` \|", sections()["Errors"], re.MULTILINE)
    assert {"BadMessage", "Refused", "UnknownName", "DeviceNotEnabled", "SpecError", "VersionMismatch"} <= set(named)
    assert all(issubclass(getattr(errors, name), errors.PaddockError) for name in named)


def test_page_documents_limits() -> None:
    limits = {
        "a message to the server": connections.MAX_BYTES // 2**20,
        "messages of a client": connections.MAX_PER_SECOND,
        "clients": Settings().most_clients,
        "any other text": base.LONGEST_TEXT,
        "a list or a map": base.MAX_ENTRIES,
        "levels of a table": base.DEEPEST,
        "ticks of a `step`": messages.MAX_TICKS,
        "robots spawned by a client": ownership.MAX_SPAWNED,
        "sensors of an uploaded robot": uploads.MAX_ENTRIES["sensors"],
        "subscriptions of a client": robot_requests.MAX_SUBSCRIPTIONS,
        "snapshots of a client": clock_requests.MAX_SNAPSHOTS,
    }
    told = dict(re.findall(r"^\| ([^|]+) \| (\d[\d ]*\b)", sections()["Limits"], re.MULTILINE))
    assert {what: int(told[what].replace(" ", "")) for what in limits} == limits
    assert f"version **{VERSION}**" in PAGE


def session() -> list[tuple[str, dict[str, Any]]]:
    """Arrow and message of every line of the session."""
    (text,) = re.findall(r"^```text\n(# .*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return [(line[0], comparable(line[2:])) for line in text.splitlines() if line and line[0] != "#"]


def comparable(text: str) -> dict[str, Any]:
    """A message without values that depend on release or machine; specs are replaced by their names."""
    message: dict[str, Any] = json.loads(text, parse_float=lambda digits: round(float(digits), 6))
    message.pop("server", None)
    message["kinds"] = [kind["name"] for kind in message.get("kinds", ())]
    return message


def test_server_answers_as_in_documented_session() -> None:
    lines = session()
    with (
        paddock.open("empty") as arena,
        Server(arena, Settings(port=0, speed=None, lock_step=True)).in_background() as server,
        connect(server.url(scheme="ws")) as socket,
    ):
        for arrow, message in lines:
            if arrow == "→":
                socket.send(json.dumps({key: value for key, value in message.items() if key != "kinds"}))
            else:
                assert comparable(str(socket.recv())) == message
