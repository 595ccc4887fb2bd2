"""Run 200 e-pucks that detect and block each other, controlled by compiled code."""

import math

import paddock
from paddock.control.policies import explorer
from paddock.report.drawing import save_drawing
from paddock.simulation.worlds import RobotPlacement, WorldSpec

COUNT, SIDE = 200, 4.0
columns = math.ceil(math.sqrt(COUNT))
places = [((i % columns + 0.5) * SIDE / columns, (i // columns + 0.5) * SIDE / columns) for i in range(COUNT)]
world = WorldSpec(
    name="swarm",
    bounds=(0, 0, SIDE, SIDE),
    robots=tuple(RobotPlacement(name=f"r{i}", type="e-puck", at=at, heading_deg=37 * i) for i, at in enumerate(places)),
)

with paddock.open(world, seed=3) as arena:
    for robot in arena.robots.values():
        robot.enable("proximity")
    arena.run(60, dict.fromkeys(arena.robots, explorer()))
    ends = [robot.pose for robot in arena.robots.values()]

save_drawing(world, "03_swarm.png", poses=ends)
moved = sum(math.dist(a, b[:2]) for a, b in zip(places, ends, strict=True)) / COUNT
nearest = min(math.dist(a[:2], b[:2]) for i, a in enumerate(ends) for b in ends[:i])
print(f"mean displacement {moved:.2f} m; the two nearest robots are {1000 * nearest:.1f} mm apart: see 03_swarm.png")
assert moved > 0.5
assert nearest > 2 * 0.037 - 0.001  # bodies never overlap
