"""The biased random walk of E. coli on e-pucks (Polytechnic University of Valencia and Robert Gordon University, 2012)."""
