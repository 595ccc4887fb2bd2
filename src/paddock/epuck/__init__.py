"""The e-puck: its wire languages, the driver of real robots, and an emulator of their firmware.

Nothing here knows simulations. `links/epuck` makes a robot handle of the driver; `bridges/epuck` gives the emulator a
simulated robot as its hardware.
"""
