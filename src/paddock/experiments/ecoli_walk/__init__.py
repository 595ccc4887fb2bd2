"""E. coli on e-pucks: the published experiments, and what would have made them better."""
