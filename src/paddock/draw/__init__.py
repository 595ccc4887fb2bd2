"""Pictures of worlds, robots and mazes."""
