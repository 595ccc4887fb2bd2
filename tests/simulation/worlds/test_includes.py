"""Worlds of several files: errors name the file that contains them."""

from __future__ import annotations

from pathlib import Path

import pytest

from paddock.core.errors import SpecError
from paddock.simulation.worlds import load_world

MAIN = """
name = "main"
bounds = [0, 0, 2, 2]
include = ["sub/boxes.toml", "sub/robots.toml"]
[[robots]]
name = "first"
type = "e-puck"
at = [1.5, 0.5]
"""
BOXES = "boxes = [{ at = [1.0, 1.0], size = [0.2, 0.2] }]\n"


def explain_refusal(tmp_path: Path, robots: str, main: str = MAIN) -> str:
    """Return the error message of a world that includes these robots."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "main.toml").write_text(main)
    (tmp_path / "sub" / "boxes.toml").write_text(BOXES)
    (tmp_path / "sub" / "robots.toml").write_text(robots)
    with pytest.raises(SpecError) as caught:
        load_world(tmp_path / "main.toml")
    return str(caught.value)


def robot(name: str, x: float, kind: str = "e-puck") -> str:
    return f'[[robots]]\nname = "{name}"\ntype = "{kind}"\nat = [{x}, 1.0]\n'


def test_overlap_error_names_the_included_file(tmp_path: Path) -> None:
    message = explain_refusal(tmp_path, robot("free", 0.3) + robot("stuck", 1.0))
    assert message.startswith("robots.toml: robots[1].at: robot 'stuck' overlaps boxes[0]")


def test_unknown_robot_type_error_names_the_included_file(tmp_path: Path) -> None:
    assert explain_refusal(tmp_path, robot("odd", 0.3, "e-pick")).startswith(
        "robots.toml: robots[0].type: no robot called 'e-pick'"
    )


def test_robot_index_in_an_error_counts_within_its_file(tmp_path: Path) -> None:
    message = explain_refusal(tmp_path, robot("free", 0.3), MAIN.replace("[1.5, 0.5]", "[1.0, 1.0]"))
    assert message.startswith("main.toml: robots[0].at: robot 'first' overlaps boxes[0]")


def test_duplicate_name_error_names_the_later_file(tmp_path: Path) -> None:
    assert (
        explain_refusal(tmp_path, robot("first", 0.3))
        == "main.toml: robots[0].name: expected different names, got 'first' twice (at line 6)"
    )
