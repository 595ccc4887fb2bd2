"""Join links as rows, as links.csv, and as a sheet of cards to print and cut out."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from paddock.core.addresses import ANY_ADDRESS, is_loopback, own_address
from paddock.core.files import write_text
from paddock.core.packages import import_package
from paddock.teaching.classroom.class_tables import write_table

if TYPE_CHECKING:
    from paddock.teaching.classroom.folder import ClassFolder

RUNNING = ".server"  # file with the addresses of the running server: local, and for other machines


@dataclass(frozen=True, slots=True)
class JoinLink:
    """The link with which a student joins the class."""

    name: str
    robot: str
    link: str

    @property
    def parts(self) -> list[str]:
        """The link in parts between which a line may break, so that tokens are not split."""
        return re.split("(?=[#&])", self.link)


def base_url(folder: ClassFolder) -> str:
    """Return the address of a class: from class.toml, of the running server, or the default one."""
    spec = folder.spec
    if spec.address:
        return spec.address.rstrip("/")
    if running := read_addresses(folder.path):
        return running[-1].rstrip("/")
    host = own_address() if spec.host in ANY_ADDRESS else spec.host
    return f"http://{f'[{host}]' if ':' in host else host}:{spec.port}"


def read_addresses(path: Path) -> list[str]:
    """Return the addresses that the server of a class has written: local, and for other machines; empty if none."""
    try:
        return (path / RUNNING).read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError):  # there is none, or a power failure has damaged the file
        return []


def warn_unreachable(folder: ClassFolder, base: str = "") -> str:
    """Return a warning if the links work on this machine only; empty otherwise."""
    host = urlsplit(base or base_url(folder)).hostname or ""
    if not is_loopback(host):
        return ""
    return (
        f"warning: links to {host} work on this machine only: for students on other machines, set "
        'host = "0.0.0.0" in class.toml, or set address to the address of this machine'
    )


def join_links(folder: ClassFolder, base: str = "") -> list[JoinLink]:
    """Return a link for each student who may join.

    Args:
        folder: the class.
        base: address of the server, `http://host:port`; empty: the address from the class folder.
    """
    base = base.rstrip("/") or base_url(folder)
    return [
        JoinLink(student.name, student.robot, f"{base}/#token={folder.token(student)}&robot={quote(student.robot)}")
        for student in folder.students
        if student.state == "active"
    ]


def staff_links(folder: ClassFolder, base: str = "") -> dict[str, str]:
    """Return the links of the lecturer and the projector."""
    base = base.rstrip("/") or base_url(folder)
    return {
        "lecturer": f"{base}/#token={folder.keys.supervisor}",
        "projector": f"{base}/#view=projector&token={folder.keys.projector}",
    }


def write_links(folder: ClassFolder, file: Path, base: str = "") -> None:
    """Write the links as CSV, for example for a mail merge."""
    columns = tuple(field.name for field in fields(JoinLink))
    write_table(file, columns, [asdict(link) for link in join_links(folder, base)], private=True)


def write_sheet(folder: ClassFolder, file: Path, base: str = "") -> None:
    """Write the links as a page of cards with QR codes, for A4 and Letter."""
    from paddock.report.document import render_template

    segno = import_package("segno", "a sheet with QR codes", extra="teaching")
    cards = [
        (link, segno.make_qr(link.link, error="m").svg_inline(omitsize=True, border=2, svgclass=None, lineclass=None))
        for link in join_links(folder, base)
    ]
    warning = warn_unreachable(folder, base)
    page = render_template("class_sheet.html", title=folder.spec.title, cards=cards, warning=warning)
    write_text(file, page, private=True)
