"""Benchmarks: rates of this machine."""
