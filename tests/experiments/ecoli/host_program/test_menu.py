"""The menu, tested through a terminal."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from experiments.ecoli.host_program.stage import NAMES, Program, configure, run_orders
from paddock.experiments.ecoli.waypoint_robots import load_host_config
from paddock.network.client.remote import RemoteArena


def test_every_menu_entry_works_and_invalid_input_returns_to_the_menu(
    folder: Path, devices: dict[str, str], dish: RemoteArena
) -> None:
    configure(folder / "orders.toml", {NAMES[0]: devices[NAMES[0]]}, waypoints="walk.txt")
    (folder / "walk.txt").write_text(f"{NAMES[0]};120;75\n")
    with Program("menu", folder=folder) as program:
        program.answer("choose:", "seven")
        program.answer("expected 0 to 5, or q to quit, got 'seven'(?s:.*)choose:", "0")
        program.expect(rf"{NAMES[0]} *│ *{devices[NAMES[0]]} *│[^│]*│ takes orders")
        program.answer("choose:", "2")
        program.answer(r"file of way-points \[walk.txt\]:", "nowhere.txt")
        program.answer("nowhere.txt: cannot be read(?s:.*)choose:", "3")
        program.answer("file of way-points", "")
        program.expect("Summary(?s:.*)1/1")
        program.answer("choose:", "4")
        program.answer(f"order for {NAMES[0]}", "D")
        program.expect(r"D → X:1(19|20)\.\d+,Y:7[45]\.")
        program.answer(f"order for {NAMES[0]}", "fly")
        program.answer(f"expected an order such as(?s:.*)order for {NAMES[0]}", "")
        program.answer("choose:", "5")
        program.answer("address of the served world", "")
        program.answer("commanded turn 90°", "ninety")
        program.answer("expected a number, got 'ninety'(?s:.*)commanded turn 90°", "90,9")
        program.type("\n" * 7)  # the rest is left out
        program.expect(r"turn \[°\] │ +90\.00 │ +90\.90 │ +0\.90 │ +1\.00 │")
        program.answer("choose:", "1")
        program.answer("description of the light here:", "lamps")
        program.answer("hold a hand or a box in front of it, then press Enter:", "")
        program.answer("not detected(?s:.*)choose:", "q")
        assert program.end() == 0
    assert load_host_config(folder / "orders.toml").robot(NAMES[0]).lamp == "lamps"


def test_ctrl_c_cancels_the_current_action_and_then_the_menu(folder: Path) -> None:
    with Program("menu", folder=folder) as program:
        program.answer("choose:", "4")
        program.expect(r"which robot \(0 e-puck_2478, 1 e-puck_2479, 2 e-puck_2481\):")
        program.type("\x03")
        program.expect("cancelled(?s:.*)choose:")
        program.type("\x03")
        assert program.end() == 0


def test_end_of_input_closes_the_menu(folder: Path) -> None:
    with Program("menu", folder=folder) as program:
        program.answer("choose:", "4")
        program.answer("which robot", "e-puck_2497")
        program.expect(r"no robot called 'e-puck_2497' \(did you mean 'e-puck_2479'\?\)(?s:.*)choose:")
        program.type("\x04")
        assert program.end() == 0


@pytest.mark.parametrize(
    ("language", "entry"),
    [
        ("de_CH.UTF-8", "Roboter suchen"),
        ("es", "buscar robots"),
        ("fr:es_ES", "buscar robots"),
        ("fr", "search for robots"),
    ],
)
def test_menu_uses_the_language_of_the_user(
    folder: Path, monkeypatch: pytest.MonkeyPatch, language: str, entry: str
) -> None:
    monkeypatch.setenv("LANGUAGE", language)
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    assert entry in run_orders("menu")
    assert "search for robots" in run_orders("menu", "--language", "en")  # at the end of the input
