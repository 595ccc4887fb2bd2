"""What a run leaves behind: traces, a log, a summary, pictures and a page; and charts for data of your own."""

from paddock.report.camera_charts import error_map
from paddock.report.charts import DotSeries, Level, Series, dot_chart, histogram, line_chart
from paddock.report.evolution_charts import elites_map, learning_curve
from paddock.report.figures import save_figure
from paddock.report.files import fresh_folder, write_run
from paddock.report.paths import draw_paths
from paddock.report.run_charts import error_chart, error_histogram, wheel_speed_chart
from paddock.report.run_report import TaskOutcome

__all__ = [
    "DotSeries",
    "Level",
    "Series",
    "TaskOutcome",
    "dot_chart",
    "draw_paths",
    "elites_map",
    "error_chart",
    "error_histogram",
    "error_map",
    "fresh_folder",
    "histogram",
    "learning_curve",
    "line_chart",
    "save_figure",
    "wheel_speed_chart",
    "write_run",
]
