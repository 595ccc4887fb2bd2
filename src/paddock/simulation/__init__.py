"""Simulation: the engine, sensors, robots and worlds."""
