"""Batches on a CUDA GPU: the very same kernels, one thread for each world."""
