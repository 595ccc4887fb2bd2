"""The protocol's pages: the generated one lists every message, and the example session of the other one is correct."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

import paddock
from paddock.core import errors
from paddock.network.protocol import VERSION, messages
from paddock.network.protocol import message_base as base
from paddock.network.protocol.frames import BODY
from paddock.network.protocol.messages import ANSWERS, REQUESTS
from paddock.network.server import Server, Settings
from paddock.network.server.core import connection as connections
from paddock.network.server.core import core_requests, ownership, uploads

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/network/protocol.md").read_text(encoding="utf-8")
MESSAGES = (ROOT / "docs/network/protocol-messages.md").read_text(encoding="utf-8")


def sections(page: str) -> dict[str, str]:
    """The text below every heading, by the heading."""
    parts = re.split(r"^##+ (.*)\n", page, flags=re.MULTILINE)
    return {title.strip("`"): text for title, text in zip(parts[1::2], parts[2::2], strict=True)}


def test_generated_page_is_up_to_date() -> None:
    """`python tools/generate_protocol.py` writes it."""
    subprocess.run([sys.executable, ROOT / "tools/generate_protocol.py", "--check"], check=True)


@pytest.mark.parametrize("kind", [*REQUESTS, *ANSWERS])
def test_generated_page_has_a_section_for_every_message(kind: str) -> None:
    text = sections(MESSAGES)[kind]
    fields = (REQUESTS | ANSWERS)[kind].__struct_fields__
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) | {"id"} == {*fields, "id"}
    assert text.strip()[0].isupper()


def test_generated_page_shows_types_limits_and_meanings() -> None:
    rows = MESSAGES.splitlines()
    assert "| `robot` | text, ≤ 64 characters | required | one of yours |" in rows
    assert (
        "| `timeout` | number, > 0 … 3600 | `10.0` | maximum time [s] until the next `step` while others wait |" in rows
    )
    assert "| `commands` | map of [Command](#command-1) | `{}` | by robot; applied first |" in rows
    assert "| [`reset`](#reset) | supervisor | [`done`](#done) |" in rows
    assert "| [`command`](#command) | controller | – |" in rows


def test_page_documents_every_byte_of_body_record() -> None:
    words = {"<f4": "float32", "<i2": "int16", "<u2": "uint16", "|u1": "uint8"}
    expected = [(str(BODY.fields[name][1]), name, words[BODY.fields[name][0].str]) for name in BODY.names]  # type: ignore[index,union-attr]
    assert re.findall(r"^\| (\d+) \| `(\w+)` \| (\w+) \|", PAGE, re.MULTILINE) == expected
    assert f"{BODY.itemsize} bytes" in PAGE


def test_table_of_errors_names_only_existing_classes() -> None:
    named = re.findall(r"^\| `([A-Z]\w+)` \|", sections(PAGE)["Errors"], re.MULTILINE)
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
        "subscriptions of a client": core_requests.MAX_SUBSCRIPTIONS,
        "snapshots of a client": core_requests.MAX_SNAPSHOTS,
    }
    told = dict(re.findall(r"^\| ([^|]+) \| (\d[\d ]*\b)", sections(PAGE)["Limits"], re.MULTILINE))
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
    message.pop("robot_types", None)  # left out on the page
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
