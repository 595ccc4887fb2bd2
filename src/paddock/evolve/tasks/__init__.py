"""Tasks: worlds, robots and sensors, and how good it is what a robot does there."""
