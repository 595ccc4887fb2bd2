"""Apartments: made at random from a seed, with rooms that can all be reached, and built as worlds."""

from __future__ import annotations

from paddock.worlds.apartments.make import PLANS, make_apartment
from paddock.worlds.apartments.plan import FloorPlan, SharedWall

__all__ = ["PLANS", "FloorPlan", "SharedWall", "make_apartment"]
