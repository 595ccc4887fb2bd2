"""Whiskers for Paddock: a separate package with a sensor, a metric, a strategy, a link, a robot and a world."""

from pathlib import Path

MOUSE = Path(__file__).with_name("mouse.toml")
MOUSE_HOLE = Path(__file__).with_name("mouse_hole.toml")
