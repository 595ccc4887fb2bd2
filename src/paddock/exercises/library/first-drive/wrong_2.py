"""A mistake: it stops while nothing is near, as if greater readings meant a nearer wall."""


def act(observation):
    ahead = max(observation.proximity[0], observation.proximity[7])
    return (0.0, 0.0) if ahead > 0.05 else (0.08, 0.08)
