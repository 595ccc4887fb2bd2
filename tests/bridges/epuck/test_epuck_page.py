"""The examples of docs/bridges/epuck.md run against emulators, and its table of devices is complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import paddock
from paddock.bridges.epuck import EPuckEmulators
from paddock.simulation.robots import load_robot

PAGE = Path(__file__).parents[3] / "docs" / "bridges/epuck.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_the_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("serial", reason="pip install pyserial")
    pytest.importorskip("pty", reason="no pseudo terminals here")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    blocks = re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 4
    with (
        paddock.open("line-crossing", seed=2) as arena,
        EPuckEmulators(arena, serial=["red"], wifi={"blue": 0}) as emulators,
    ):
        for block in blocks:
            code = block.replace("/dev/rfcomm0", emulators.devices["red"])
            code = code.replace("192.168.1.20", "{}:{}".format(*emulators.addresses["blue"]))
            exec(compile(code, str(PAGE), "exec"), names)
    assert (tmp_path / "seen.png").exists()


def test_table_of_devices_is_complete() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (✓?) ?\| (✓?) ?\|", TEXT, re.MULTILINE)
    for column, kind in ((1, "e-puck"), (2, "e-puck2")):
        told = {row[0] for row in rows if row[column]}
        assert told == {sensor.name for sensor in load_robot(kind).sensors if sensor.kind != "position"}
