"""The error hierarchy, and messages that name the offender."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

import paddock
from paddock.core.errors import KEY, format_value, suggestion
from paddock.simulation.robots import BodySpec


@pytest.mark.parametrize(
    "error",
    ["DeviceNotEnabled", "DeviceRefused", "SimulationError", "SpecError", "UnknownName"],
)
def test_every_error_is_a_paddock_error(error: str) -> None:
    assert issubclass(getattr(paddock, error), paddock.PaddockError)


def test_unknown_name_is_a_key_error_and_an_attribute_error() -> None:
    error = paddock.UnknownName("robot", "rde", ["red", "blue"])
    assert isinstance(error, KeyError)
    assert isinstance(error, AttributeError)


def test_unknown_name_message_has_no_key_error_quotes() -> None:
    assert str(paddock.UnknownName("robot", "rde", ["red", "blue"])) == "no robot called 'rde' (did you mean 'red'?)"


def test_without_a_near_match_all_names_are_listed() -> None:
    assert str(paddock.UnknownName("robot", "x", ["red", "blue"])) == "no robot called 'x' (there are: blue, red)"


def test_unknown_name_message_states_that_there_are_no_names() -> None:
    assert str(paddock.UnknownName("robot", "x", [])) == "no robot called 'x' (there are none)"


def test_long_list_of_names_is_truncated() -> None:
    text = suggestion("zzz", [f"robot{i:04}" for i in range(10_000)])
    assert text.startswith(" (there are: robot0000, robot0001, ")
    assert text.endswith(", …)")
    assert len(text) < 500


def test_incomplete_name_is_completed() -> None:
    assert suggestion("max", ["min_speed", "max_acceleration"]) == " (did you mean 'max_acceleration'?)"


def test_unknown_name_keeps_its_arguments() -> None:
    error = paddock.UnknownName("robot", "rde", ["red"])
    assert (error.what, error.asked) == ("robot", "rde")


def test_spec_error_shows_file_path_and_problem() -> None:
    error = paddock.SpecError("expected metres > 0, got -1", path="boxes[0].size[1]", file="cave.toml")
    assert str(error) == "cave.toml: boxes[0].size[1]: expected metres > 0, got -1"
    assert str(paddock.SpecError("no such file", file="cave.toml")) == "cave.toml: no such file"
    assert str(paddock.SpecError("too bad")) == "too bad"


@pytest.mark.parametrize(
    ("path", "prefix", "whole"),
    [
        ("radius", "robots[0]", "robots[0].radius"),
        ("[1]", "size", "size[1]"),
        ("", "robots[0]", "robots[0]"),
        ("radius", "", "radius"),
    ],
)
def test_within_extends_the_path_of_a_spec_error(path: str, prefix: str, whole: str) -> None:
    assert paddock.SpecError("too bad", path=path).within(prefix).path == whole


def test_problem_can_name_its_key_in_toml_syntax() -> None:
    error = paddock.SpecError(f"expected [[{KEY}]]", path="sensors").within("robots[3].type")
    assert error.problem == "expected [[robots.type.sensors]]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (1e7, "1e+07"),
        (2.0, "2"),
        (0.1234567, "0.1234567"),
        (-(10**400), "a number of 401 digits"),
        (datetime.date(2020, 1, 31), "2020-01-31"),
        ("wide", "'wide'"),
        ((1.0, [False, "x"]), "[1, [false, 'x']]"),
        ({"radius": 1}, "a table"),
        (BodySpec(radius=1, height=1), "a BodySpec"),
        ("x" * 1000, "'" + "x" * 78 + "…"),
    ],
)
def test_values_are_formatted_briefly_in_toml_syntax(value: Any, text: str) -> None:
    assert format_value(value) == text


def test_innermost_file_of_a_spec_error_is_kept() -> None:
    error = paddock.SpecError("too bad", file="robot.toml").within("robots[0]", file="cave.toml")
    assert str(error) == "robot.toml: robots[0]: too bad"


def test_not_enabled_error_names_the_fix() -> None:
    assert str(paddock.DeviceNotEnabled("red", "ground")) == (
        "red.ground is not enabled: call red.ground.enable() (or red.enable() for all devices) before reading it"
    )
