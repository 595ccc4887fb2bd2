def act(observation):
    if max(observation.ground) > 0.5:  # the light edge: turn away
        return -0.06, 0.06
    return 0.06, 0.08
