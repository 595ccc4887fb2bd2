def act(observation):
    left, _, right = observation.ground  # 0 dark … 1 light
    turn = 0.05 * (right - left)
    return 0.09 - turn, 0.09 + turn
