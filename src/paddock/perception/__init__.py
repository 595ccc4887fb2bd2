"""Perception: where the robot is (estimation), what is around it (mapping), what a camera shows (vision)."""
