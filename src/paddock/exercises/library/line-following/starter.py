def act(observation):
    left, middle, right = observation.ground
    return 0.05, 0.05
