"""The report: the thesis' tables next to ours, fitted values, and figures of paths, walkers, filters and camera."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from paddock.experiments.ecoli.walk import published
from paddock.experiments.ecoli.walk.claims import is_complete
from paddock.experiments.ecoli.walk.localisation import NEES_BAND
from paddock.experiments.ecoli.walk.network import CHER, STEPS, NetworkResults
from paddock.experiments.ecoli.walk.orders_runs import RobotRun
from paddock.experiments.ecoli.walk.walk_camera import draw_error_map
from paddock.experiments.ecoli.walk.walk_report import describe_walks
from paddock.experiments.ecoli.waypoint_robots.texts import CM
from paddock.experiments.reproductions.rows import mean_and_spread
from paddock.report import consistency_chart
from paddock.report.chart_style import new_axes, style_axes
from paddock.report.document import Figure, Heading, Paragraph, Part
from paddock.report.drawing.colours import line_color
from paddock.report.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from paddock.experiments.ecoli.walk.reproduce import EColiFindings

TITLE = "E. coli on e-pucks: the thesis' two experiments, and improvements"

ABOUT = (
    "In 2012 a thesis of the Polytechnic University of Valencia and the Robert Gordon University made three e-pucks "
    "move like bacteria. A reaction network generated the way-points of a biased random walk, and a host program sent "
    "them as orders over Bluetooth. Here the network runs on the robots themselves, and both ends use the order "
    "protocol. All improvements that the thesis suggests are included: calibration, an overhead camera, error control "
    "on the link, and classification of obstacles."
)
FITTED = (
    "The errors of experiment 1 come from robot errors, not from noise on the end points: the start heading is off by "
    "3.8°, the wheels differ by 0.147 %, and both the wheels and their separation are smaller than in the data sheet. "
    "These four numbers were fitted to the 25 published points. The table shows that one set of plausible errors "
    "explains all points; it is not an independent test. Unequal wheels alone explain only 0.8 and 0.4 cm. The robot "
    "cannot detect its error, because its program sets its position to the target on arrival."
)
LOCKED = (
    "The published protocol has no time-outs on either side. After one lost end mark, in either direction, robot and "
    "host wait for each other permanently. In the thesis this occurred with one robot of three. In checked mode every "
    "frame has a number and a checksum. The robot rejects a damaged order before it moves, and answers a repeated "
    "number from memory, so that no order is executed twice."
)
LIGHT = (
    "The thesis counted 3 and 11 detections, of which ambient light caused 2 and 7. The brightness of its room is "
    "unknown. Here a lamp is next to the dish, and the table shows the detections at several light levels. In the "
    "dark, light causes none. Each of the published numbers is reached at some level, and the same robot has more of "
    "them. However, no single level reproduces both numbers, because they rise steeply. The lamp's position and the "
    "sensors' sensitivity to light are assumptions, so light explains the kind of the detections, not their number."
)
SHIFTED = (
    "Calibration alone does not help much here. Most of the error comes from the wrong start heading, which a "
    "calibration of the wheels cannot detect. With the correct start, or with an overhead camera, it disappears. The "
    "camera is a model of delayed, noisy fixes with gaps and outliers. In the last row its pictures are rendered, "
    "compressed, and measured by the robot's marker, with a lens and a pose that were calibrated from pictures. "
    "Errors of consecutive pictures are correlated, so the filter uses ten times their covariance, for about one "
    "second of pictures. With independent errors it was overconfident (NEES in its band 67 % of the time, seed 0)."
)


def list_parts(findings: EColiFindings) -> Iterator[Part]:
    """Iterate over the parts of the report after its claims."""
    yield from _networks(findings)
    yield from describe_walks(findings.walks)
    yield from _experiment_1(findings)
    yield Heading("Experiment 2: three robots at once")
    yield Paragraph(LOCKED)
    yield tabulate_published(findings)
    yield tabulate_links(findings)
    yield Heading("Light detected as an obstacle")
    yield Paragraph(LIGHT)
    yield findings.detections.table
    yield Figure("light", "Detections by light against the light level", findings.detections.draw())
    yield Paragraph(
        "The tables show how each source of evidence, and all of them together, classify random detections. The "
        "evidence from ambient light depends on the sensitivity of the sensors. Further tables show a sensitivity "
        "that is wrong by one fifth, and a measured one."
    )
    for name, matrix in findings.confusion.items():
        yield Paragraph(f"By {name}:")
        yield matrix.table
    yield Heading("The overhead camera")
    yield tabulate_cameras(findings)
    for camera in findings.cameras:
        width, height = camera.size
        yield Figure(f"camera-{width}", f"Errors of positions at {width} × {height}", draw_error_map(camera))
    yield Heading("Avoidance")
    yield findings.avoidance.table


def _networks(findings: EColiFindings) -> Iterator[Part]:
    yield Heading("The network")
    for name, found in findings.networks.items():
        yield from _network(name, found)


def _network(name: str, results: NetworkResults) -> Iterator[Part]:
    yield Paragraph(f"{name}: clockwise bias at rest {results.rest_bias:.4f}. Steps of the concentration:")
    assert len(results.adaptations) == len(STEPS)
    yield Table.of(
        {
            "factor": f"{step.factor:g}",
            "half of the response [s]": f"{step.response_time:.3f}",
            "extreme [s]": f"{step.peak_time:.2f}",
            "settled within 5 % [s]": f"{step.settling_time:.1f}",
            "error at 60 s": f"{step.error:.2e}",
        }
        for step in results.adaptations
    )
    yield Paragraph("The same step with less and more CheR: adaptation stays exact, but its time and the bias change.")
    changes = [
        (f"{c.factor:g}", f"{c.rest_bias:.3f}", f"{c.settling_time:.1f}", f"{c.error:.2e}") for c in results.robustness
    ]
    assert len(changes) == len(CHER)
    yield Table(("CheR", "bias at rest", "settled within 5 % [s]", "error"), tuple(changes))


def _experiment_1(findings: EColiFindings) -> Iterator[Part]:
    run = findings.experiment_1.robots[published.ROBOT_1]
    yield Heading("Experiment 1: 25 orders")
    yield Paragraph(FITTED)
    yield tabulate_points(run)
    yield Figure("experiment-1", "Targets, published positions and ours", draw_experiment_1(run))
    yield Paragraph(SHIFTED)
    yield Table.of(
        {
            "run": walks[0].name,
            "mean error [cm]": mean_and_spread([walk.mean_error / CM for walk in walks], 2),
            "largest [cm]": f"{max(float(walk.errors.max()) for walk in walks) / CM:.2f}",
            "NEES in its band [%]": mean_and_spread([100 * walk.share_in_band for walk in walks], 1),
        }
        for walks in (*zip(*(outcomes.values() for outcomes in findings.knowledge), strict=True), findings.pictures)
    )
    for name, walk in (("camera", findings.knowledge[0]["camera"]), ("pictures", findings.pictures[0])):
        chart = consistency_chart(walk.time, walk.nees, NEES_BAND)
        yield Figure(f"nees-{name}", f"Consistency of the filter: {walk.name}", chart)


def tabulate_points(run: RobotRun) -> Table:
    """Return table 4 of the thesis next to ours [cm]."""
    heads = ("n", "target x", "y", "published x", "y", "ours x", "y", "published error x", "y", "ours x", "y")
    rows = []
    for n, (target, theirs, place) in enumerate(
        zip(published.TARGETS_1, published.REACHED_1, run.positions, strict=False)
    ):
        mine = [axis / CM for axis in place]
        pairs = (*target, *theirs, *mine)
        errors = [abs(a - b) for reached in (theirs, mine) for a, b in zip(reached, target, strict=True)]
        rows.append((str(n), *(f"{value:g}" for value in pairs[:4]), *(f"{v:.1f}" for v in (*pairs[4:], *errors))))
    return Table(heads, tuple(rows), "centimetres")


def draw_experiment_1(run: RobotRun) -> Axes:
    """Draw the path, the targets, and the positions that the published robot and ours reached."""
    ax = new_axes(height=7.0)
    path = np.array([pose[:2] for pose in run.path]) / CM
    ours = np.array(run.positions) / CM
    ax.plot(*path.T, color="#8a8f98", linewidth=0.8, label="our path")
    for name, points, color, mark in (
        ("target", np.array(published.TARGETS_1, float), "#222222", "+"),
        ("published", np.array(published.REACHED_1), line_color(1), "o"),
        ("ours", ours, line_color(0), "x"),
    ):
        ax.plot(*points.T, mark, color=color, markersize=6, fillstyle="none", label=name)
    style_axes(ax, title="Experiment 1", about="with the fitted robot errors", x_name="x [cm]", y_name="y [cm]")
    ax.set_aspect("equal")
    ax.legend(fontsize=9, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax


def tabulate_published(findings: EColiFindings) -> Table:
    """Return table 5 of the thesis next to ours."""
    runs = findings.experiment_2["2012"]
    rows = []
    for name, done in published.DONE_2.items():
        walks = [run.robots[name].walk for run in runs]
        time, detections = published.MOVING_TIME_2.get(name), published.DETECTIONS_2.get(name)
        row = {
            "robot": name,
            "orders, published": f"{done}/25",
            "orders, ours": f"{np.mean([walk.done for walk in walks]):.1f}/25",
            "moving time, published [s]": "" if time is None else f"{time:.2f}",
            "moving time, ours [s]": _mean([walk.moving_time for walk in walks]),
            "detections, published": "" if detections is None else str(detections),
            "detections, ours": _mean([walk.detections for walk in walks]),
        }
        rows.append(row)
    return Table.of(rows, "the protocol of 2012 on good lines, in the dark")


def tabulate_links(findings: EColiFindings) -> Table:
    """Tabulate every condition of experiment 2."""
    rows = []
    for condition, runs in findings.experiment_2.items():
        robots = [robot for run in runs for robot in run.robots.values()]
        row = {
            "condition": condition,
            "runs": str(len(runs)),
            "all orders done": str(sum(map(is_complete, runs))),
            "runs with a lock-up": str(sum(bool(run.locked) for run in runs)),
            "runs aborted": str(sum(bool(run.unfinished) for run in runs)),
            "orders done": f"{100 * np.mean([robot.walk.done / len(robot.targets) for robot in robots]):.0f} %",
            "resends": f"{np.mean([robot.link.resends for robot in robots]):.1f}",
            "reopenings": f"{np.mean([robot.link.reopenings for robot in robots]):.1f}",
            "time [s]": mean_and_spread([run.seconds for run in runs], 0),
        }
        rows.append(row)
    return Table.of(rows, "experiment 2; resends and reopenings are means per robot")


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{np.mean(known):.1f}" if known else "-"


def tabulate_cameras(findings: EColiFindings) -> Table:
    """Tabulate the accuracy of each camera, and the effect of errors."""
    return Table.of(
        {
            "picture": f"{camera.size[0]} × {camera.size[1]}",
            "pixels of a marker": f"{camera.pixels_per_marker:.0f}",
            "found": f"{100 * camera.detected:.1f} %",
            "position mean / 95 % [mm]": f"{camera.mean:.2f} / {camera.p95:.2f}",
            "heading mean / 95 % [°]": f"{camera.heading_mean:.2f} / {camera.heading_p95:.2f}",
            "NEES": f"{camera.nees:.1f}",
            "floor's plane [mm]": f"{camera.floor_plane_mean:.1f}",
            "not undistorted [mm]": f"{camera.distorted_mean:.1f}",
        }
        for camera in findings.cameras
    )
