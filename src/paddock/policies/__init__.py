"""Policies: controllers that compile."""
