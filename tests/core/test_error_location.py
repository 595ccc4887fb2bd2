"""Locations and messages of errors, as shown to users."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import paddock
from paddock.core.user_code import error_location, explain_error, is_users


def raised(path: Path, text: str) -> Exception:
    path.write_text(text)
    try:
        exec(compile(text, str(path), "exec"), {})
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def test_error_location_is_the_innermost_user_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = raised(tmp_path / "mine.py", "import json\n\n\njson.loads('{')\n")
    assert error_location(error) == f"{tmp_path / 'mine.py'} line 4"
    monkeypatch.chdir(tmp_path)
    assert error_location(error) == "mine.py line 4"


def test_syntax_error_is_located_and_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    error = raised(tmp_path / "mine.py", "x = 1\ndef act(o)\n")
    assert (error_location(error), explain_error(error)) == ("mine.py line 2", "SyntaxError: expected ':'")


def test_error_outside_files_has_a_location_only_if_the_source_is_named() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        exec(compile("1 / 0", "<page>", "exec"), {})
    error = caught.value.with_traceback(caught.tb.tb_next)  # without this test
    assert error_location(error) is None
    assert error_location(error, "<page>") == "<page> line 1"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (KeyError("near"), "KeyError: 'near'"),
        (AssertionError(), "AssertionError"),
        (SyntaxError(), "SyntaxError"),
        (paddock.PaddockError("expected more"), "expected more"),
    ],
)
def test_problem_has_its_exception_type_except_for_paddock_errors(error: Exception, told: str) -> None:
    assert explain_error(error) == told


def test_files_of_paddock_and_python_are_not_user_files() -> None:
    assert is_users(__file__)
    assert not any(is_users(file) for file in (paddock.__file__, json.__file__, pytest.__file__, "<frozen runpy>"))
