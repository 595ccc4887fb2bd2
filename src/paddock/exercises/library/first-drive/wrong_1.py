"""A mistake: it drives for a fixed time, as if the wall were always equally far away."""


def act(observation):
    return (0.08, 0.08) if observation.time < 10.0 else (0.0, 0.0)
