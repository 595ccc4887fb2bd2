"""Cuda: numba's CUDA target, imported only when needed."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from paddock.core.errors import SimulationError, UnknownName
from paddock.core.packages import install_extra

PRECISIONS = {"float64": False, "float32": True}
INSTALL = f"install it with: {install_extra('gpu')}"


class Cuda:
    """A CUDA device, or numba's simulator of one, in one of two precisions."""

    def __init__(self, precision: str = "float64", **options: Any) -> None:
        if precision not in PRECISIONS:
            raise UnknownName("precision", precision, PRECISIONS)
        self.module, self.precision = cuda_module(), precision
        self.single = PRECISIONS[precision]
        self.real = np.float32 if self.single else np.float64
        self.options = options
        if "numba_cuda" in sys.modules:  # not in the simulator
            # Fewer registers allow more threads at once, which hides more latency than the spilled registers cost.
            # fastmath: division and roots within 2 units in the last place; link-time optimisation would discard it.
            fast = {"fastmath": True, "lto": False} if self.single else {}
            self.options = {"max_registers": 64 if self.single else 128, **fast, **options}
        self.threads = 256  # per block; on an H200 faster than 32, 128 and 512

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block [bytes]."""
        if not hasattr(self.module, "get_current_device"):  # the simulator
            return 96 * 1024
        return (96 if self.module.get_current_device().compute_capability >= (9, 0) else 46) * 1024

    def send(self, array: Any) -> Any:
        """Copy an array to the device, with floats in its precision."""
        if array.dtype == np.float64 and self.single:
            array = array.astype(np.float32)
        return self.module.to_device(array)

    def send_shared(self, table: Any) -> Any:
        """Copy a table to the device. If all rows are equal, copy only one row, which all threads share."""
        if not hasattr(self.module, "from_cuda_array_interface") or not (table == table[:1]).all():
            return self.send(table)
        row = self.send(table[0])
        known = {**row.__cuda_array_interface__, "shape": table.shape, "strides": (0, *row.strides)}
        return self.module.from_cuda_array_interface(known, owner=row)


def cuda_module() -> Any:
    """Return numba's CUDA module. Raises if it or a device is missing."""
    try:
        from numba import cuda
    except (ImportError, AttributeError) as error:  # numba-cuda 0.30 cannot be imported with numpy 2.5
        raise SimulationError(
            f"device: 'cuda' needs numba-cuda, which cannot be imported ({error}): {INSTALL}"
        ) from None
    if not cuda.is_available():
        raise SimulationError(
            "device: 'cuda': no CUDA GPU was found: expected an NVIDIA GPU with its driver, and numba-cuda "
            f"({INSTALL}); device='cpu' runs everywhere"
        )
    return cuda
