"""A world and its robots as a scene of CoppeliaSim (formerly V-REP): objects, values, signals and script functions."""

from paddock.bridges.coppelia.scene.framework import EPuckSignals
from paddock.bridges.coppelia.scene.objects import SceneObject
from paddock.bridges.coppelia.scene.proximity import DetectedSurface, detect
from paddock.bridges.coppelia.scene.scene import CoppeliaScene
from paddock.bridges.coppelia.scene.script_functions import SCRIPT_FUNCTIONS, ScriptData, call_script_function
from paddock.bridges.coppelia.scene.signals import Signals
from paddock.bridges.coppelia.scene.stock_signals import StockSignals

__all__ = [
    "SCRIPT_FUNCTIONS",
    "CoppeliaScene",
    "DetectedSurface",
    "EPuckSignals",
    "SceneObject",
    "ScriptData",
    "Signals",
    "StockSignals",
    "call_script_function",
    "detect",
]
