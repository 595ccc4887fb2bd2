"""The examples of docs/bridges/coppelia/zmq.md run unchanged."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bridges.coppelia.coppelia_fixtures import new_client, served
from paddock.bridges.coppelia.zmq_link import connect_coppelia
from paddock.core.errors import LinkError
from pages import DOCS, run_examples

PAGE = DOCS / "bridges/coppelia/zmq.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    run_examples(PAGE)
    assert capsys.readouterr().out.split()[1] == "5.0"


def test_program_of_the_page_drives_a_robot() -> None:
    program, at_once = re.findall(r"^```py\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    lines = program.replace("RemoteAPIClient()", "client").replace("< 20", "< 2").replace("sim.stopSimulation()", "")
    with served() as bridge:
        client = new_client(bridge)
        names: dict[str, Any] = {"client": client}
        exec(compile(lines, str(PAGE), "exec"), names)
        assert client.require("sim").getSimulationTime() == pytest.approx(2.0)
        assert bridge.arena["pioneer"].pose.x > 2.2
        exec(compile(at_once, str(PAGE), "exec"), names)
        assert len(names["distances"]) == 16


def test_every_link_option_is_documented() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", TEXT.split("| option of the URL |")[1], re.MULTILINE)
    with pytest.raises(LinkError) as refusal:
        connect_coppelia("coppelia://localhost?unknown=1")
    assert set(rows) == set(re.findall(r"\w+", str(refusal.value).split("there are:")[1]))
