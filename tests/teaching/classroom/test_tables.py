"""CSV files of a class that are edited in spreadsheets."""

from __future__ import annotations

from pathlib import Path

import pytest

from paddock.core.errors import PaddockError
from paddock.teaching.classroom.class_tables import append_rows, read_table, write_table

COLUMNS = ("name", "score")


def rows(path: Path) -> list[dict[str, str]]:
    return [row for _, row in read_table(path)]


def test_appending_keeps_separator_and_columns_of_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    append_rows(path, COLUMNS, [{"name": 'Zoë; "Z", M.', "score": 1}])
    append_rows(path, COLUMNS, [{"name": "Bo", "score": 2}])
    assert path.read_bytes().startswith(b"\xef\xbb\xbfname,score\n")
    path.write_bytes('score;name;remark\r\n1;"Zoë; ""Z"", M.";good\r\n2;Bo;'.encode())  # as one of another country
    append_rows(path, COLUMNS, [{"name": "Cy", "score": 3}])
    assert rows(path) == [
        {"name": 'Zoë; "Z", M.', "score": "1", "remark": "good"},
        {"name": "Bo", "score": "2", "remark": ""},
        {"name": "Cy", "score": "3", "remark": ""},
    ]
    assert ";" in path.read_text(encoding="utf-8-sig").splitlines()[0]


def test_line_numbers_match_those_of_editor(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('name,score\n"two\nlines",1\n\nBo,2\n')
    assert [line for line, _ in read_table(path)] == [3, 5]
    path.write_bytes("name\nZoë\n".encode("utf-16"))
    with pytest.raises(PaddockError, match=r"a\.csv: expected UTF-8 text"):
        read_table(path)


def test_table_is_rewritten_with_its_separator(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("name;score\nAda;1\n")
    write_table(path, COLUMNS, [{"name": "Ada", "score": 2}])
    assert path.read_text(encoding="utf-8-sig") == "name;score\nAda;2\n"


def test_numbers_are_written_without_rounding_digits(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_table(path, COLUMNS, [{"name": "Ada", "score": 189.39999999999998}])
    append_rows(path, COLUMNS, [{"name": "Bo", "score": 0.1 + 0.2}, {"name": "Cy", "score": 1234.56789012}])
    assert [row["score"] for row in rows(path)] == ["189.4", "0.3", "1234.56789012"]
