"""Learning: evolution, imitation, and environments for reinforcement learning."""
