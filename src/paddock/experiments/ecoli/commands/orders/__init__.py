"""`paddock ecoli host`: the host program for robots that execute orders, as a menu and as commands."""
