"""Whiskers for Paddock: a sensor, a metric, a strategy, a link, a robot and a world, in a package of their own."""

from pathlib import Path

MOUSE = Path(__file__).with_name("mouse.toml")
MOUSE_HOLE = Path(__file__).with_name("mouse_hole.toml")
