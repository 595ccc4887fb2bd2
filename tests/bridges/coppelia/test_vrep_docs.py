"""The examples of docs/bridges/coppelia/vrep.md run unchanged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import paddock
from paddock.bridges.common.scene_world import ArenaWorld
from paddock.bridges.coppelia.legacy_link import connect_vrep
from paddock.bridges.coppelia.scene import CoppeliaScene
from paddock.core.errors import LinkError
from pages import run_examples

PAGE = Path(__file__).parents[3] / "docs" / "bridges/coppelia/vrep.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.heavy
def test_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    run_examples(PAGE)
    assert capsys.readouterr().out.split()[1] == "5.0"


def test_every_link_option_is_documented() -> None:
    rows = re.findall(r"^\| `(\w+)` \|", TEXT.split("| option of the URL |")[1], re.MULTILINE)
    with pytest.raises(LinkError) as refusal:
        connect_vrep("vrep://localhost?unknown=1")
    assert set(rows) == set(re.findall(r"\w+", str(refusal.value).split("there are:")[1]))


def test_scene_of_the_page_has_the_objects_its_program_looks_up(tmp_path: Path) -> None:
    example = re.search(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL)
    assert example
    file = tmp_path / "theirs.toml"
    file.write_text(example[1], encoding="utf-8")
    arena = paddock.open(str(file))
    scene = CoppeliaScene(ArenaWorld(arena))
    for alias in arena.world.aliases:
        assert scene.find(alias.name) is scene.find(alias.object)
    assert scene.frame(scene.find("Target")).position == (2.0, 1.0, 0.0)
    assert arena["pioneer"].spec.sensor("camera").width == 640
