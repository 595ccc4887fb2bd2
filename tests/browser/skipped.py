"""Says, at the end of `make test`, that the browser tests did not run, why, and what to do about it."""

from __future__ import annotations

import sys

from paddock.bench.page import why_no_browser

problem = why_no_browser()
if problem:
    sys.stdout.write(f"\nSKIPPED: the browser tests (tests/browser) did not run: {problem}\n")
