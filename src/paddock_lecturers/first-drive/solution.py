"""First drive: drive fast far from the wall, slowly near it, then stop."""


def act(observation):
    ahead = min(observation.proximity[0], observation.proximity[7])
    if ahead < 0.045:
        return 0.0, 0.0
    if ahead < 0.065:
        return 0.02, 0.02
    return 0.08, 0.08
