"""Report at the end of `make test` that the browser tests were skipped, why, and how to enable them."""

from __future__ import annotations

import sys

from paddock.cli.bench.page import why_no_browser

problem = why_no_browser()
if problem:
    sys.stdout.write(f"\nSKIPPED: the browser tests (tests/browser) did not run: {problem}\n")
