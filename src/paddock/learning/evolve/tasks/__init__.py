"""Tasks of evolution: worlds, robots, sensors and fitness functions."""
