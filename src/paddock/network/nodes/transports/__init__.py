"""Transports of messages between modules."""
