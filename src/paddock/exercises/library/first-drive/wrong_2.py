"""A mistake: it takes distances for raw counts, which grow near a wall; no distance is ever so large."""


def act(observation):
    ahead = max(observation.proximity[0], observation.proximity[7])
    return (0.0, 0.0) if ahead > 500 else (0.08, 0.08)
