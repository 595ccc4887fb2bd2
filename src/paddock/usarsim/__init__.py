"""The text language of USARSim (Gamebots): messages without I/O."""
