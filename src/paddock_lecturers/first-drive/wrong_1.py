"""A mistake: it drives for a fixed time, as if the wall were always at the same distance."""


def act(observation):
    return (0.08, 0.08) if observation.time < 10.0 else (0.0, 0.0)
