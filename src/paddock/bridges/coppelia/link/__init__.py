"""Common code for robots in V-REP and CoppeliaSim, whose scenes consist of objects with handles."""
