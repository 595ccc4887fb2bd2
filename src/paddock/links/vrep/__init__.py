"""Robots in V-REP or CoppeliaSim, by the legacy remote API: `vrep://host:19997?robot=Pioneer_p3dx`."""
