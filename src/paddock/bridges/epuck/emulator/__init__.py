"""The emulator: the firmware of e-pucks on any hardware that provides raw readings."""
