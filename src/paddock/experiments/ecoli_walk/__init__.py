"""The biased random walk of E. coli on e-pucks (Polytechnic University of Valencia, 2012)."""
