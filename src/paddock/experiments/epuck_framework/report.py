"""The report: the framework's table beside ours, the line crossing in numbers and pictures, and what they mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from paddock.experiments.document import opening
from paddock.experiments.epuck_framework.claims import Times
from paddock.experiments.epuck_framework.crossing import CURVE, SETUPS, CrossingRun, placed_world
from paddock.experiments.epuck_framework.reproduce import timing_sheet
from paddock.experiments.epuck_framework.timing import TESTS, WAYS
from paddock.report.charts import DotSeries, dot_chart
from paddock.report.document import Figure, Heading, Paragraph, Part
from paddock.report.paths import draw_paths

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from PIL.Image import Image

    from paddock.experiments.epuck_framework.reproduce import FrameworkFindings

TITLE = "e-puck framework: its timing tests, and two robots that meet on a line"
PAPER, OURS = "#5c6570", ("#e4572e", "#2e86ab")  # colours: the framework's, ours through a server and in process
SIZE = 1000  # width of a picture [pixels]
SHOWN = 60.0  # [s] of a run that its picture shows

ABOUT = (
    "In 2018 the Vorarlberg University of Applied Sciences built a framework to teach mobile robotics: one "
    "controller for the e-puck in V-REP and for the real e-puck. It was timed with eight tests, about ten minutes "
    "of line following each, and it was shown with two e-pucks that meet on a line on which two obstacles stand. "
    "Here are the same tests and the same task."
)
TIMING = (
    "Medians over the cycles of a line following loop, the framework's means beside them. 'Server' is a real "
    "`paddock serve` in a process of its own, reached through the loopback network, in lock-step. The motor's "
    "time is that of the command and of the tick that it takes effect in. A step's answer brings the readings of "
    "all enabled devices, so that asking one device costs no further message; '01 anew' is the same test with a "
    "question of its own. Tests 05, 07 and 08 read in the background: `robot.watch` with `on_sense`, "
    "`camera.on_image`, and a thread that reads the camera. Every loop has to be 50 times as fast as the "
    "framework's, and through the server every part of it, too. Two parts of the framework took less than a "
    "millisecond, because they only looked at a value in memory: there ours have to be no slower. The framework "
    "was timed on a laptop of its time (i7-6700HQ), and its simulator ran in real time."
)
CROSSING = (
    "Twenty runs of ten simulated minutes in each setup, with the noise of the shipped e-puck. The seed "
    "decides the noise and the starts: up to 10 cm along the line, 4 mm across it and 6° in heading. All numbers "
    "come from ground truth. A lap: 16 posts along the line passed in order and in the robot's own direction, "
    "each within 0.15 m. A meeting begins when the robots' centres are within 0.16 m and is over when each is "
    "behind the other and they are 0.16 m apart again. A robot is in a passing manoeuvre while its body is within "
    "0.10 m of the other one's or of an obstacle. Touches less than 0.2 s apart are one contact."
)
CONTROLLER_WORDS = (
    "'Stock' is the framework's first controller: line following where nothing is in front, Braitenberg avoidance "
    "where something is. Two robots that meet are mirror images of each other. Both turn to the same side and "
    "drive on in parallel, push each other, or part and never find back to the line. 'Improved' is the published "
    "cure, to the letter: always turn left, keep what is passed on the right. 'Improved, curving' has one "
    f"addition of ours: where it sees nothing it turns to the right by {CURVE:g}. 'Line patrol' is our own "
    "controller and the default of `paddock demo`."
)
COURSE_WORDS = (
    "The framework's own world is not published, so there are two courses with the same line, obstacles and "
    "starts. On ours the line is 18 mm wide and the ground sensors are 10 mm apart, as on the real e-puck: a "
    "robot beside the line sees it up to 1 + 0.9 = 1.9 cm away. 'Wide line' was searched for: a course on which "
    "the published controller goes on. Its line is 50 mm wide and the sensors are 30 mm apart, so that a robot "
    "sees the line up to 3 + 2.5 = 5.5 cm away. That fits V-REP's e-puck, which looks at the floor with one "
    "camera of 16 pixels across, of which programs take 1, 7 and 14, if its view is as wide as the body; that is "
    "assumed. On the narrow line both robots lose the line as soon as they turn, and when the other one is past "
    "they drive straight on, as they are told. The robot on the inside of the closed line meets the line again; "
    "the one on the outside leaves it for good. On the wide line at least one of the robots keeps the line in "
    "sight while they pass; one that left it has the other on its right until it sees the line again. So both go "
    "on, though they rub along each other for longer than is wanted of the line patrol. The stock controller "
    "fails on both courses."
)


def list_parts(findings: FrameworkFindings) -> Iterator[Part]:
    """The report, part by part."""
    yield from opening(findings, ABOUT)
    yield Heading("Timing tests")
    yield Paragraph(TIMING)
    caption = (
        "A whole loop of each test: the framework, and ours through a server and in process, on a logarithmic axis"
    )
    yield Figure("timing", caption, draw_times(findings.times))
    yield timing_sheet(findings.times)
    yield Heading("Line crossing")
    yield Paragraph(CROSSING)
    yield Paragraph(CONTROLLER_WORDS)
    yield Paragraph(COURSE_WORDS)
    yield findings.sheet
    for name in SETUPS:
        first = findings.runs[name][0]
        yield Figure(name.replace(", ", "-").replace(" ", "-"), _write_caption(first), draw_run(first))


def _write_caption(run: CrossingRun) -> str:
    return f"{run.job.setup}: the first {min(SHOWN, run.job.seconds):g} s of the run with seed {run.job.seed}"


def draw_times(times: Times, *, ax: Axes | None = None) -> Axes:
    """The loops of all tests: the framework's and ours."""
    dots = [DotSeries("framework, 2018", PAPER, [test.paper["loop"] for test in TESTS])]
    for way, color in zip(reversed(WAYS), OURS, strict=True):
        dots.append(DotSeries(f"ours, {way}", color, [times[test.name, way]["loop"] for test in TESTS]))
    names = [f"{test.name}  {test.what}" for test in TESTS]
    about = "a loop of line following, each test; further to the left is faster"
    return dot_chart("Timing tests", names, dots, x_name="time of a loop [ms]", about=about, ax=ax)


def draw_run(run: CrossingRun, *, seconds: float = SHOWN, size: int = SIZE) -> Image:
    """The paths of both robots over the map, from the start on."""
    traces = [trace[: round(seconds / trace.dt)] for trace in run.traces]
    shown = min(seconds, run.job.seconds)
    about = f"seed {run.job.seed} · the first {shown:g} of {run.job.seconds:g} s"
    return draw_paths(traces, placed_world(run.job), title=run.job.setup, about=about, size=size)
