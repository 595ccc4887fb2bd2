"""Mirror: an array on the host or on the GPU, which is copied only when the other side accesses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from paddock.arena.batches.cuda.device import Cuda


class Mirror:
    """An array on the host and its counterpart on the GPU. Exactly one of them is up to date."""

    def __init__(self, host: NDArray[Any]) -> None:
        self._host = host
        self._card: Any = None  # the counterpart, while it is the newer one

    @property
    def is_on_card(self) -> bool:
        """Whether the GPU has the newer copy."""
        return self._card is not None

    def here(self) -> NDArray[Any]:
        """Return the up-to-date host array. The caller may change it, since it is copied to the GPU again."""
        if self._card is not None:
            if self._host.size:
                self._host[...] = self._card.copy_to_host()
            self._card = None
        return self._host

    def there(self, cuda: Cuda) -> Any:
        """Return the up-to-date GPU array, for kernels that change it."""
        if self._card is None:
            self._card = cuda.send(not_empty(self._host))
        return self._card

    def read(self, part: slice = slice(None)) -> NDArray[Any]:
        """Return a read-only copy of rows in the host's precision. The GPU array stays the newer one."""
        if self._card is None:
            return self._host[part]
        return np.asarray(self._card[part].copy_to_host().astype(self._host.dtype, copy=False)).reshape(
            (-1, *self._host.shape[1:])
        )


def not_empty(table: NDArray[Any]) -> NDArray[Any]:
    """Return a table with at least one column, since GPU threads cannot have empty arrays."""
    return table if table.shape[-1] else np.zeros((*table.shape[:-1], 1))
