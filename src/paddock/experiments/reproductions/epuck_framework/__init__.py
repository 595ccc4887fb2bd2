"""The e-puck framework of the Vorarlberg University of Applied Sciences (2018): timing tests and line crossing."""

from paddock.experiments.reproductions.epuck_framework.controllers import ImprovedCrossing, StockCrossing

__all__ = ["ImprovedCrossing", "StockCrossing"]
