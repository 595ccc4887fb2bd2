"""Experiments: scenarios, sweeps, reproductions of publications, and the E. coli walk with all its parts."""
