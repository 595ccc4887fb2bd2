"""A binary heap of cells with an index of each cell, so that its key can change. Keys are pairs of numbers."""

from __future__ import annotations

from paddock.core.jit import kernel

ABSENT = -1


@kernel
def is_before(first, second, a, b):
    """Return whether cell a has the smaller key."""
    return first[a] < first[b] or (first[a] == first[b] and second[a] < second[b])


@kernel
def sift_up(heap, slot, first, second, place):
    """Move the cell at an index of the heap towards the top, as far as its key requires."""
    cell = heap[place]
    while place > 0:
        parent = (place - 1) >> 1
        if not is_before(first, second, cell, heap[parent]):
            break
        heap[place] = heap[parent]
        slot[heap[place]] = place
        place = parent
    heap[place] = cell
    slot[cell] = place


@kernel
def sift_down(heap, slot, first, second, place, size):
    """Move the cell at an index of the heap towards the bottom, as far as its key requires."""
    cell = heap[place]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and is_before(first, second, heap[child + 1], heap[child]):
            child += 1
        if not is_before(first, second, heap[child], cell):
            break
        heap[place] = heap[child]
        slot[heap[place]] = place
        place = child
    heap[place] = cell
    slot[cell] = place


@kernel
def insert(heap, slot, first, second, cell, size):
    """Insert a cell, or move it if its key has changed; return the new size."""
    if slot[cell] == ABSENT:
        heap[size], slot[cell] = cell, size
        size += 1
    sift_up(heap, slot, first, second, slot[cell])
    sift_down(heap, slot, first, second, slot[cell], size)
    return size


@kernel
def remove(heap, slot, first, second, cell, size):
    """Remove a cell; return the new size."""
    place = slot[cell]
    if place == ABSENT:
        return size
    size -= 1
    slot[cell] = ABSENT
    if place < size:
        last = heap[size]
        heap[place], slot[last] = last, place
        sift_up(heap, slot, first, second, place)
        sift_down(heap, slot, first, second, slot[last], size)
    return size
