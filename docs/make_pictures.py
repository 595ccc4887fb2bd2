"""Makes every picture of the README and the documentation: `make pictures`."""

from __future__ import annotations

import math
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
from avoidance_picture import draw_scenes
from PIL import Image

import paddock
from paddock.arena import make_mapper
from paddock.control.navigation import Explorer
from paddock.core.geometry import wrap
from paddock.experiments.ecoli.overhead_camera import OverheadCamera, show_board
from paddock.experiments.ecoli.reaction_networks import draw_reactions, load_reactions, step_response_chart
from paddock.experiments.ecoli.walk import count_detections
from paddock.experiments.ecoli.walk.network import find_bias_response
from paddock.experiments.ecoli.walk.population import run_population
from paddock.experiments.ecoli.walk.walk_camera import draw_error_map, measure_camera
from paddock.experiments.ecoli.walk.walk_report import density_chart
from paddock.experiments.reproductions.epuck_framework.crossing import (
    IMPROVED,
    IMPROVED_WIDE,
    PATROL,
    STOCK,
    CrossingJob,
    drive_crossing,
)
from paddock.experiments.reproductions.epuck_framework.report import draw_run
from paddock.learning.evolve.charts import save_learning_curve
from paddock.learning.evolve.evolution import Evolution
from paddock.learning.evolve.options import EvolutionConfig
from paddock.perception.vision import BoardSpec
from paddock.report import map_chart, map_view_chart, save_figure
from paddock.report.drawing.colours import PAPER
from paddock.report.drawing.draw_world import add_solution, draw_robot, draw_world
from paddock.simulation.robots import load_robot, robot_names
from paddock.simulation.worlds import load_world, world_names
from paddock.simulation.worlds.mazes import KINDS, Layout, make_maze, make_maze_world
from paddock.simulation.worlds.world_spec import Box, Cylinder, Floor, RobotPlacement, Stroke, WorldSpec

PICTURES = Path(__file__).parent / "pictures"
TILE = 480  # width of a picture in a sheet [pixels]


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    save_sheet([draw_world(load_world(name)) for name in world_names()], "worlds")
    save_sheet([draw_robot(load_robot(name)) for name in robot_names()], "robots")
    ten_lines()
    camera_strip()
    mazes()
    crossing()
    evolution()
    avoidance()
    chemotaxis()
    overhead_camera()
    mapping()
    exploration()


def ten_lines() -> None:
    """Run the ten lines of the README, which save a picture."""
    readme = (PICTURES.parents[1] / "README.md").read_text(encoding="utf-8")
    program = readme.split("```python\n", 1)[1].split("```", 1)[0]
    with TemporaryDirectory() as folder, chdir(folder):
        exec(program, {})
        picture = Image.open("trail.png").convert("RGB")
    picture.thumbnail((640, 640))
    picture.save(PICTURES / "ten-lines.png", optimize=True)


def save_sheet(pictures: list[Image.Image], name: str) -> None:
    """Save pictures in three columns of one picture, each in the column that is the shortest so far."""
    sizes = [(TILE, round(TILE * picture.height / picture.width)) for picture in pictures]
    heights, places = [0, 0, 0], []
    for _, height in sizes:
        column = heights.index(min(heights))
        places.append((column * TILE, heights[column]))
        heights[column] += height
    sheet = Image.new("RGB", (3 * TILE, max(heights)), PAPER)
    for picture, size, place in zip(pictures, sizes, places, strict=True):
        sheet.paste(picture.resize(size, Image.Resampling.LANCZOS), place)
    sheet.save(PICTURES / f"{name}.png", optimize=True)


ROUND = [
    (3.2, 2.2), (4.8, 2.2), (5.2, 4.4), (7.0, 4.2), (7.4, 1.2), (5.0, 1.0), (4.8, 3.6), (8.6, 3.55), (9.0, 4.6),
    (11.2, 4.6), (11.2, 2.6), (9.0, 2.6), (10.1, 4.6), (10.15, 6.0), (9.2, 8.2), (11.3, 8.3), (11.4, 6.4), (9.2, 6.4),
    (9.0, 7.5), (7.0, 8.3), (4.8, 8.2), (4.8, 6.8), (2.5, 8.2), (0.6, 8.3), (0.6, 6.0), (2.7, 6.0), (2.7, 3.5),
]  # fmt: skip


