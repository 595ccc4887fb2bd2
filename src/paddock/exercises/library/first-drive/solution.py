"""First drive: fast where there is room, slowly near the wall, and stop."""


def act(observation):
    ahead = min(observation.proximity[0], observation.proximity[7])
    if ahead < 0.045:
        return 0.0, 0.0
    if ahead < 0.065:
        return 0.02, 0.02
    return 0.08, 0.08
