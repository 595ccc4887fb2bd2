"""Map an unknown apartment."""

import paddock
from paddock.arena import make_mapper
from paddock.control.navigation import Explorer
from paddock.simulation.worlds.apartments import make_apartment

with paddock.open(make_apartment(3, kind="rooms", width=8.0, depth=7.0), seed=1) as arena:
    robot = next(iter(arena.robots.values()))
    explorer = Explorer(make_mapper(robot, pose=robot.pose), robot.spec)
    episode = arena.run(300, explorer)

print(f"{explorer.state} after {episode.seconds:.0f} s: {explorer.growth[-1][1]:.1f} m² known")
assert explorer.done
assert episode.trace.contacts.max() == 0
