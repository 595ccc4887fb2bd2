"""Tests of names in all scripts: charts use available fonts without matplotlib warnings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from matplotlib.font_manager import fontManager

from paddock.report.chart_style import can_write, find_family, save_figure
from paddock.report.charts import Series, line_chart
from paddock.teaching.contests import Bracket, draw_bracket

NAME = "\u674e\u96f7"  # two Chinese letters, which matplotlib's own font does not have


@pytest.fixture(params=["fonts of this machine", "matplotlib's own"])
def alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[bool]:
    """Use the installed fonts, or a single font."""
    only = request.param == "matplotlib's own"
    if only:
        own = [font for font in fontManager.ttflist if "DejaVu" in font.name or "Last Resort" in font.name]
        monkeypatch.setattr(fontManager, "ttflist", own)
    find_family.cache_clear()
    yield only
    find_family.cache_clear()


def test_name_without_font_becomes_question_marks_without_warning(alone: bool, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = line_chart(NAME, [Series(NAME, "#123456", np.arange(3), np.arange(3))], x_name=NAME, y_name="y [m]")
        save_figure(ax, tmp_path / "chart.png")
    assert ax.get_title(loc="left") == (NAME if can_write(NAME) else "??")
    assert not (alone and can_write(NAME))


def test_bracket_shows_robot_id_when_no_font_has_the_name(alone: bool, tmp_path: Path) -> None:
    bracket = Bracket(["ada", "student"])
    ((match, first, _),) = bracket.open_matches()
    bracket.decide(match, first)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = draw_bracket(bracket, {"ada": "Ada", "student": NAME})
        save_figure(ax, tmp_path / "bracket.png")
    assert [text.get_text() for text in ax.texts][:2] == ["1  Ada", f"2  {NAME if can_write(NAME) else 'student'}"]
