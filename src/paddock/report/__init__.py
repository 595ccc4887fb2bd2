"""Output files of a run (traces, a log, a summary, pictures and a page), and charts for your own data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.core.lazy import import_on_demand

if TYPE_CHECKING:
    from paddock.report.chart_style import save_figure
    from paddock.report.charts import DotSeries, Level, Series, dot_chart, histogram, line_chart
    from paddock.report.drawing.animation import save_animation
    from paddock.report.drawing.draw_world import draw_paths
    from paddock.report.estimate_charts import consistency_chart, draw_ellipse, ellipse_path, error_map, umbmark_chart
    from paddock.report.evolution_charts import elites_map, learning_curve
    from paddock.report.interval_charts import IntervalSeries, interval_chart, interval_lines
    from paddock.report.report_files import ALL_FILES, fresh_folder, write_run
    from paddock.report.run_charts import error_chart, error_histogram, wheel_speed_chart
    from paddock.report.run_report import TaskOutcome
    from paddock.report.slam_charts import coverage_chart, map_chart, map_view_chart, path_chart, relations_chart

__all__ = [
    "ALL_FILES",
    "DotSeries",
    "IntervalSeries",
    "Level",
    "Series",
    "TaskOutcome",
    "consistency_chart",
    "coverage_chart",
    "dot_chart",
    "draw_ellipse",
    "draw_paths",
    "elites_map",
    "ellipse_path",
    "error_chart",
    "error_histogram",
    "error_map",
    "fresh_folder",
    "histogram",
    "interval_chart",
    "interval_lines",
    "learning_curve",
    "line_chart",
    "map_chart",
    "map_view_chart",
    "path_chart",
    "relations_chart",
    "save_animation",
    "save_figure",
    "umbmark_chart",
    "wheel_speed_chart",
    "write_run",
]

__getattr__ = import_on_demand(__name__)
