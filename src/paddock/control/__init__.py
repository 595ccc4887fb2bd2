"""Controllers: they see observations and give commands, wherever the robot's body is."""
