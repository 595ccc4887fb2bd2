"""Bridges: simulated robots for programs that know nothing of Paddock."""

from paddock.bridges.twins import Twins

__all__ = ["Twins"]
