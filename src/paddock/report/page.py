"""A run as one page: numbers, pictures and the log, readable anywhere without anything else."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from paddock.report.story import outcome, shown

MOST_LINES = 400  # of the log on the page
SHORT = 16  # letters of a cell that are never broken into two lines
STYLE = """
:root { color-scheme: light dark; --paper: #fbfaf7; --card: #ffffff; --ink: #2b2f36; --faint: #666c76;
  --line: #dfdcd4; --accent: #2e86ab; --good: #1f7a54; --bad: #b3273d; --shade: rgba(30, 34, 44, .22); }
@media (prefers-color-scheme: dark) { :root { --paper: #16181d; --card: #1f2229; --ink: #e6e7ea; --faint: #a0a6b1;
  --line: #343944; --accent: #6cb8d8; --good: #6fcf9f; --bad: #ff8a98; --shade: rgba(0, 0, 0, .6); } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
main { max-width: 72rem; margin: 0 auto; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .7rem; }
p { max-width: 46rem; }
p.about { color: var(--faint); margin: .3rem 0 0; max-width: none; overflow-wrap: anywhere; }
code { font: .9em ui-monospace, Consolas, monospace; background: var(--line); border-radius: 4px; padding: .05em .3em; }
/* A shadow at an edge tells that there is more to scroll to. */
.card { border: 1px solid var(--line); border-radius: 10px; overflow-x: auto; background:
  linear-gradient(90deg, var(--card) 60%, transparent) 0 0 / 3rem 100% no-repeat local,
  linear-gradient(270deg, var(--card) 60%, transparent) 100% 0 / 3rem 100% no-repeat local,
  linear-gradient(90deg, var(--shade), transparent) 0 0 / .9rem 100% no-repeat scroll,
  linear-gradient(270deg, var(--shade), transparent) 100% 0 / .9rem 100% no-repeat scroll, var(--card); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .45rem .55rem; border-top: 1px solid var(--line); vertical-align: top; }
tr:first-child > * { border-top: 0; }
tbody tr:first-child > * { border-top: 1px solid var(--line); }
thead th { color: var(--accent); vertical-align: bottom; line-height: 1.3; }
tbody th { font-weight: normal; color: var(--faint); position: sticky; left: 0; background: var(--card); }
td { overflow-wrap: break-word; }
.number { text-align: right; }
td.number, td.short { white-space: nowrap; }
table.pairs tbody tr:first-child > * { border-top: 0; }
table.pairs th { white-space: nowrap; width: 1%; }
table.pairs td { overflow-wrap: anywhere; }
.yes { color: var(--good); font-weight: 600; }
.no, tr.fails td { color: var(--bad); font-weight: 600; }
figure { margin: 0 0 1.2rem; max-width: 64rem; }
figure img { display: block; width: 100%; height: auto; background: #fbfaf7; }
figcaption { padding: .5rem .9rem; color: var(--faint); border-top: 1px solid var(--line); }
pre { margin: 0; padding: .8rem .9rem; font: 13px/1.45 ui-monospace, Consolas, monospace; }
summary { cursor: pointer; padding: .5rem .9rem; }
/* On a phone every row of a table is a small list of its own: what, and how much. */
@media (max-width: 42rem) {
  table.stacked thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table.stacked, table.stacked tbody, table.stacked tr, table.stacked tbody th { display: block; }
  table.stacked tr { padding: .5rem .9rem; border-top: 1px solid var(--line); }
  table.stacked tbody tr:first-child { border-top: 0; }
  table.stacked tbody tr > * { border: 0; padding: .1rem 0; }
  table.stacked tbody th { color: var(--ink); font-weight: 600; position: static; }
  table.stacked tbody th.yes { color: var(--good); }
  table.stacked tbody th.no { color: var(--bad); }
  table.stacked td { display: flex; justify-content: space-between; gap: 1.2rem; text-align: right;
    white-space: normal; }
  table.stacked td::before { content: attr(data-head); color: var(--faint); font-weight: normal; text-align: left; }
  table.stacked .judged::before { content: attr(data-head) ": "; color: var(--faint); font-weight: normal; }
  table.stacked td:empty { display: none; }
  table.pairs th { white-space: normal; width: 40%; } }
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
        table([], [(name, shown(value)) for name, value in settings.items()]),
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
        rows = [(name, *(one.get(name, "-") for one in found.values())) for name in names]
        return table(["", *robots] if len(robots) > 1 else [], rows)
    return table(["robot", *names], [(robot, *(one.get(name, "-") for name in names)) for robot, one in found.items()])


def _tasks(robots: Mapping[str, Any]) -> str:
    rows = []
    for robot, numbers in robots.items():
        for task, seconds in numbers["task_seconds"].items():
            times = sum(1 for one in numbers["tasks"] if one["task"] == task)
            share = f"{100 * seconds / numbers['duration']:.1f} %" if numbers["duration"] > 0 else "-"
            first = next(one["start"] for one in numbers["tasks"] if one["task"] == task)
            row = (str(times), f"{first:.2f} s", f"{seconds:.2f} s", share)
            rows.append((f"{robot}: {task}" if len(robots) > 1 else task, *row))
    heads = ["task", "times", "first at", "duration", "share"]
    return "<h2>Tasks</h2>\n" + table(heads, rows, numeric=(False, True, True, True, True)) if rows else ""


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numeric: Sequence[bool] = ()) -> str:
    """A table in a card; rows begin with their name, or with whether they hold. Without heads: names and values.

    Args:
        heads: of all columns, or none.
        rows: texts; as many in each as there are heads.
        numeric: which columns are flush right; none if it is empty.
    """
    right = [' class="number"' if flush else "" for flush in numeric] or [""] * len(rows[0] if rows else heads)
    top = "".join(f'<th scope="col"{kind}>{_text(head)}</th>' for head, kind in zip(heads, right, strict=bool(heads)))
    lines = []
    for first, *cells in rows:
        judged = {"yes": ' class="judged yes"', "NO": ' class="judged no"'}.get(first, "")
        labels = [f' data-head="{_text(head)}"' for head in heads] or [""] * len(right)
        line = f'<th scope="row"{judged}{labels[0] if judged else ""}>{_text(first)}</th>'
        for cell, kind, label in zip(cells, right[1:], labels[1:], strict=True):
            kept = kind or (' class="short"' if heads and len(cell) <= SHORT else "")
            line += f"<td{kept}{label}>{_text(cell)}</td>"
        lines.append(('<tr class="fails">' if first == "NO" else "<tr>") + line + "</tr>\n")
    head = f"<thead><tr>{top}</tr></thead>" if heads else ""
    kind = "stacked" if heads else "pairs"
    return f'<div class="card"><table class="{kind}">{head}<tbody>{"".join(lines)}</tbody></table></div>'


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
