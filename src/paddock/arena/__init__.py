"""Arena: a running simulation, its robots and their devices."""

from paddock.arena.arena import Arena, Snapshot
from paddock.arena.devices import Device
from paddock.arena.robot import Robot

__all__ = ["Arena", "Device", "Robot", "Snapshot"]
