"""The emulator: the firmware of e-pucks, over any hardware that can tell raw numbers."""
