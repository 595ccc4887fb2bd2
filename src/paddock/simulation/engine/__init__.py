"""The simulation engine: constants (Model), variables (State), commands and the step function."""
