"""Foundations of all other packages: errors, specs, geometry, observation types and the compiler's settings."""
