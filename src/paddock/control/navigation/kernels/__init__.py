"""Compiled loops of navigation: distances, searches, frontiers, collision checks, rollouts."""
