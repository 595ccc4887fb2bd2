"""The e-puck: its protocols, the driver of real robots, and an emulator of their firmware.

This package does not depend on the simulation. `links/epuck` builds a robot handle from the driver. `bridges/epuck`
connects the emulator to a simulated robot as its hardware.
"""
