"""Loosely coupled processes that together drive a robot."""

from paddock.modules.bus import CARRIERS, Bus, open_bus
from paddock.modules.wire import message_schema

__all__ = ["CARRIERS", "Bus", "message_schema", "open_bus"]
