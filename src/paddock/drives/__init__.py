"""How robots move: specs of drives. The engine's `kernels/drive.py` does the rolling."""

from paddock.drives.differential import DifferentialDrive

__all__ = ["DifferentialDrive"]
