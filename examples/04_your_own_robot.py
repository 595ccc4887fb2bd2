"""Build a robot and a world in Python, write them to TOML, read them back, and scan with a pivoting sonar."""

import math
import tempfile
from pathlib import Path

import paddock
from paddock.simulation.robots import BodySpec, DifferentialDrive, RobotSpec
from paddock.simulation.sensors import Pivot, SonarSpec
from paddock.simulation.worlds import Box, RobotPlacement, WorldSpec, load_world, save_world

turret = SonarSpec(
    name="turret",
    mounts=((0.0, 0.0, 0.1, 0.0),),
    range=3.0,
    cone_deg=10,
    noise=0.002,
    pivot=Pivot(min_deg=-90, max_deg=90, rate_deg_s=180),
)
robot = RobotSpec(
    name="sweeper",
    body=BodySpec(radius=0.1, height=0.15),
    drive=DifferentialDrive(wheel_separation=0.16, wheel_diameter=0.06, max_speed=0.4),
    sensors=(turret,),
)
world = WorldSpec(
    name="one-box",
    bounds=(0, 0, 4, 4),
    boxes=(Box(at=(2.0, 3.0), size=(0.4, 0.4), height=0.5),),
    robots=(RobotPlacement(name="s", type=robot, at=(2.0, 2.0)),),
)

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "one-box.toml"
    save_world(world, path)
    assert load_world(path) == world  # the file contains everything

with paddock.open(world, seed=5) as arena:
    sweeper = arena["s"]
    sweeper.enable()
    nearest, bearing = math.inf, 0.0
    for degrees in range(-90, 91, 5):
        sweeper.turret.pan(math.radians(degrees))
        arena.run(0.6)
        distance = sweeper.turret.read()
        if distance < nearest:
            nearest, bearing = distance, degrees

print(f"nearest echo: {nearest:.3f} m at {bearing}°")
assert abs(nearest - 0.8) < 0.01  # the box's near side
assert 75 <= bearing <= 90
