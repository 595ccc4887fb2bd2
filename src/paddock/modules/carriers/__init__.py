"""What carries messages between modules."""
