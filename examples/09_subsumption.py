"""Architecture 4, subsumption: each level has one behaviour, and an active level suppresses those below it."""

from collections import Counter

import paddock
from paddock.control.behaviours import LineFollower, Subsumption
from paddock.control.policies import explorer
from paddock.report import draw_paths


class OnLine(LineFollower):
    """Level 1: follows a line while it is detected."""

    def act(self, seen):
        wheels = super().act(seen)
        return wheels if min(seen.ground) < 0.5 else None


class Back:
    """Level 2: a reflex. Reverses for half a second if an object is very near."""

    def __init__(self):
        self.until = 0.0

    def act(self, seen):
        if min(seen.proximity[0], seen.proximity[7]) < 0.012:
            self.until = seen.time + 0.5
        return (-0.05, -0.02) if seen.time < self.until else None


def count_level(arena):
    active[levels.active] += 1
    if levels.active == "follow":
        assert "wander" in levels.suppressed  # the lower level still has an output, which is ignored


with paddock.open("line-track", seed=4) as arena:
    robot = arena["red"]
    robot.enable("ground", "proximity")
    robot.set_pose(1.0, 0.7, 2.0)  # away from the line
    levels = Subsumption(wander=explorer(0.06), follow=OnLine(0.06), back=Back())
    active = Counter()
    episode = arena.run(90, levels, on_step=count_level)
    draw_paths([episode.trace], arena.world).save("09_subsumption.png")
    print(
        ", ".join(f"{name} {count * arena.dt:.0f} s" for name, count in active.most_common()),
        "(see 09_subsumption.png)",
    )

assert set(active) <= set(levels.levels)
assert active["wander"] * arena.dt > 2  # until it found the line
assert active["follow"] * arena.dt > 40  # from then on
