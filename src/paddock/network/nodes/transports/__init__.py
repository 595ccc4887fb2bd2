"""Carriers: transports for messages between modules."""
