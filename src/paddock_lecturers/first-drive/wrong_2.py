"""A mistake: it treats distances as raw counts, which grow near a wall. No distance is ever that large."""


def act(observation):
    ahead = max(observation.proximity[0], observation.proximity[7])
    return (0.0, 0.0) if ahead > 500 else (0.08, 0.08)
