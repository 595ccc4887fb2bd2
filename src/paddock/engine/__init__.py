"""The simulation itself: constants (Model), variables (State), wishes (Command) and the step."""
