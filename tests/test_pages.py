"""The documentation as a whole: its order, its links, and the paths and names in its text."""

from __future__ import annotations

import functools
import importlib
import re
from collections import Counter
from pathlib import Path

import pytest

from pages import DOCS
from public_names import GOLDEN

ROOT = DOCS.parent
PACKAGE = ROOT / "src" / "paddock"
PAGES = sorted(DOCS.glob("**/*.md"))
LINKED = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("examples/**/*.md"))]
INDEX, STRUCTURE = DOCS / "README.md", (DOCS / "architecture.md", DOCS / "decisions.md", ROOT / "CONTRIBUTING.md")
FLOORS = (
    "core",
    "simulation",
    "perception",
    "control",
    "arena",
    "report",
    "learning",
    "teaching",
    "network",
    "bridges",
    "experiments",
    "cli",
)
LANGUAGES = sorted(path.parent.name for path in PACKAGE.glob("bridges/*/provides.toml"))
PUBLIC = {line.partition(":")[0]: line.split()[1:] for line in GOLDEN.read_text(encoding="utf-8").splitlines()}


def name_page(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@functools.cache
def read_prose(page: Path) -> str:
    """Return a page without its blocks of code."""
    return re.sub(r"^( *)```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@functools.cache
def find_anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub forms them."""
    anchors: Counter[str] = Counter()
    for heading in re.findall(r"^#+ (.*)$", read_prose(page), re.MULTILINE):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
        anchors[f"{slug}-{anchors[slug]}" if anchors[slug] else slug] += 1
    return set(anchors)


def find_links(page: Path) -> list[tuple[Path, str]]:
    """Return the target and the anchor of every relative link of a page."""
    links = [link.partition("#") for link in re.findall(r"\]\(([^)\s]+)\)", read_prose(page)) if "://" not in link]
    return [((page.parent / path).resolve() if path else page, anchor) for path, _, anchor in links]


@pytest.mark.parametrize("page", LINKED, ids=name_page)
def test_relative_links_lead_somewhere(page: Path) -> None:
    broken = [
        f"{target}#{anchor}"
        for target, anchor in find_links(page)
        if not target.exists() or (anchor and anchor not in find_anchors(target))
    ]
    assert broken == []


def test_index_lists_every_page() -> None:
    listed = {target for target, _ in find_links(INDEX)}
    assert [name_page(page) for page in PAGES if page not in {*listed, INDEX}] == []
    assert INDEX in {target for target, _ in find_links(ROOT / "README.md")}


@pytest.mark.parametrize("page", ["README.md", "features.md"])
def test_index_and_features_are_in_the_order_of_the_floors(page: str) -> None:
    headings = re.findall(r"^## (.*)$", read_prose(DOCS / page), re.MULTILINE)
    assert tuple(heading for heading in headings if heading in FLOORS) == FLOORS
    assert headings[-1] == "testing and plug-ins"


def test_pages_lie_in_folders_with_the_names_of_packages() -> None:
    folders = {page.parent.relative_to(DOCS) for page in PAGES}
    assert [folder for folder in folders if not (PACKAGE / folder).is_dir()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_page_begins_with_its_title_and_what_it_is_for(page: Path) -> None:
    title, text = page.read_text(encoding="utf-8").split("\n\n", 1)
    assert re.fullmatch("# .+", title)
    assert re.match(r"[\w`\[*]", text)
    assert not text.startswith("```")


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_of_a_language_link_to_no_other_language(language: str) -> None:
    pages = {page for page in PAGES if page.is_relative_to(DOCS / "bridges" / language) or page.stem == language}
    assert pages, f"docs/bridges: expected the page {language}.md, or a folder {language}"
    allowed = pages | {DOCS / "bridges" / "common.md"}
    targets = {target for page in pages for target, _ in find_links(page) if target.is_relative_to(DOCS / "bridges")}
    assert targets <= allowed


@pytest.mark.parametrize("page", STRUCTURE, ids=name_page)
def test_paths_in_the_text_exist(page: Path) -> None:
    paths = re.findall(r"`((?:\w[\w.-]*/)+[\w.-]*)`", read_prose(page))
    assert [path for path in paths if not (PACKAGE / path).exists() and not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", LINKED, ids=name_page)
def test_dotted_names_in_the_text_exist(page: Path) -> None:
    """Names in backquotes that begin with a floor, such as `paddock.arena.metrics.Distance`, can be imported."""
    names = re.findall(rf"`(paddock\.(?:{'|'.join((*FLOORS, 'testing'))})(?:\.\w+)*)", read_prose(page))
    assert [name for name in names if not is_importable(name)] == []


def is_importable(name: str) -> bool:
    """Return whether a name is a module or an attribute of one."""
    try:
        importlib.import_module(name)
    except ImportError:
        module, _, attribute = name.rpartition(".")
        return hasattr(importlib.import_module(module), attribute)
    return True


def test_architecture_lists_every_floor_and_room() -> None:
    text = read_prose(DOCS / "architecture.md")
    table = text[text.index("| floor | room |") : text.index("**Public**")]
    rooms = {path.parent.name for path in PACKAGE.glob("*/*/__init__.py") if path.parent.parent.name != "cli"}
    assert re.findall(r"^\| `(\w+)`", table, re.MULTILINE) == ["cli", "testing", *reversed(FLOORS[:-1])]
    assert set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|[^|]*\|([^|]*)\|", table, re.MULTILINE)))) == rooms


def test_every_public_package_is_found_from_the_page_of_the_api() -> None:
    named = set(re.findall(r"`(paddock[\w.]*)`", read_prose(DOCS / "api.md")))
    rooms = [package for package in PUBLIC if package.removeprefix("paddock.experiments.ecoli").count(".") <= 2]
    assert [package for package in rooms if package not in named] == []


@pytest.mark.parametrize("name", PUBLIC["paddock"])
def test_page_of_the_api_names_every_name_of_paddock(name: str) -> None:
    assert re.search(rf"\b{name}\b", (DOCS / "api.md").read_text(encoding="utf-8"))


def test_calls_in_the_page_that_helps_to_choose_are_public() -> None:
    calls = re.findall(r"`[^`]*?(?:paddock\.)?(\w+)\(", read_prose(DOCS / "choosing.md"))
    known = {name for names in PUBLIC.values() for name in names} | {"run", "make_vec"}
    assert calls
    assert [call for call in calls if call not in known] == []
