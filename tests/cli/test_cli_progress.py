"""Progress of long commands without a terminal."""

from __future__ import annotations

from paddock.core.terminal.progress import print_runs


def test_lines_of_progress_estimate_the_time_left_without_runs_of_an_earlier_call() -> None:
    now, said = [0.0], list[str]()
    show = print_runs("ecoli-walk", "runs", said.append, lambda: now[0])
    show(60, 100)  # finished before
    for minute in range(1, 5):
        now[0] = 60.0 * minute
        show(60 + 10 * minute, 100)
        now[0] += 1.0
        show(60 + 10 * minute, 100)
    assert said == [
        "ecoli-walk: 70 of 100 runs in 60 s, about 180 s left",
        "ecoli-walk: 80 of 100 runs in 120 s, about 120 s left",
        "ecoli-walk: 90 of 100 runs in 180 s, about 60 s left",
        "ecoli-walk: 100 of 100 runs in 240 s",
    ]