def mapping() -> None:
    """Maps of one round through rooms, made by four methods with wheel errors of one per cent."""
    world = load_world("yellow-rooms")
    errors = {"wheel_diameter_error": (0.01, -0.005), "wheel_separation_error": 0.01, "slip_noise": 0.02}
    arena = paddock.open(replace(world, robots=(replace(world.robots[0], **errors),)), seed=3)
    robot = arena["pioneer"]
    mappers = {
        method: make_mapper(robot, method=method, pose=robot.pose)
        for method in ("odometry", "scan-to-scan", "scan-to-map", "particles")
    }
    paths: dict[str, list[paddock.Pose]] = {method: [] for method in mappers}
    goals = list(ROUND)
    while goals:
        pose, seen = robot.pose, robot.sense()
        for method, mapper in mappers.items():
            paths[method].append(mapper.update(seen).pose)
        off = wrap(math.atan2(goals[0][1] - pose.y, goals[0][0] - pose.x) - pose.heading)
        robot.drive(0.4 * max(0.0, math.cos(off)) ** 3, max(-1.2, min(1.2, 2 * off)))
        if math.dist(goals[0], pose[:2]) < 0.3:
            goals.pop(0)
        arena.step(5)
    _, panels = plt.subplots(2, 2, figsize=(9, 7.8), layout="constrained", facecolor=PAPER)
    for ax, (method, mapper) in zip(panels.flat, mappers.items(), strict=True):
        error = math.dist(paths[method][-1][:2], robot.pose[:2])
        map_chart(mapper.grid, paths[method], title=method, about=f"final error {100 * error:.0f} cm", ax=ax)
        if ax is not panels[1, 0]:  # one legend for all
            ax.get_legend().remove()
    save_figure(panels[0, 0], PICTURES / "mapping-methods.png")


def camera_strip() -> None:
    """Pictures of an e-puck's camera while it turns in `clutter`."""
    with paddock.open("clutter", seed=1) as arena:
        robot = arena["red"]
        robot.camera.enable()
        robot.drive(0.0, 1.0)
        strip = Image.new("RGB", (6 * 200 - 8, 192), "white")
        for i in range(6):
            strip.paste(Image.fromarray(robot.camera.read()).resize((192, 192), Image.Resampling.NEAREST), (i * 200, 0))
            arena.step(40)
        strip.save(PICTURES / "camera.png", optimize=True)


def avoidance() -> None:
    """The three avoidances in five scenes, and the number of detections caused by light."""
    draw_scenes().save(PICTURES / "avoidance.png", optimize=True)
    save_figure(count_detections(seeds=range(6)).draw(), PICTURES / "detections.png")


def mazes() -> None:
    """A maze of every kind, and one with some loops, each with its shortest path."""
    drawn = []
    for kind, loops in [*((kind, None) for kind in KINDS), ("wilson", 0.5)]:
        maze = make_maze(8, 8, kind=kind, seed=3, loops=loops)
        world = make_maze_world(maze, title=kind if loops is None else f"{kind}, loops {loops:g}")
        drawn.append(draw_world(add_solution(maze, world, Layout()), rays=False, size=800))
    save_sheet(drawn, "mazes")


def crossing() -> None:
    """Two robots that meet on a line: stock and improved controllers, and the line patrol for about two laps."""
    for name, setup, seconds in (
        ("crossing-stock", STOCK, 30.0),
        ("crossing-improved", IMPROVED, 30.0),
        ("crossing-improved-wide", IMPROVED_WIDE, 60.0),
        ("crossing-patrol", PATROL, 115.0),
    ):
        run = drive_crossing(CrossingJob(setup=setup, seed=6, seconds=seconds, keep_traces=True))
        draw_run(run, seconds=seconds, size=800).save(PICTURES / f"{name}.png", optimize=True)


