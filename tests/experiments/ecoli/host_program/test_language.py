"""Translations: no missing or unused text, equal placeholders, and files parsed as gettext does."""

from __future__ import annotations

import importlib.util
import string
import sys
from pathlib import Path
from types import ModuleType

import pytest

from experiments.ecoli.host_program.stage import configure, run_orders
from paddock.core.errors import PaddockError
from paddock.experiments.ecoli.commands.orders.language import (
    CATALOGUES,
    LANGUAGES,
    _,
    choose_language,
    load_catalogue,
    read_po,
    translate,
)
from paddock.experiments.ecoli.waypoint_robots import HostConfig, read_waypoints

TOOL = Path(__file__).parents[4] / "tools" / "check_translations.py"


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_translations", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_languages_have_all_texts() -> None:
    tool = load_tool()
    texts = tool.find_texts()
    assert len(texts) > 60
    assert LANGUAGES == ("en", "de", "es")
    for path in CATALOGUES.glob("*.po"):
        assert tool.compare(texts, read_po(path.read_text(encoding="utf-8")), path.name) == []


def test_catalogue_errors_are_detected() -> None:
    tool = load_tool()
    texts = {"{a} of {b}": "x.py:1", "empty": "x.py:2", "lost": "x.py:3"}
    catalogue = {"": "head", "{a} of {b}": "{a} von {c}", "empty": "", "old": "alt"}
    assert tool.compare(texts, catalogue, "de.po") == [
        "de.po: missing: 'empty' of x.py:2",
        "de.po: missing: 'lost' of x.py:3",
        "de.po: unused: 'old'",
        "de.po: other placeholders than in '{a} of {b}': '{a} von {c}'",
    ]
    assert tool.compare({"{n:g}": "x.py:1"}, {"{n:g}": "{n:.2f}"}, "de.po") != []
    again = read_po(tool.write_catalogue(texts, catalogue))
    assert (again["{a} of {b}"], "old" in again, again["lost"]) == ("{a} von {c}", False, "")


def test_non_literal_text_is_refused_by_the_check(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def say(word):\n    return _(f'{word}!')\n")
    with pytest.raises(SystemExit, match=r"mine.py:2: expected a plain text within _"):
        load_tool().find_texts(tmp_path)


def test_every_text_is_translated_in_the_chosen_language() -> None:
    texts = load_tool().find_texts()
    try:
        for language in ("de", "es"):
            assert choose_language(language) == language
            table = read_po((CATALOGUES / f"{language}.po").read_text(encoding="utf-8"))
            for text in texts:
                assert _(text) == table[text]
                assert list(string.Formatter().parse(_(text)))
    finally:
        choose_language("en")
    assert _("lost") == "lost"


def test_library_errors_are_translated_where_they_are_shown(tmp_path: Path) -> None:
    with pytest.raises(PaddockError) as missing:
        read_waypoints(tmp_path / "walk.txt")
    (tmp_path / "walk.txt").write_text("r;1,5;2")
    with pytest.raises(PaddockError) as comma:
        read_waypoints(tmp_path / "walk.txt")
    told = {}
    try:
        for language in LANGUAGES:
            choose_language(language)
            told[language] = [translate(error.value).removeprefix(str(tmp_path)) for error in (missing, comma)]
    finally:
        choose_language("en")
    assert told["en"] == [str(error.value).removeprefix(str(tmp_path)) for error in (missing, comma)]
    assert told["de"] == [
        "/walk.txt: lässt sich nicht lesen: Datei oder Verzeichnis nicht gefunden",
        "/walk.txt:1: x: erwartet werden Zentimeter, nicht '1,5'; Zahlen haben einen Dezimalpunkt",
    ]
    assert told["es"][0] == "/walk.txt: no se puede leer: No existe el archivo o el directorio"


def test_catalogue_may_have_comments_and_multi_line_texts(tmp_path: Path) -> None:
    (tmp_path / "xx.po").write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
        '# a comment\n#: a.py\nmsgid "one "\n"line \\"quoted\\""\nmsgstr ""\n"eine "\n"Zeile ß\\n"\n',
        encoding="utf-8",
    )
    assert load_catalogue(tmp_path / "xx.po")['one line "quoted"'] == "eine Zeile ß\n"
    with pytest.raises(PaddockError, match=r"xx\.po:2: expected msgid, msgstr or a text in quotes"):
        read_po('msgid "a"\nmsgctxt b\n', "xx.po")
    with pytest.raises(PaddockError, match="'a' is translated twice"):
        read_po('msgid "a"\nmsgstr "b"\nmsgid "a"\nmsgstr "c"\n', "xx.po")
    assert "check_translations" not in sys.modules


def test_user_translates_into_a_language_that_is_not_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "wrote ca.po" in run_orders("texts", "ca.po")
    mine = Path("ca.po")
    shipped = read_po((CATALOGUES / "de.po").read_text(encoding="utf-8"))
    assert list(read_po(mine.read_text(encoding="utf-8"))) == list(shipped)
    searching = "searching serial devices ({count}) …"
    empty = mine.read_text(encoding="utf-8")
    mine.write_text(empty.replace(f'"{searching}"\nmsgstr ""', f'"{searching}"\nmsgstr "cerco {{count}} dispositius"'))
    configure(Path("orders.toml"), {"e-puck_2478": "/dev/none"}, language="ca.po")
    try:
        assert "cerco " in run_orders("find", status=1)
        monkeypatch.chdir("/")
        assert "cerco " in run_orders("find", "--config", str(tmp_path / "orders.toml"), status=1)
        mine = tmp_path / mine
        mine.write_text(empty.replace(f'"{searching}"\nmsgstr ""', f'"{searching}"\nmsgstr "cerco {{n}}"'))
        refused = run_orders("find", "--language", str(mine), status=2)
        assert "other placeholders than in 'searching serial devices ({count}) …': 'cerco {n}'" in refused
        assert "no language called 'ca': expected en, de, es, or a file such as ca.po" in run_orders(
            "find", "--language", "ca", status=2
        )
        with pytest.raises(PaddockError, match=r"language: expected 'auto', 'en', 'es', 'de', or a file such as"):
            HostConfig.from_toml('language = "ca"\n[[robots]]\nname = "r"\ndevice = "/dev/none"')
    finally:
        choose_language("en")


def test_damaged_language_files_are_reported_with_their_line() -> None:
    with pytest.raises(PaddockError, match=r"ca.po:2: expected a text in quotes"):
        read_po('msgid "a"\nmsgstr "b"c"\n', "ca.po")
