"""Many worlds at once: batches, the compiled loop, and the GPU."""
