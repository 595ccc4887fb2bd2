"""Batches on a CUDA GPU: the same kernels as on the CPU, with one thread per world."""
