"""The compiled loops of navigation: distances, searches, frontiers, bodies on maps, rollouts."""
