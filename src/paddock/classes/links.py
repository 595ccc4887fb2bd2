"""Join links: as rows, as links.csv, and as a sheet of cards to print and cut out."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from paddock.classes.tables import write_table
from paddock.core.addresses import ANY_ADDRESS, is_loopback, own_address
from paddock.core.files import write_text
from paddock.core.packages import import_package

if TYPE_CHECKING:
    from paddock.classes.folder import ClassFolder

RUNNING = ".server"  # where a class is served at present: for programs of this machine, and for others


@dataclass(frozen=True, slots=True)
class JoinLink:
    """What a student joins with."""

    name: str
    robot: str
    link: str

    @property
    def parts(self) -> list[str]:
        """The link in pieces between which a line may break: nobody wants to type a token over two lines."""
        return re.split("(?=[#&])", self.link)


def base_url(folder: ClassFolder) -> str:
    """Where a class is served: as its file says, where it is served at present, or where it would be."""
    spec, running = folder.spec, folder.path / RUNNING
    if spec.address:
        return spec.address.rstrip("/")
    if running.is_file():
        return running.read_text(encoding="utf-8").split()[-1].rstrip("/")
    host = own_address() if spec.host in ANY_ADDRESS else spec.host
    return f"http://{f'[{host}]' if ':' in host else host}:{spec.port}"


def warn_unreachable(folder: ClassFolder, base: str = "") -> str:
    """What is wrong with links that work on this machine only; empty: nothing."""
    host = urlsplit(base or base_url(folder)).hostname or ""
    if not is_loopback(host):
        return ""
    return (
        f"warning: links to {host} work on this machine only: for students on others, let class.toml have "
        'host = "0.0.0.0", or the address by which they reach this machine as address'
    )


def join_links(folder: ClassFolder, base: str = "") -> list[JoinLink]:
    """A link for each student who may join.

    Args:
        folder: the class.
        base: where it is served, `http://host:port`; empty: as far as the folder tells.
    """
    base = base.rstrip("/") or base_url(folder)
    return [
        JoinLink(student.name, student.robot, f"{base}/#token={folder.token(student)}&robot={student.robot}")
        for student in folder.students
        if student.state == "active"
    ]


def staff_links(folder: ClassFolder, base: str = "") -> dict[str, str]:
    """The links of those who are no students: the lecturer's, and the projector's."""
    base = base.rstrip("/") or base_url(folder)
    return {
        "lecturer": f"{base}/#token={folder.keys.supervisor}",
        "projector": f"{base}/#view=projector&token={folder.keys.projector}",
    }


def write_links(folder: ClassFolder, file: Path, base: str = "") -> None:
    """Write the links as CSV: for mail merge, or to look them up."""
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
