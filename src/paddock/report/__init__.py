"""What a run leaves behind: a log, traces, a summary, pictures, and a page with all of it."""

from paddock.report.files import fresh_folder, write_run

__all__ = ["fresh_folder", "write_run"]
