def act(observation):
    return 0.1, 0.1
