"""A run as one page: numbers, pictures and the log, readable anywhere without anything else."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from paddock.report.story import outcome, shown

MOST_LINES = 400  # of the log on the page
STYLE = """
:root { color-scheme: light dark; --paper: #fbfaf7; --card: #ffffff; --ink: #2b2f36; --faint: #666c76;
  --line: #dfdcd4; --accent: #2e86ab; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181d; --card: #1f2229; --ink: #e6e7ea; --faint: #a0a6b1;
  --line: #343944; --accent: #6cb8d8; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
main { max-width: 64rem; margin: 0 auto; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .7rem; }
p.about { color: var(--faint); margin: .3rem 0 0; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .45rem .9rem; border-top: 1px solid var(--line); vertical-align: top; }
tr:first-child > * { border-top: 0; }
thead th { color: var(--accent); }
tbody th { font-weight: normal; color: var(--faint); white-space: nowrap; width: 1%; }
td { white-space: nowrap; }
table.wrapped td { white-space: normal; overflow-wrap: anywhere; }
figure { margin: 0 0 1.2rem; }
figure img { display: block; width: 100%; height: auto; background: #fbfaf7; }
figcaption { padding: .5rem .9rem; color: var(--faint); border-top: 1px solid var(--line); }
pre { margin: 0; padding: .8rem .9rem; font: 13px/1.45 ui-monospace, Consolas, monospace; }
summary { cursor: pointer; padding: .5rem .9rem; }
@media (prefers-color-scheme: dark) { figure img { filter: brightness(.9); } }
@media print { body { padding: 0; } .card { break-inside: avoid; } }
"""


def page(whole: Mapping[str, Any], figures: Sequence[tuple[str, bytes]], log: str) -> str:
    """The page of a run.

    Args:
        whole: what `summary.json` holds.
        figures: captions and PNG files.
        log: what `run.log` holds.
    """
    robots: Mapping[str, Any] = whole["robots"]
    about = f"{whole['world']} · {whole['duration']:.2f} s · {'robot' if len(robots) == 1 else 'robots'} "
    settings = {"world": whole["world"], **whole["config"]}
    if "digest" in whole:
        settings["digest"] = whole["digest"]
    parts = [
        f"<h1>{_text(whole['title'])}</h1>",
        f'<p class="about">{_text(about + ", ".join(list(robots)[:8]) + (", …" if len(robots) > 8 else ""))}</p>',
        "<h2>Outcome</h2>",
        _outcomes(robots),
        _tasks(robots),
        "<h2>Pictures</h2>",
        *(_figure(caption, png) for caption, png in figures),
        "<h2>Settings</h2>",
        _table([], [(name, [shown(value)]) for name, value in settings.items()], wrapped=True),
        "<h2>Log</h2>",
        _log(log),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{_text(whole['title'])}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def _outcomes(robots: Mapping[str, Any]) -> str:
    found = {robot: dict(outcome(numbers)) for robot, numbers in robots.items()}
    names = list(dict.fromkeys(name for rows in found.values() for name in rows))
    if len(robots) <= 4:  # side by side
        rows = [(name, [one.get(name, "-") for one in found.values()]) for name in names]
        return _table(["", *robots] if len(robots) > 1 else [], rows)
    return _table(["robot", *names], [(robot, [one.get(name, "-") for name in names]) for robot, one in found.items()])


def _tasks(robots: Mapping[str, Any]) -> str:
    rows = []
    for robot, numbers in robots.items():
        for task, seconds in numbers["task_seconds"].items():
            times = sum(1 for one in numbers["tasks"] if one["task"] == task)
            share = f"{100 * seconds / numbers['duration']:.1f} %" if numbers["duration"] > 0 else "-"
            first = next(one["start"] for one in numbers["tasks"] if one["task"] == task)
            row = [str(times), f"{first:.2f} s", f"{seconds:.2f} s", share]
            rows.append((f"{robot}: {task}" if len(robots) > 1 else task, row))
    return "<h2>Tasks</h2>\n" + _table(["task", "times", "first at", "duration", "share"], rows) if rows else ""


def _table(heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], *, wrapped: bool = False) -> str:
    top = f"<thead><tr>{''.join(f'<th>{_text(head)}</th>' for head in heads)}</tr></thead>" if heads else ""
    body = "".join(
        f"<tr><th>{_text(name)}</th>{''.join(f'<td>{_text(cell)}</td>' for cell in cells)}</tr>\n"
        for name, cells in rows
    )
    kind = ' class="wrapped"' if wrapped else ""
    return f'<div class="card"><table{kind}>{top}<tbody>{body}</tbody></table></div>'


def _figure(caption: str, png: bytes) -> str:
    source = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
    words = _text(caption)
    return f'<figure class="card"><img alt="{words}" src="{source}"/><figcaption>{words}</figcaption></figure>'


def _log(text: str) -> str:
    lines = text.splitlines()
    more = len(lines) - MOST_LINES
    kept = "\n".join(lines[:MOST_LINES]) + (f"\n… and {more} more lines in run.log" if more > 0 else "")
    return f'<details class="card"><summary>{len(lines)} lines</summary><pre>{_text(kept)}</pre></details>'


def _text(value: object) -> str:
    """A text for a page; characters that no page may hold are left out."""
    return escape("".join(letter for letter in str(value) if letter >= " " or letter in "\n\t"))
