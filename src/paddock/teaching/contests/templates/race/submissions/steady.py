def act(observation):
    left, _, right = observation.ground  # 0 dark … 1 light
    turn = 0.03 * (right - left)
    return 0.07 - turn, 0.07 + turn
