"""The commands of the E. coli walk: networks and walks, the program of way-point robots, the overhead camera."""
