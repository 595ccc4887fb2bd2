"""Apartments: worlds generated at random from a seed, in which every room is reachable."""

from __future__ import annotations

from paddock.simulation.worlds.apartments.make import PLANS, make_apartment
from paddock.simulation.worlds.apartments.plan import FloorPlan, SharedWall

__all__ = ["PLANS", "FloorPlan", "SharedWall", "make_apartment"]
