"""The common introduction of the reports of reproductions."""

from __future__ import annotations

from collections.abc import Iterator

from paddock.core.provenance import collect, describe
from paddock.experiments.reproductions import Outcome
from paddock.experiments.reproductions.rows import claims, summarise
from paddock.report.document import Heading, Paragraph, Part, Remark


def opening(outcome: Outcome, about: str) -> Iterator[Part]:
    """Iterate over the first parts of a report: provenance, introduction, and claims."""
    yield Remark(describe(collect(), outcome.seeds))
    if outcome.quick_look:
        yield Paragraph(f"This is {outcome.quick_look}.")
    yield Paragraph(about)
    yield Heading("Claims")
    yield Paragraph(f"{summarise(outcome.rows)}.")
    yield claims(outcome.rows)
