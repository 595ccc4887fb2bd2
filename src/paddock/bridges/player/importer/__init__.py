"""Worlds of Stage, read as worlds of Paddock."""

from paddock.bridges.player.importer.stage import stage_world

__all__ = ["stage_world"]
