"""Contests: leagues and brackets over submitted files."""
