"""Drives straight ahead."""


def act(seen):
    return 0.1, 0.1
