"""Tests of charts: data, axes and byte-identical files."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from marks import mostly
from paddock.core.errors import PaddockError
from paddock.core.geometry import Point, Pose
from paddock.core.spec import rgb
from paddock.perception.estimation import Estimate, consistency_band, evaluate_squares
from paddock.report.chart_style import new_axes, save_figure
from paddock.report.charts import (
    DotSeries,
    Level,
    Series,
    bin_shares,
    break_gaps,
    dot_chart,
    find_range,
    histogram,
    line_chart,
    thin_line,
)
from paddock.report.drawing.colours import ERROR, LEFT, LINES, MEAN, RIGHT, TARGET, line_color, palette
from paddock.report.estimate_charts import consistency_chart, draw_ellipse, ellipse_path, umbmark_chart
from paddock.report.evolution_charts import elites_map, learning_curve
from paddock.report.interval_charts import IntervalSeries, interval_lines
from paddock.report.run_charts import error_chart, error_histogram, wheel_speed_chart

Floats = np.ndarray[Any, np.dtype[np.float64]]
CAPTURED: Any = {"capture_output": True, "text": True, "check": True}
TIME = np.arange(101.0)
HISTORY = {
    "number": np.arange(1.0, 31.0),
    "mean": np.linspace(0.0, 0.5, 30),
    "best": np.linspace(0.0, 0.9, 30),
    "champion": np.linspace(0.1, 1.2, 30),
}

ESTIMATE = Estimate(Pose(1.0, 0.5, 0.3), np.diag([0.04, 0.01, 0.1]))
SQUARES = evaluate_squares([(0.01, 0.02)] * 3, [(-0.02, 0.01)] * 3, side=0.6, wheel_separation=0.053)


def simple_line(*, ax: Axes | None = None) -> Axes:
    return line_chart("Line", [Series("y", LEFT, TIME, TIME**2)], x_name="time [s]", y_name="y [m]", ax=ax)


CHARTS: dict[str, Callable[..., Axes]] = {
    "line": simple_line,
    "histogram": partial(histogram, "Bars", np.sin(TIME), x_name="x", color=LEFT, levels=[Level("mean", MEAN, 0.0)]),
    "dots": partial(dot_chart, "Dots", ["a", "b"], [DotSeries("ours", LEFT, [1.0, 20.0])], x_name="time [ms]"),
    "wheels": partial(wheel_speed_chart, TIME, np.stack([TIME, -TIME], axis=1), spans=[("go", 0.0, 50.0)]),
    "error": partial(error_chart, TIME, 0.01 * np.sin(TIME)),
    "error histogram": partial(error_histogram, 0.01 * np.sin(TIME), target=0.2),
    "curve": partial(learning_curve, HISTORY, solved_in=9),
    "consistency": partial(consistency_chart, TIME, 3 + 2 * np.sin(TIME), consistency_band(20)),
    "ellipse": partial(draw_ellipse, ESTIMATE),
    "ellipses": partial(ellipse_path, [ESTIMATE], [Pose(0.0, 0.0, 0.0), ESTIMATE.pose]),
    "squares": partial(umbmark_chart, SQUARES, SQUARES),
    "elites": partial(elites_map, np.eye(4), x_name="distance", y_name="turning"),
}


def draw(ax: Axes) -> Image.Image:
    """Render the chart as it is written to a file."""
    canvas = FigureCanvasAgg(ax.get_figure(root=True))
    canvas.draw()
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def has_color(ax: Axes, picture: Image.Image, at: Point, color: str, most: int = 60) -> bool:
    """Return whether the pixel at a data position, or a neighbour, has nearly the colour."""
    x, y = ax.transData.transform(at)
    near = [(round(x) + dx, picture.height - 1 - round(y) + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    found = [picture.getpixel(pixel) for pixel in near]
    return any(
        isinstance(f, tuple) and max(abs(a - b) for a, b in zip(f, rgb(color), strict=True)) <= most for f in found
    )


def list_texts(ax: Axes) -> list[str]:
    """Return every text of a chart, including its legend."""
    from matplotlib.text import Text

    return [text.get_text() for text in ax.findobj(Text) if isinstance(text, Text) and text.get_text()]


@pytest.mark.parametrize("name", CHARTS)
def test_chart_draws_into_given_axes_and_returns_them(name: str) -> None:
    figure = Figure(figsize=(8, 8))
    first, second = figure.subplots(2, 1)
    assert CHARTS[name](ax=second) is second
    assert second.has_data()
    assert not first.has_data()
    assert figure.get_figheight() == 8


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
@pytest.mark.parametrize("name", mostly(["line"], CHARTS))
def test_chart_files_are_byte_identical(name: str, ending: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{i}.{ending}" for i in (1, 2)]
    for file in files:
        save_figure(CHARTS[name](), file)
    first, second = (file.read_bytes() for file in files)
    assert first == second
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending])
    import matplotlib

    for word in (matplotlib.__version__, "CreationDate", "dc:date", "Software"):
        assert word.encode() not in first
    assert len(list(tmp_path.iterdir())) == 2


def test_picture_is_1000_pixels_wide(tmp_path: Path) -> None:
    save_figure(simple_line(), tmp_path / "line.png")
    with Image.open(tmp_path / "line.png") as picture:
        assert picture.width == 1000
        assert 350 < picture.height < 600


def test_unsupported_file_type_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PaddockError, match=r"line.bmp: .* ends with \.png, \.svg, \.pdf"):
        save_figure(simple_line(), tmp_path / "line.bmp")
    with pytest.raises(PaddockError, match=r"world.svg: .* ends with \.png"):
        save_figure(Image.new("RGB", (2, 2)), tmp_path / "world.svg")
    assert not list(tmp_path.iterdir())


def test_charts_do_not_change_matplotlib_settings(tmp_path: Path) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    for chart in CHARTS.values():
        chart()
    save_figure(simple_line(), tmp_path / "line.svg")
    assert dict(matplotlib.rcParams) == before


def test_matplotlib_and_jinja_are_imported_lazily_and_pyplot_never() -> None:
    code = (
        "import sys, paddock, paddock.report, paddock.cli, paddock.report.charts as charts\n"
        "print([name for name in ('matplotlib', 'jinja2') if name in sys.modules])\n"
        "charts.histogram('a', [1.0], x_name='x', color='#000000')\n"
        "print([name for name in ('matplotlib', 'matplotlib.pyplot') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], **CAPTURED)
    assert done.stdout.splitlines() == ["[]", "['matplotlib']"]


def test_wheel_speeds_are_drawn_at_their_positions() -> None:
    wheels = np.stack([np.where(TIME < 50, 0.1, 0.3), np.full(101, -0.2)], axis=1)
    ax = wheel_speed_chart(TIME, wheels, spans=[("slow", 0.0, 50.0), ("fast", 50.0, 100.0)])
    picture = draw(ax)
    for x, y, color in ((25, 0.1, LEFT), (75, 0.3, LEFT), (25, -0.2, RIGHT), (75, -0.2, RIGHT)):
        assert has_color(ax, picture, (x, y), color)
    assert not has_color(ax, picture, (75, 0.1), LEFT)
    assert {"slow", "fast", "left", "right", "time [s]", "wheel speed [m/s]"} <= set(list_texts(ax))


def test_task_name_that_does_not_fit_moves_to_the_legend() -> None:
    spans = [("turn", 0.0, 0.5), ("follow the wall", 0.5, 60.0), ("stop at the end of the wall", 60.0, 62.0)]
    ax = line_chart("Tasks", [Series("y", LEFT, TIME, TIME)], x_name="t", y_name="y", spans=spans)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["y", "turn", "stop at the end of the wall"]


def test_single_spike_in_100000_values_is_visible() -> None:
    x = np.arange(100_000.0)
    y = np.zeros(100_000)
    y[41_234], y[70_001] = 1.0, -1.0
    ax = line_chart("Spikes", [Series("y", ERROR, x, y)], x_name="time [s]", y_name="y")
    picture = draw(ax)
    assert has_color(ax, picture, (41_234, 0.6), ERROR, most=110)
    assert has_color(ax, picture, (70_001, -0.6), ERROR, most=110)
    assert not has_color(ax, picture, (50_000, 0.6), ERROR, most=110)


def test_thinned_line_keeps_extremes_ends_and_gaps() -> None:
    x = np.linspace(0.0, 1.0, 50_000)
    y = np.random.default_rng(1).normal(size=50_000)
    thin_x, thin_y = thin_line(x, y, 100)
    assert len(thin_x) <= 4 * 101
    assert (thin_y.max(), thin_y.min()) == (y.max(), y.min())
    assert (thin_y[0], thin_y[-1]) == (y[0], y[-1])
    assert (np.diff(thin_x) >= 0).all()
    broken = np.insert(x, 20_000, math.nan), np.insert(y, 20_000, math.nan)
    assert np.isnan(thin_line(*broken, 100)[0]).sum() == 1
    assert thin_line(x[:5], y[:5], 100)[0].tolist() == x[:5].tolist()


def test_line_is_broken_at_long_gaps() -> None:
    time = np.arange(301.0)
    errors = np.where((time % 3 == 0) & ~((time > 100) & (time < 200)), 0.1, math.nan)
    x, y = break_gaps(time, errors)
    assert np.flatnonzero(np.isnan(y)).tolist() == [34]
    assert len(x) == 69
    ax = error_chart(time, errors)
    picture = draw(ax)
    assert has_color(ax, picture, (50, 10.0), ERROR)
    assert not has_color(ax, picture, (150, 10.0), ERROR)


def test_histogram_shows_shares_mean_and_target() -> None:
    errors = np.where(np.arange(100) < 75, 0.05, -0.03)
    ax = error_histogram(errors, quantity="wall distance", target=0.23)
    picture = draw(ax)
    mean = 23 + 0.75 * 5 - 0.25 * 3
    assert has_color(ax, picture, (mean, 60), MEAN)
    assert any(has_color(ax, picture, (23, share), TARGET) for share in range(40, 60))
    edges, shares, outside = bin_shares(errors * 100 + 23, [mean, 23.0])
    assert (round(shares.max()), round(shares.sum()), outside) == (75, 100, 0)
    highest = int(np.argmax(shares))
    assert edges[highest] <= 28.000001 <= edges[highest + 1] + 1e-6
    assert has_color(ax, picture, ((edges[highest] + edges[highest + 1]) / 2, 60), LEFT, most=90)
    assert {"mean 26 cm", "target 23 cm", "wall distance [cm]", "share [%]"} <= set(list_texts(ax))


def test_outliers_do_not_widen_a_histogram() -> None:
    values = np.append(np.random.default_rng(2).normal(0, 0.01, 5000), [7.0, -9.0])
    edges, shares, outside = bin_shares(values)
    assert outside == 2
    assert edges[-1] - edges[0] < 0.2
    assert shares.sum() == pytest.approx(100)


def test_logarithmic_axis_spaces_equal_ratios_equally() -> None:
    line = Series("y", ERROR, np.arange(1.0, 201.0), np.ones(200), mark=(10.0, 1.0))
    ax = line_chart("Ratios", [line], x_name="x", y_name="y", log_x=True, mark="here")
    picture = draw(ax)
    places = [ax.transData.transform((x, 1.0))[0] for x in (1.0, 10.0, 100.0)]
    assert places[1] - places[0] == pytest.approx(places[2] - places[1])
    labels = [text.get_text() for text in ax.get_xticklabels() if 1.0 <= text.get_position()[0] <= 200.0]
    assert labels == ["1", "2", "5", "10", "20", "50", "100", "200"]
    assert has_color(ax, picture, (10.0, 1.0), ERROR)
    assert "here" in list_texts(ax)


def test_solved_generation_is_a_vertical_line() -> None:
    ax = learning_curve(HISTORY, solved_in=9)
    upright = [
        line for line in ax.get_lines() if len(set(np.ravel(line.get_xdata()))) == 1 and len(line.get_xdata()) == 2
    ]  # type: ignore[arg-type]
    assert [float(np.ravel(line.get_xdata())[0]) for line in upright] == [9.0]
    assert "solved in generation 9" in list_texts(ax)
    assert "solved in generation 9" not in list_texts(learning_curve(HISTORY))
    level = [line for line in ax.get_lines() if len(set(np.ravel(line.get_ydata()))) == 1]
    assert not level


def test_best_line_is_omitted_when_equal_to_champion() -> None:
    same = {**HISTORY, "best": HISTORY["champion"]}
    assert "best of the generation" in list_texts(learning_curve(HISTORY))
    assert "best of the generation" not in list_texts(learning_curve(same))
    fallen = {**HISTORY, "champion": [*HISTORY["champion"][:-1], 0.0]}
    assert "small · champion: most worlds solved, then fittest" in list_texts(learning_curve(fallen, about="small"))
    with pytest.raises(PaddockError, match="no column 'mean': expected number, mean, best, champion"):
        learning_curve({"number": [1.0]})


def test_elites_map_has_a_colour_bar_and_axis_names() -> None:
    fitness = np.array([[0.0, math.nan, 1.0], [2.0, 3.0, math.nan]])
    ax = elites_map(fitness, x_name="distance [m]", y_name="turning [rad]", x_range=(0.0, 3.0))
    picture = draw(ax)
    figure = ax.get_figure()
    assert figure is not None
    bar = next(other for other in figure.axes if other is not ax)
    assert bar.get_ylabel() == "fitness"
    assert bar.get_ylim() == (0.0, 3.0)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("distance [m]", "turning [rad]")
    assert has_color(ax, picture, (0.5, 0.25), "#f3e6c4", most=8)  # the worst: first row, first column
    assert has_color(ax, picture, (1.5, 0.75), "#0b4f6c", most=8)  # the best: second row, second column
    assert has_color(ax, picture, (1.5, 0.25), "#fbfaf7", most=25)  # none
    assert any("4 of 6 cells filled" in text for text in list_texts(ax))


@pytest.mark.parametrize("fitness", [np.full((2, 2), math.nan), np.full((2, 2), 0.7)])
def test_elites_map_draws_without_elites_or_with_equal_ones(fitness: Floats, tmp_path: Path) -> None:
    save_figure(elites_map(fitness, x_name="a", y_name="b"), tmp_path / "elites.png")


def test_palette_is_json_data_and_line_colours_differ() -> None:
    import json

    assert json.loads(json.dumps(palette()))["lines"] == list(LINES)
    assert len({line_color(i) for i in range(20)}) == 20


def test_ranges_are_never_empty() -> None:
    assert find_range([np.array([])]) == pytest.approx((-0.06, 1.06))
    assert find_range([np.full(3, 2.0)]) == pytest.approx((1.8, 2.2))
    assert find_range([np.zeros(3)]) == (-1.0, 1.0)
    assert find_range([np.array([math.nan, 3.0, math.inf, 1.0])], margin=0.0) == (1.0, 3.0)


def overlapping_texts(ax: Axes) -> list[tuple[str, str]]:
    """Return pairs of visible texts of a chart that overlap or that exceed the picture."""
    from matplotlib.text import Text

    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    low, high = ax.get_xlim()
    inside = [text for text in (*ax.get_xticklabels(),) if low <= text.get_position()[0] <= high]
    y_low, y_high = sorted(ax.get_ylim())
    inside += [text for text in ax.get_yticklabels() if y_low <= text.get_position()[1] <= y_high]
    ticks = {id(text) for text in (*ax.get_xticklabels(), *ax.get_yticklabels())} - {id(text) for text in inside}
    texts = [
        t
        for t in ax.findobj(Text)
        if isinstance(t, Text) and t.get_text().strip() and t.get_visible() and id(t) not in ticks
    ]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    width, height = figure.bbox.width, figure.bbox.height
    found = [(text, "edge") for text, b in boxes if b.x0 < -1 or b.y0 < -1 or b.x1 > width + 1 or b.y1 > height + 1]
    for i, (text, a) in enumerate(boxes):
        for other, b in boxes[:i]:
            if min(a.x1, b.x1) - max(a.x0, b.x0) > 1 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1:
                found.append((text, other))
    return found


LONG = "a name that is far too long for any legend " * 3
HARD: dict[str, Callable[[], Axes]] = {
    "long titles, many levels and tasks": partial(
        line_chart,
        "A very long title " * 12,
        [Series(LONG, LEFT, np.arange(3.0), np.array([1.0, 5.0, 2.0]))],
        x_name=LONG,
        y_name=LONG,
        about="a long text " * 30,
        levels=[Level(f"level {i}", ERROR, float(i)) for i in range(20)],
        spans=[(f"span {i}", 0.1 * i, 0.1 * i + 0.1) for i in range(20)],
    ),
    "huge numbers": partial(
        wheel_speed_chart, 1e5 + 1e4 * TIME, np.stack([TIME * 1e5, TIME * 1e-9], axis=1), spans=[("x", 1e5, 1e6)]
    ),
    "nothing": partial(histogram, "Nothing", np.array([]), x_name="nothing", color=LEFT),
    "one tiny value": partial(
        histogram, "One", np.array([1e-7]), x_name="x [m]", color=LEFT, about="a long text " * 30
    ),
    "no rows": partial(wheel_speed_chart, np.empty(0), np.empty((0, 2))),
    "dollars": partial(histogram, "cost $5 and $6", TIME, x_name="$", color=LEFT, about="$$"),
    "dots that touch": partial(
        dot_chart,
        "Dots",
        ["one", LONG, "three"],
        [
            DotSeries("a", LEFT, [0.1, 3.0, math.nan]),
            DotSeries("b", ERROR, [0.101, 2.9, 5.0]),
            DotSeries("c", MEAN, [0.102, 90.0, 0.0]),
        ],
        x_name="time [ms]",
        about="a long text " * 30,
    ),
    "a mark at the right edge": partial(learning_curve, HISTORY, solved_in=30),
}


@pytest.mark.parametrize("name", [*CHARTS, *HARD])
def test_texts_never_overlap_and_are_never_cut(name: str) -> None:
    assert overlapping_texts((CHARTS | HARD)[name]()) == []


def test_empty_axes_can_have_any_size() -> None:
    figure = new_axes(width=4.0, height=2.0).get_figure()
    assert figure is not None
    assert tuple(figure.get_size_inches()) == (4.0, 2.0)


def test_consistency_chart_states_share_of_time_in_the_band() -> None:
    ax = consistency_chart([0.0, 1.0, 2.0, 3.0], [0.1, 3.0, 3.0, 40.0], consistency_band(1))
    assert any("50.0 % of the time in the band 0.216 … 9.35" in text.get_text() for text in ax.texts)
    assert ax.get_yscale() == "log"


def test_umbmark_chart_states_largest_systematic_errors() -> None:
    after = evaluate_squares([(0.001, 0.002)] * 3, [(-0.002, 0.001)] * 3, side=0.6, wheel_separation=0.053)
    ax = umbmark_chart(SQUARES, after)
    assert any("22.4 → 2.2 mm" in text.get_text() for text in ax.texts)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "clockwise, before", "counter-clockwise, before", "clockwise, after", "counter-clockwise, after",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: line("y", [0, 1, 2], [0, 1]), "line 'y': expected as many values of y as of x, got 2 and 3"),
        (lambda: line("y", ["a"], [0]), "line 'y': expected numbers"),
        (
            lambda: dot_chart("d", ["a", "b"], [DotSeries("m", LEFT, [1.0])], x_name="x"),
            "dots 'm': expected 2 values, got 1",
        ),
        (
            lambda: interval_lines("i", [IntervalSeries("m", LEFT, [0], [0], [1], [2])], x_name="x", y_name="y"),
            "interval lines: 'm': expected low <= mean <= high",
        ),
    ],
)
def test_inconsistent_data_is_refused(wrong: Callable[[], Axes], message: str) -> None:
    with pytest.raises(PaddockError, match=message):
        wrong()


def line(name: str, x: Any, y: Any, **options: Any) -> Axes:
    return line_chart("t", [Series(name, LEFT, x, y)], x_name="x", y_name="y", **options)


def test_logarithmic_axis_omits_non_positive_values() -> None:
    ax = line("y", [-1, 0, 1, 100], [5, 6, 7, 8], log_x=True)
    assert ax.get_xlim() == (1.0, 100.0)
    draw(ax)


def test_charts_of_runs_accept_lists() -> None:
    draw(wheel_speed_chart([0, 1], [[0, 1], [1, 2]]))
    draw(error_chart([0, 1], [0, 1]))
    draw(error_histogram([0, 1]))
