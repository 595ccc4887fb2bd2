"""Registries: entries by name, from other packages and from user files; errors name their origin."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from paddock.core.errors import PaddockError, UnknownName
from paddock.core.registry import Registry


class Animal:
    """Base class of the registered entries."""


class Cat(Animal):
    """A registered entry."""


class Dog(Animal):
    """Another registered entry."""


@pytest.fixture
def registry() -> Registry[type[Animal]]:
    return Registry("animal", group="paddock.test-animals", builtin={"cat": Cat, "path": "pathlib:Path"}, base=Animal)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Install a package of one module with entry points, in a temporary folder."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)

    def install(package: str, source: str, **points: str) -> None:
        folder = tmp_path / f"site-{package}"
        about = folder / f"{package}-1.0.dist-info"
        about.mkdir(parents=True)
        (folder / f"{package}.py").write_text(source)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = "\n".join(f"{name} = {target}" for name, target in points.items())
        (about / "entry_points.txt").write_text(f"[paddock.test-animals]\n{lines}\n")
        sys.path.append(str(folder))

    yield install
    for name in set(sys.modules) - before:
        del sys.modules[name]


OWL = f"from {__name__} import Animal\nclass Owl(Animal): pass\nclass Stone: pass\n"


def test_unknown_name_error_suggests_the_nearest(registry: Registry[type[Animal]]) -> None:
    with pytest.raises(UnknownName, match=r"no animal called 'cta' \(did you mean 'cat'\?\)"):
        registry.get("cta")
    assert "cta" not in registry


def test_entries_are_registered_by_call_or_decorator(registry: Registry[type[Animal]]) -> None:
    registry.register("dog", Dog)

    @registry.register("hound")
    class Hound(Dog):
        """A third registered entry."""

    assert registry.get("dog") is Dog
    assert registry["hound"] is Hound
    assert registry.names() == ["cat", "path", "dog", "hound"]
    assert list(registry) == registry.names()
    assert len(registry) == 4


def test_duplicate_registration_names_both_owners(registry: Registry[type[Animal]]) -> None:
    registry.register("cat", Cat)  # the same again is no mistake
    with pytest.raises(PaddockError, match=rf"animal 'cat' is registered twice: by {__name__} and by other"):
        registry.register("cat", "other:Lion")


def test_entry_of_the_wrong_type_is_refused(registry: Registry[type[Animal]]) -> None:
    with pytest.raises(PaddockError, match="path is not a valid animal: expected a kind of Animal"):
        registry.get("path")
    with pytest.raises(PaddockError, match="stone is not a valid animal"):
        registry.register("stone", int)  # type: ignore[arg-type]


def test_package_adds_an_entry(registry: Registry[type[Animal]], installed: Any) -> None:
    installed("owls", OWL, owl="owls:Owl")
    assert "owl" in registry
    assert "owls" not in sys.modules  # imported when it is asked for
    assert registry.get("owl").__name__ == "Owl"
    assert registry.origin("owl") == "package owls (owls:Owl)"


def test_broken_package_is_reported_and_does_not_affect_others(
    registry: Registry[type[Animal]], installed: Any
) -> None:
    installed("broken_owls", "import no_such_thing\n", owl="broken_owls:Owl")
    registry._entries.pop("path")
    registry.builtin = ("cat",)
    with pytest.raises(PaddockError, match=r"animal 'owl' of package broken_owls .* No module named 'no_such_thing'"):
        registry.get("owl")
    with pytest.warns(RuntimeWarning, match="broken_owls"):
        assert registry.load_all() == {"cat": Cat}


def test_name_clash_of_two_packages_names_both(registry: Registry[type[Animal]], installed: Any) -> None:
    installed("owls", OWL, owl="owls:Owl")
    installed("more_owls", OWL, owl="more_owls:Owl")
    with pytest.raises(PaddockError, match=r"registered twice: by package more_owls .* and by package owls"):
        registry.get("owl")
    assert registry.get("cat") is Cat


def test_package_cannot_override_a_builtin_name(registry: Registry[type[Animal]], installed: Any) -> None:
    installed("owls", OWL, cat="owls:Owl")
    with pytest.warns(RuntimeWarning, match=r"'cat' of package owls \(owls:Owl\) is ignored"):
        assert registry.names() == ["cat", "path"]
    assert registry.get("cat") is Cat


@pytest.mark.parametrize("name", ["barn_animals:Owl", "barn_animals.py:Owl", "./barn_animals.py:Owl"])
def test_user_file_is_found_beside_the_referring_file(
    registry: Registry[type[Animal]], installed: Any, tmp_path: Path, name: str
) -> None:
    (tmp_path / "barn_animals.py").write_text(OWL)
    assert registry.get(name, folder=tmp_path).__name__ == "Owl"
    assert registry.get(name, folder=tmp_path) is registry.get("barn_animals:Owl", folder=tmp_path)
    with pytest.raises(PaddockError, match=r"no 'Awl' \(did you mean 'Owl'\?\)"):
        registry.get("barn_animals:Awl", folder=tmp_path)
    with pytest.raises(PaddockError, match="barn_animals:Stone is not a valid animal"):
        registry.get("barn_animals:Stone", folder=tmp_path)


def test_equal_file_names_in_two_folders_are_separate_modules(
    registry: Registry[type[Animal]], installed: Any, tmp_path: Path
) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "own_animals.py").write_text(f"{OWL}Owl.home = {folder!r}\n")
    homes = [registry.get("own_animals:Owl", folder=tmp_path / folder).home for folder in ("a", "b")]  # type: ignore[attr-defined]
    assert homes == ["a", "b"]


def test_error_in_a_user_file_is_reported_with_its_line(
    registry: Registry[type[Animal]], installed: Any, tmp_path: Path
) -> None:
    (tmp_path / "wrong_animals.py").write_text("x = 1\ny = x / 0\n")
    with pytest.raises(PaddockError, match=r"wrong_animals.py line 2: ZeroDivisionError"):
        registry.get("wrong_animals:Owl", folder=tmp_path)
    with pytest.raises(PaddockError, match="nowhere_animals:Owl: no module 'nowhere_animals'"):
        registry.get("nowhere_animals:Owl", folder=tmp_path)
    with pytest.raises(PaddockError, match=r"no file 'sub/no.py'"):
        registry.get("sub/no.py:Owl", folder=tmp_path)
