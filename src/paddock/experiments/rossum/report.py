"""The report: the thesis' table beside ours, what holds, learning curves and drives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from paddock.core.geometry import Pose
from paddock.draw.colours import GOAL, line_color
from paddock.episodes.recorder import TraceRecorder
from paddock.experiments.document import opening
from paddock.experiments.rossum.claims import MINUTE, PUBLISHED
from paddock.experiments.rossum.clocks import THINKING
from paddock.experiments.rossum.evolutions import GENERATIONS, INPUTS, OUTPUTS, POPULATION, SECONDS
from paddock.experiments.rossum.reproduce import find_best
from paddock.report.charts import Level, Series, line_chart
from paddock.report.document import Figure, Heading, Paragraph, Part
from paddock.report.paths import draw_paths
from paddock.report.sheets import Sheet
from paddock.worlds import load_world

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from PIL.Image import Image

    from paddock.experiments.rossum.reproduce import RossumFindings

TITLE = "Rossum's Playhouse with sensor extensions: the maze, beside the thesis"
SIZE = 800  # width of a picture [pixels]

ABOUT = (
    "In 2007 a thesis at TU Wien gave the simulator Rossum's Playhouse three extensions: a clock that waits for "
    "its clients, range sensors that are computed only when asked, and range sensors that turn. It tried them "
    f"with a simple robot whose neural network ({INPUTS} inputs, {OUTPUTS} outputs) learns its way through a maze: "
    f"population {POPULATION}, {GENERATIONS} generations. The thesis tells how long that took, and neither its "
    "maze, nor its network's hidden units, nor its fitness, nor whether the robot reached the exit. So those are "
    "ours: the shipped maze of 8 × 8 cells, a scout that sees 0.3 m to the left, ahead and to the right, four "
    f"hidden units, and as fitness the part of the way to the exit that the robot got along within {SECONDS:g} "
    "simulated seconds. The machines differ too: the thesis used an AMD64 X2 6400+ of 2007 and Java 1.6."
)
EASY = (
    "With such a robot the maze is no hard problem: most runs reach the exit within twenty generations, and even "
    "random search finds a network that does, after some hundred tries. All generations are evolved all the same; "
    "the later ones make the champion faster."
)
CLOCKS = (
    "Here the best champion drives over the network, against a real `paddock serve`, and takes "
    f"{1000 * THINKING:g} ms for each decision. In lock-step the clock waits: at any speed the drive is the same, to "
    "the last bit, as without a network. The free-running clock goes on meanwhile: at 50× some four ticks pass during "
    "a decision, at 500× some forty, and the robot runs into walls."
)
SENSORS = (
    "With only the turret of the scout, one beam on a servo, the robot stands, turns the beam to the left, ahead "
    "and to the right, asks once each, and drives on with its left hand on the wall. Between the questions the "
    "sensor is never computed. Requests to turn a fixed sensor, or to poll a sensor that cannot be polled, are "
    "refused."
)


def list_parts(findings: RossumFindings) -> Iterator[Part]:
    """The report, part by part."""
    yield from opening(findings, ABOUT)
    yield Heading("The thesis' table beside ours")
    yield _table(findings)
    yield Heading("Learning")
    yield Paragraph(EASY)
    yield Figure(
        "learning",
        "Fitness of the champion so far, one line for each seed, over generations on a logarithmic axis; above 1 the "
        "exit is reached, and a dot marks where that happened first",
        draw_curves(findings),
    )
    yield Heading("Two clocks")
    yield Paragraph(CLOCKS)
    best = find_best(findings.learned).evolution
    dt = best.task.worlds[0].dt
    for drive in findings.drives:
        if drive.clock != "lock-step" or drive.speed == 500.0:
            reached = "reaches the exit" if drive.reached else f"gets {drive.part:.0%} of the way"
            name = drive.name.replace(", ", "-").replace("×", "").replace(" ", "-")
            about = f"champion of seed {best.config.seed} · {reached} · {drive.ticks * dt:.1f} simulated s"
            picture = draw_trail(drive.trail, f"Clock: {drive.name}", about)
            yield Figure(name, f"{drive.name}: {reached}", picture)
    yield Heading("Polled and pivoting")
    yield Paragraph(SENSORS)
    walk = findings.walk
    caption = f"With one beam: {walk.cells} cells, {walk.looks} looks, {walk.seconds:.0f} simulated seconds"
    about = f"seed {walk.seed} · {walk.cells} cells · {walk.looks} looks · {walk.seconds:.0f} simulated s"
    yield Figure("turret", caption, draw_trail(walk.trail, "One turning beam, asked when needed", about))
    yield Heading("All that was measured")
    yield findings.sheet


def _table(findings: RossumFindings) -> Sheet:
    rows = []
    for (version, speed), minutes in PUBLISHED.items():
        text = "failed (crashed after generation 90, every run)" if minutes is None else f"{minutes:g} min"
        rows.append((f"thesis, {version}, {speed}×", text))
    walls = [run.wall for run in findings.learned]
    rows.append(("ours, as fast as it can", f"{np.median(walls):.1f} s ({np.median(walls) / MINUTE:.2f} min)"))
    return Sheet(("system", f"time for {POPULATION} × {GENERATIONS}"), tuple(rows))


def draw_curves(findings: RossumFindings, *, ax: Axes | None = None) -> Axes:
    """The champions' fitness of all evolutions; half of the picture is for the first generations, where it grows."""
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
        ax=ax,
    )


def draw_trail(trail: Sequence[Pose], title: str, about: str) -> Image:
    """The maze with a drive in it, and the robot where it ended."""
    world = load_world("maze")
    recorder = TraceRecorder(world.robots[0].name, world.dt)
    for tick, pose in enumerate(trail):
        recorder.add(tick, pose)
    return draw_paths([recorder.trace()], world, title=title, about=about, size=SIZE)
