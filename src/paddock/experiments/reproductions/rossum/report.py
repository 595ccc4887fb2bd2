"""The report: the thesis' table next to ours, claims, learning curves and drives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from paddock.arena.episodes.recorder import TraceRecorder
from paddock.core.geometry import Pose
from paddock.experiments.reproductions.rossum.claims import MINUTE, PUBLISHED
from paddock.experiments.reproductions.rossum.clocks import THINKING
from paddock.experiments.reproductions.rossum.evolutions import GENERATIONS, INPUTS, OUTPUTS, POPULATION, SECONDS
from paddock.experiments.reproductions.rossum.reproduce import find_best
from paddock.report.charts import Level, Series, line_chart
from paddock.report.document import Figure, Heading, Paragraph, Part
from paddock.report.drawing.colours import GOAL, line_color
from paddock.report.drawing.draw_world import draw_paths
from paddock.report.tables import Table
from paddock.simulation.worlds import load_world

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from PIL.Image import Image

    from paddock.experiments.reproductions.rossum.reproduce import RossumFindings

TITLE = "Rossum's Playhouse with sensor extensions: the maze, compared with the thesis"
SIZE = 800  # width of a picture [pixels]

ABOUT = (
    "In 2007 a thesis at TU Wien added three extensions to the simulator Rossum's Playhouse: a clock that waits for "
    "its clients, range sensors that are computed only on request, and range sensors that turn. It tested them with a "
    f"simple robot whose neural network ({INPUTS} inputs, {OUTPUTS} outputs) learns to drive through a maze: "
    f"population {POPULATION}, {GENERATIONS} generations. The thesis reports how long that took. It does not report "
    "its maze, the number of hidden units, the fitness function, or whether the robot reached the exit. Our own "
    "choices are the shipped maze of 8 × 8 cells, a scout with a range of 0.3 m to the left, ahead and to the right, "
    f"four hidden units, and as fitness the fraction of the path to the exit that the robot drives within {SECONDS:g} "
    "simulated seconds. The machines differ as well: the thesis used an AMD64 X2 6400+ of 2007 and Java 1.6."
)
EASY = (
    "With such a robot the maze is not a hard problem. Most runs reach the exit within twenty generations, and even "
    "random search finds a network that does, after some hundred tries. All generations are evolved nevertheless. "
    "The later ones make the champion faster."
)
CLOCKS = (
    "Here the best champion drives over the network, with a real `paddock serve`, and takes "
    f"{1000 * THINKING:g} ms for each decision. In lock-step the clock waits. At any speed the drive is bit-identical "
    "to that without a network. The free-running clock continues during a decision: about four ticks at 50× and about "
    "forty at 500×, and the robot collides with walls."
)
SENSORS = (
    "The robot uses only the turret of the scout, one beam on a servo. It stops, turns the beam to the left, ahead "
    "and to the right, polls it once each, and drives on by the left-hand rule. Between the polls the "
    "sensor is never computed. Requests to turn a fixed sensor, or to poll a sensor that cannot be polled, raise "
    "errors."
)


def list_parts(findings: RossumFindings) -> Iterator[Part]:
    """Iterate over the parts of the report after its claims."""
    yield Heading("The thesis' table and ours")
    yield _table(findings)
    yield Heading("Learning")
    yield Paragraph(EASY)
    yield Figure(
        "learning",
        "Fitness of the champion so far, one line for each seed, over generations on a logarithmic axis; above 1 the "
        "exit is reached, and a dot marks the first time",
        draw_curves(findings),
    )
    yield Heading("Two clocks")
    yield Paragraph(CLOCKS)
    best = find_best(findings.learned).evolution
    dt = best.task.worlds[0].dt
    for drive in findings.drives:
        if drive.clock != "lock-step" or drive.speed == 500.0:
            reached = "reaches the exit" if drive.reached else f"drives {drive.part:.0%} of the path"
            name = drive.name.replace(", ", "-").replace("×", "").replace(" ", "-")
            about = f"champion of seed {best.config.seed} · {reached} · {drive.ticks * dt:.1f} simulated s"
            picture = draw_trail(drive.trail, f"Clock: {drive.name}", about)
            yield Figure(name, f"{drive.name}: {reached}", picture)
    yield Heading("Polled and pivoting sensors")
    yield Paragraph(SENSORS)
    walk = findings.walk
    caption = f"With one beam: {walk.cells} cells, {walk.looks} polls, {walk.seconds:.0f} simulated seconds"
    about = f"seed {walk.seed} · {walk.cells} cells · {walk.looks} polls · {walk.seconds:.0f} simulated s"
    yield Figure("turret", caption, draw_trail(walk.trail, "One turning beam, polled when needed", about))
    yield Heading("All measurements")
    yield findings.table


def _table(findings: RossumFindings) -> Table:
    rows = []
    for (version, speed), minutes in PUBLISHED.items():
        text = "failed (crashed after generation 90, every run)" if minutes is None else f"{minutes:g} min"
        rows.append((f"thesis, {version}, {speed}×", text))
    walls = [run.wall for run in findings.learned]
    rows.append(("ours, as fast as possible", f"{np.median(walls):.1f} s ({np.median(walls) / MINUTE:.2f} min)"))
    return Table(("system", f"time for {POPULATION} × {GENERATIONS}"), tuple(rows))


def draw_curves(findings: RossumFindings) -> Axes:
    """Draw the champions' fitness of all evolutions over a logarithmic axis of generations."""
    lines = []
    for i, run in enumerate(findings.learned):
        numbers, best = [now.number for now in run.history], [now.champion for now in run.history]
        first = run.solved_in
        mark = None if first is None else (float(first), best[numbers.index(first)])
        name = f"seed {run.evolution.config.seed}"
        lines.append(Series(name, line_color(i), np.array(numbers, float), np.array(best), mark=mark))
    solved = sum(run.solved for run in findings.learned)
    return line_chart(
        "Learning curves",
        lines,
        about=f"{solved} of {len(lines)} champions reach the exit · {POPULATION} individuals in each generation",
        x_name="generation",
        y_name="fitness of the champion",
        levels=[Level("exit reached", GOAL, 1.0, dashed=True)],
        log_x=True,
        mark="reached first",
    )


def draw_trail(trail: Sequence[Pose], title: str, about: str) -> Image:
    """Draw the maze with the path of a drive, and the robot at its end."""
    world = load_world("maze")
    recorder = TraceRecorder(world.robots[0].name, world.dt)
    for tick, pose in enumerate(trail):
        recorder.add(tick, pose)
    return draw_paths([recorder.trace()], world, title=title, about=about, size=SIZE)
