"""A world and its robots as a scene of CoppeliaSim (formerly V-REP): objects, values, signals and script functions."""

from paddock.coppelia.framework import EPuckSignals
from paddock.coppelia.live import LiveWorld, SceneRobot
from paddock.coppelia.objects import SceneObject
from paddock.coppelia.proximity import DetectedSurface, detect
from paddock.coppelia.scene import CoppeliaScene
from paddock.coppelia.script_functions import SCRIPT_FUNCTIONS, ScriptData, call_script_function
from paddock.coppelia.signals import Signals
from paddock.coppelia.stock_signals import StockSignals

__all__ = [
    "SCRIPT_FUNCTIONS",
    "CoppeliaScene",
    "DetectedSurface",
    "EPuckSignals",
    "LiveWorld",
    "SceneObject",
    "SceneRobot",
    "ScriptData",
    "Signals",
    "StockSignals",
    "call_script_function",
    "detect",
]
