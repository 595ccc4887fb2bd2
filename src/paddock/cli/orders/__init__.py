"""`paddock orders`: the host program for robots that take orders, as a menu and as commands."""
