"""USARSim's lines, as sent by programs and by its server."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paddock.bridges.usarsim.wire import LineSplitter, format_line, format_number, join_words, parse_line
from paddock.core.errors import BadMessage

CLIENTS_PATTERN = re.compile(r"-?[0-9][0-9,.]*")  # what clients of the time take for a number


def test_client_lines_are_parsed() -> None:
    init = parse_line("INIT {ClassName USARBot.P2DX} {Location -5.0,-1.5,1.8} {Rotation 0.0,0.0,0.0} {Name R1}")
    assert (init.type, init.get("classname"), init.get("Name")) == ("INIT", "USARBot.P2DX", "R1")
    assert init.numbers("Location") == [-5.0, -1.5, 1.8]
    drive = parse_line("drive{Left 10.0}  { Right 10.0 }{Normalized true} {Light false} {Flip false}")
    assert (drive.type, drive.number("Left"), drive.number("Right")) == ("DRIVE", 10.0, 10.0)
    assert drive.flag("Normalized")
    assert not drive.flag("Light")
    assert drive.number("Steer", 0.5) == 0.5


def test_braces_may_hold_several_keys_and_values_with_spaces() -> None:
    init = parse_line("INIT {ClassName USARBot.P2DX Name big one Location 1,2,3}")
    assert (init.get("classname"), init.get("NAME"), init.numbers("Location")) == (
        "USARBot.P2DX",
        "big one",
        [1, 2, 3],
    )
    drive = parse_line("DRIVE {Left 1.0 Right -1.0 Normalized True}")
    assert (drive.number("Left"), drive.number("Right"), drive.flag("Normalized")) == (1.0, -1.0, True)
    assert parse_line("GETGEO {Type Robot}").get("Type") == "Robot"
    assert parse_line("GETGEO {Type Robot}").get("Robot") is None
    assert parse_line("DRIVE {Left} {}").get("Left") == ""


def test_server_lines_are_parsed() -> None:
    sonar = parse_line("SEN {Time 395.7716} {Type Sonar} {Name F1 Range 4.5798} {Name F2 Range 2.1461}")
    assert [(group["Name"], group["Range"]) for group in sonar.groups()] == [("F1", "4.5798"), ("F2", "2.1461")]
    geo = parse_line(
        "GEO {Type Sonar} {Name F2 Location 0.1850,-0.1150,0.0000 Orientation 0.0000,0.0000,-0.8727 Mount HARD}"
    )
    assert next(geo.groups())["Orientation"] == "0.0000,0.0000,-0.8727"


def test_line_is_formatted_as_by_the_original_server() -> None:
    segments = [join_words("Time", 395.77165), join_words("Type", "Sonar"), join_words("Name", "F1", "Range", 4.57989)]
    assert format_line("SEN", *segments) == b"SEN {Time 395.7716} {Type Sonar} {Name F1 Range 4.5798}\r\n"
    assert join_words("Pose", [0.4265, 0.1643, -0.00001]) == "Pose 0.4265,0.1643,0.0000"
    assert join_words("Touch", True) == "Touch True"


@given(st.floats(-1e9, 1e9))
def test_numbers_have_no_exponent_and_are_truncated(value: float) -> None:
    text = format_number(value)
    assert CLIENTS_PATTERN.fullmatch(text)
    assert abs(float(text)) <= abs(value) + 1e-6
    assert float(text) == pytest.approx(value, abs=1.01e-4)


@pytest.mark.parametrize("text", ["", "{Left 1}", "DRIVE {Left 1", "DRIVE Left 1}", "DRIVE {Left {1}}", "12 {a b}"])
def test_invalid_lines_are_refused(text: str) -> None:
    with pytest.raises(BadMessage, match="expected"):
        parse_line(text)


@pytest.mark.parametrize("value", ["fast", "nan", "1e999", ""])
def test_invalid_number_is_refused(value: str) -> None:
    with pytest.raises(BadMessage, match="expected a number"):
        parse_line(f"DRIVE {{Left {value}}}").number("Left")


@given(st.text(max_size=200))
def test_arbitrary_line_is_parsed_or_refused(text: str) -> None:
    try:
        line = parse_line(text)
    except BadMessage:
        return
    assert line.type == line.type.upper()
    list(line.groups())


@given(st.lists(st.sampled_from([b"DRIVE {Left 1.0}", b"\r", b"\n", b"\r\n\n", b" "]), max_size=20), st.data())
def test_lines_may_arrive_in_any_chunks(parts: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(parts) + b"\n"
    cut = data.draw(st.integers(0, len(whole)))
    splitter = LineSplitter()
    assert splitter.feed(whole[:cut]) + splitter.feed(whole[cut:]) == LineSplitter().feed(whole)


def test_overlong_line_is_refused_and_the_next_is_parsed() -> None:
    splitter = LineSplitter()
    with pytest.raises(BadMessage, match="longer than"):
        splitter.feed(b"x" * 70_000)
    assert splitter.feed(b"DRIVE {Left 1}\r\n") == ["DRIVE {Left 1}"]


def test_complete_lines_before_an_overlong_one_are_kept() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"DRIVE {Left 0} {Right 0}\r\n" + b"x" * 70_000) == ["DRIVE {Left 0} {Right 0}"]
    with pytest.raises(BadMessage, match="longer than"):
        splitter.feed(b"x")
    assert splitter.feed(b"DRIVE {Left 1}\r\n") == ["DRIVE {Left 1}"]
