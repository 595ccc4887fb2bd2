"""Architecture 5, a blackboard: independent knowledge sources read and write shared entries."""

from collections import Counter

import paddock
from paddock.control.behaviours import Blackboard, Source

sources = (
    Source(
        name="floor",
        reads=("ground",),
        writes=("line",),
        work=lambda ground: {"line": tuple(value < 0.5 for value in ground)},
    ),
    Source(
        name="eyes",
        reads=("proximity",),
        writes=("danger",),  # only written if there is a danger
        work=lambda proximity: {"danger": "ahead"} if min(proximity[0], proximity[7]) < 0.05 else None,
    ),
    Source(
        name="memory",
        reads=("line", "side"),
        writes=("side",),  # side where the line was last detected
        work=lambda line, side: {"side": side if line[0] == line[2] else ("left" if line[0] else "right")},
    ),
    Source(
        name="pilot",
        reads=("line", "side"),
        writes=("wheels",),
        work=lambda line, side: {
            "wheels": (0.07, 0.07) if line[1] else (0.02, 0.07) if side == "left" else (0.07, 0.02)
        },
    ),
    Source(
        name="guard",
        rank=1,  # higher than the pilot
        reads=("danger",),
        writes=("wheels",),
        work=lambda danger: {"wheels": (0.0, 0.0)},
    ),
)

drivers, overruled = Counter(), 0


def count_driver(arena):
    global overruled
    drivers[boards["red"].author("wheels")] += 1
    overruled += any(post.source == "pilot" and not post.stands for post in boards["red"].posts)


with paddock.open("line-crossing", seed=1) as arena:
    for robot in arena.robots.values():
        robot.enable("ground", "proximity")
    boards = {name: Blackboard(*sources, memory={"side": "left"}) for name in arena}
    arena.run(20, boards, on_step=count_driver)
    apart = arena["blue"].pose.x - arena["red"].pose.x

print(f"red was driven by {dict(drivers)}; they are {apart:.3f} m apart; idle at the end: {boards['red'].idle}")
assert drivers["pilot"] > 100  # along the line,
assert drivers["guard"] > 500  # until they met and both guards stopped them,
assert overruled == drivers["guard"]  # overriding the pilots, as the board shows
assert 0.09 < apart < 0.16
assert not arena["red"].contacts
