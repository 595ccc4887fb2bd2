"""Embeds the live page in a cell of a notebook."""

from __future__ import annotations

import html
import sys
from typing import Any
from urllib.parse import urlsplit

# Origins of notebooks on this machine: Jupyter on any port, and VS Code.
HERE = ("localhost", "127.0.0.1")
NOTEBOOKS = (*(f"{scheme}://{host}:*" for scheme in ("http", "https") for host in HERE), "vscode-webview:")
HEIGHT = 620  # pixels


def in_notebook() -> bool:
    """Whether this program is the kernel of a notebook, whose cells can show web pages."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def frame_html(url: str, name: str) -> str:
    """Return HTML that embeds a page, with instructions for a kernel on another machine."""
    address, label, port = html.escape(url), html.escape(name), urlsplit(url).port
    look = f'width="100%" height="{HEIGHT}" style="border: 1px solid #8886; border-radius: 6px"'
    return (
        f'<iframe src="{address}" title="{label}" {look}></iframe><div style="font-size: 12px; opacity: 0.7">'
        f'{label}, live at <a href="{address}" target="_blank">{address}</a>. If it stays empty, the kernel runs on '
        f"another machine: <code>ssh -L {port}:127.0.0.1:{port} THAT-MACHINE</code> forwards it. If you "
        "cannot log in there (Colab, Binder), <code>arena</code> as the last line of a cell shows a picture.</div>"
    )


def show_in_cell(url: str, name: str) -> None:
    """Embed a page in the cell that is being run."""
    display: Any = sys.modules["IPython"].display  # a notebook has it
    display.display(display.HTML(frame_html(url, name)))
