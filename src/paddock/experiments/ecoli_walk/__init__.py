"""E. coli on e-pucks (Valencia and Aberdeen, 2012): the biased random walk, and what it needs to work well."""
