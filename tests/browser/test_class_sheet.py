"""The printed sheet of a class: its QR codes contain the join links, and it fits A4 and Letter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from paddock.teaching.classroom import ClassFolder, ClassSpec, join_links, write_sheet

LONG_NAME = "Wolfeschlegelsteinhausenbergerdorff Johannes Maximilian der II"
NAMES = ["Ada", "李雷", 'Conor "Con" O\'Brien <b>', "علی‌رضا کریمی", LONG_NAME, *(f"Student {i}" for i in range(6))]


@pytest.fixture
def sheet(chromium, tmp_path):
    spec = ClassSpec(title="Robotics & <AI>", address="https://robots.example.org:8642/")
    folder = ClassFolder.create(tmp_path / "c", spec, NAMES)
    folder.lock_out("Student 5")
    write_sheet(folder, tmp_path / "sheet.html")
    page = chromium.new_page(device_scale_factor=2)
    page.goto((tmp_path / "sheet.html").as_uri())
    yield folder, page
    page.close()


def test_qr_codes_contain_join_links_and_cards_show_names(sheet, tmp_path: Path) -> None:
    cv2 = pytest.importorskip("cv2")
    folder, page = sheet
    links = join_links(folder)
    cards = page.locator(".card")
    assert cards.count() == len(links) == len(NAMES) - 1
    for card, link in zip(cards.all(), links, strict=True):
        assert card.locator("h2").text_content() == link.name
        assert card.locator("code").text_content() == link.link
        too_large = card.evaluate("c => Math.max(c.scrollWidth - c.clientWidth, c.scrollHeight - c.clientHeight)")
        assert too_large <= 1  # [px], rounded
        card.locator("svg").screenshot(path=tmp_path / "code.png")
        decoded, *_ = cv2.QRCodeDetectorAruco().detectAndDecode(cv2.imread(str(tmp_path / "code.png")))
        assert decoded == link.link
    assert links[1].link.startswith("https://robots.example.org:8642/#token=")


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_eight_cards_fit_on_one_page(sheet, paper: str) -> None:
    _, page = sheet
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 2
