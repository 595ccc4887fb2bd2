"""Bridges: programs that know nothing of Paddock find their robot in a world of Paddock."""

from paddock.bridges.epuck import EPuckEmulators

__all__ = ["EPuckEmulators"]
