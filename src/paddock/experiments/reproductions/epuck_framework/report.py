"""The report: the framework's timings next to ours, and the line crossing in tables, pictures and explanations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from paddock.experiments.reproductions.epuck_framework.claims import Times
from paddock.experiments.reproductions.epuck_framework.crossing import CURVE, SETUPS, CrossingRun, placed_world
from paddock.experiments.reproductions.epuck_framework.reproduce import tabulate_timing
from paddock.experiments.reproductions.epuck_framework.timing import TESTS, WAYS
from paddock.report.charts import DotSeries, dot_chart
from paddock.report.document import Figure, Heading, Paragraph, Part
from paddock.report.drawing.draw_world import draw_paths

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from PIL.Image import Image

    from paddock.experiments.reproductions.epuck_framework.reproduce import FrameworkFindings

TITLE = "e-puck framework: its timing tests, and two robots that meet on a line"
PAPER, OURS = "#5c6570", ("#e4572e", "#2e86ab")  # colours: the framework's, ours through a server and in process
SIZE = 1000  # width of a picture [pixels]
SHOWN = 60.0  # [s] of a run that its picture shows

ABOUT = (
    "In 2018 the Vorarlberg University of Applied Sciences built a framework to teach mobile robotics: one "
    "controller for the e-puck in V-REP and for the real e-puck. It was timed with eight tests, about ten minutes "
    "of line following each. Its example shows two e-pucks that meet on a line with two obstacles on it. This report "
    "repeats the same tests and the same task."
)
TIMING = (
    "Medians over the cycles of a line-following loop are shown next to the framework's means. 'Server' is a real "
    "`paddock serve` in its own process, connected through the loopback network, in lock-step. The time of the motor "
    "includes the command and the tick in which it takes effect. The reply to a step contains the readings of all "
    "enabled devices, so reading one device needs no further message. '01 uncached' is the same test with a separate "
    "request. Tests 05, 07 and 08 read in the background: `robot.watch` with `on_sense`, "
    "`camera.on_image`, and a thread that reads the camera. Every loop must be 50 times as fast as the "
    "framework's, and so must every part of it through the server. Two parts of the framework took less than a "
    "millisecond, because they only read a value in memory. There our parts must not be slower. The framework "
    "was timed on a laptop of its time (i7-6700HQ), and its simulator ran in real time."
)
CROSSING = (
    "Each setup has twenty runs of ten simulated minutes, with the noise of the shipped e-puck. The seed "
    "determines the noise and the start poses: up to 10 cm along the line, 4 mm across it and 6° in heading. All "
    "numbers come from ground truth. A lap is 16 checkpoints along the line, passed in order and in the robot's "
    "own direction, each within 0.15 m. A meeting begins when the robots' centres are within 0.16 m. It ends when each "
    "is behind the other and they are 0.16 m apart again. A robot is in a passing manoeuvre while its body is within "
    "0.10 m of the other robot or of an obstacle. Touches less than 0.2 s apart are one contact."
)
CONTROLLER_WORDS = (
    "'Stock' is the framework's first controller. It follows the line if nothing is in front, and uses Braitenberg "
    "avoidance otherwise. Two robots that meet behave like mirror images of each other. Both turn to the same side and "
    "drive on in parallel, push each other, or separate and never return to the line. 'Improved' implements the "
    "published improvement literally: always turn left, keep the passed object on the right. 'Improved, curving' has "
    f"one addition of ours: if it detects nothing, it turns to the right by {CURVE:g}. 'Line patrol' is our own "
    "controller and the default of `paddock demo`."
)
COURSE_WORDS = (
    "The framework's own world is not published, so there are two courses with the same line, obstacles and "
    "start poses. On ours the line is 18 mm wide and the ground sensors are 10 mm apart, as on the real e-puck. A "
    "robot detects the line up to 1 + 0.9 = 1.9 cm away from it. 'Wide line' is the result of a search for a course on "
    "which the published controller works. Its line is 50 mm wide and the sensors are 30 mm apart, so a robot "
    "detects the line up to 3 + 2.5 = 5.5 cm away. This matches V-REP's e-puck, which scans the floor with one camera "
    "of 16 pixels and uses pixels 1, 7 and 14, if the field of view is as wide as the body. That is assumed. "
    "On the narrow line both robots lose the line as soon as they turn. After they have passed each other, "
    "they drive straight on, as published. The robot on the inside of the closed line meets the line again. "
    "The robot on the outside does not return to it. On the wide line at least one of the robots keeps detecting the "
    "line while they pass. A robot that has left it keeps the other one on its right until it detects the line again. "
    "Both robots continue, but they rub along each other for longer than the line patrol may. The stock controller "
    "fails on both courses."
)


def list_parts(findings: FrameworkFindings) -> Iterator[Part]:
    """Iterate over the parts of the report after its claims."""
    yield Heading("Timing tests")
    yield Paragraph(TIMING)
    caption = (
        "Time of a whole loop in each test: the framework, ours through a server and ours in process, logarithmic axis"
    )
    yield Figure("timing", caption, draw_times(findings.times))
    yield tabulate_timing(findings.times)
    yield Heading("Line crossing")
    yield Paragraph(CROSSING)
    yield Paragraph(CONTROLLER_WORDS)
    yield Paragraph(COURSE_WORDS)
    yield findings.table
    for name in SETUPS:
        first = findings.runs[name][0]
        yield Figure(name.replace(", ", "-").replace(" ", "-"), _write_caption(first), draw_run(first))


def _write_caption(run: CrossingRun) -> str:
    return f"{run.job.setup}: the first {min(SHOWN, run.job.seconds):g} s of the run with seed {run.job.seed}"


def draw_times(times: Times) -> Axes:
    """Draw the loop times of all tests: the framework's and ours."""
    dots = [DotSeries("framework, 2018", PAPER, [test.paper["loop"] for test in TESTS])]
    for way, color in zip(reversed(WAYS), OURS, strict=True):
        dots.append(DotSeries(f"ours, {way}", color, [times[test.name, way]["loop"] for test in TESTS]))
    names = [f"{test.name}  {test.what}" for test in TESTS]
    about = "one loop of line following; further left is faster"
    return dot_chart("Timing tests", names, dots, x_name="time of a loop [ms]", about=about)


def draw_run(run: CrossingRun, *, seconds: float = SHOWN, size: int = SIZE) -> Image:
    """Draw the paths of both robots on the map, from the start on."""
    traces = [trace[: round(seconds / trace.dt)] for trace in run.traces]
    part = f"the first {seconds:g} of " if seconds < run.job.seconds else ""
    about = f"seed {run.job.seed} · {part}{run.job.seconds:g} s"
    return draw_paths(traces, placed_world(run.job), title=run.job.setup, about=about, size=size)