def overhead_camera() -> None:
    """A laboratory from above, the calibration board, and the errors of the camera."""
    world = WorldSpec(
        name="laboratory",
        bounds=(0, 0, 2, 1),
        boxes=(Box(at=(0.5, 0.62), size=(0.1, 0.2), heading_deg=20),),
        cylinders=(Cylinder(at=(1.5, 0.3), radius=0.05),),
        floor=Floor(strokes=(Stroke(points=((0.3, 0.2), (0.9, 0.3), (1.6, 0.8)), smooth=True),)),
        robots=tuple(RobotPlacement(name=f"robot{i}", type="e-puck", at=(0.2 + 0.3 * i, 0.45)) for i in range(6)),
    )
    camera = OverheadCamera(world, seed=1)
    poses = [(0.2, 0.8, 0.3), (0.7, 0.3, 1), (1.0, 0.5, 2), (1.35, 0.8, -1), (1.6, 0.4, -2), (1.8, 0.15, 3)]
    leds = [[1.0] * 8 + [0.0] * 2, [0.0] * 8 + [1.0, 0.0], *[[0.0] * 10] * 4]
    picture = camera.take_picture(camera.set_scene(poses, leds=leds))
    picture.to_pil().save(PICTURES / "overhead.jpg", quality=88)
    lens = camera.model.lens
    board = show_board(lens, camera.spec, BoardSpec(), (-0.1, -0.05, 0.45), (20.0, -15.0, 40.0))
    board.to_pil().resize((640, 480)).save(PICTURES / "overhead-board.jpg", quality=85)
    save_figure(draw_error_map(measure_camera()), PICTURES / "overhead-errors.png")


def exploration() -> None:
    """The map that a Pioneer makes of five rooms, and its path."""
    with paddock.open("yellow-rooms", seed=1) as arena:
        robot = arena["pioneer"]
        explorer = Explorer(make_mapper(robot, method="scan-to-map", pose=robot.pose), robot.spec)
        episode = arena.run(600, explorer)
    about = f"{explorer.reason}, after {episode.seconds:.0f} s"
    chart = map_view_chart(explorer.map_view, episode.trace.path(), title="yellow-rooms", about=about)
    save_figure(chart, PICTURES / "exploration.png")


def evolution() -> None:
    """The learning curve of the maze, and the champion's path in lock-step and with a free-running clock."""
    from paddock.experiments.reproductions.rossum.clocks import drive_free, drive_locked

    done = Evolution(EvolutionConfig(task="maze", seed=7))
    done.run()
    save_learning_curve(done, PICTURES / "evolution-curve.png", about="ga, population 20, seed 7")
    locked = drive_locked(done.task, done.champion, 7, speed=500.0)
    free = drive_free(done.task, done.champion, 7, speed=50.0)
    for name, title, driven in (("lock-step", "Lock-step", locked), ("free", "Free-running clock, 50×", free)):
        trail = [(pose.x, pose.y) for pose in driven.trail]
        end = np.array([driven.trail[-1]])
        world = replace(load_world("maze"), title=title)
        picture = draw_world(world, poses=end, trails={"scout": trail}, size=500, rays=False)
        picture.save(PICTURES / f"evolution-{name}.png", optimize=True)


def chemotaxis() -> None:
    """The network of E. coli, the response of its motor to steps, and the density of ten thousand walkers."""
    network = load_reactions("ecoli-chemotaxis")
    steps = [find_bias_response(1.0, after) for after in (0.5, 1.1, 2.0)]
    population = run_population("normal", "petri-dish-gauss", walkers=10_000, seconds=40.0, every=2.0)
    for name, chart in {
        "network": draw_reactions(network),
        "steps": step_response_chart(
            steps, y_name="clockwise bias", title="Response of the motor to steps of the ligand"
        ),
        "density": density_chart(population, (1.0, 0.5), about="10,000 walkers, each in its own petri-dish-gauss"),
    }.items():
        save_figure(chart, PICTURES / f"ecoli-{name}.png")


if __name__ == "__main__":
    main()
