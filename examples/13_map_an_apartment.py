"""Map an unknown apartment."""

import paddock
from paddock.arena import make_mapper
from paddock.control.navigation import Explorer
from paddock.report import draw_paths
from paddock.simulation.worlds.apartments import make_apartment

with paddock.open(make_apartment(3, kind="rooms", width=8.0, depth=7.0), seed=1) as arena:
    robot = next(iter(arena.robots.values()))
    explorer = Explorer(make_mapper(robot, pose=robot.pose), robot.spec)
    episode = arena.run(300, explorer)

draw_paths([episode.trace], arena.world).save("13_map_an_apartment.png")
print(f"{explorer.state} after {episode.seconds:.0f} s: {explorer.growth[-1][1]:.1f} m²: see 13_map_an_apartment.png")
assert explorer.done
assert episode.trace.contacts.max() == 0
