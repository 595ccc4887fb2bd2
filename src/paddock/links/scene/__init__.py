"""What robots in V-REP and in CoppeliaSim share: both are scenes of objects with handles."""
