"""What several languages share: bridges and their ports, emulators, watchdogs, robots in other simulators."""
