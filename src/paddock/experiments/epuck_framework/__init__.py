"""The e-puck framework of the Vorarlberg University of Applied Sciences (2018): its timing tests and its line crossing."""
