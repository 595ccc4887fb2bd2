"""Wall-following laws by name, with their numbers checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from paddock.control.wall import LAWS, Law
from paddock.core.errors import SpecError, UnknownName, suggestion
from paddock.core.spec import NotNegative, convert


def law_numbers(name: str) -> list[str]:
    """The names of the numbers that a law may be given."""
    law = _found(name)
    return [field.name for field in dataclasses.fields(law) if isinstance(getattr(law, field.name), float)]


def make_law(name: str, numbers: Mapping[str, Any]) -> Law:
    """A law of the registry with some numbers changed; SpecErrors name the key that is wrong."""
    known = law_numbers(name)
    for key, value in numbers.items():
        if key not in known:
            raise SpecError(f"unknown key{suggestion(key, known)}", path=key)
        convert(value, NotNegative, key)
    law: Law = dataclasses.replace(_found(name), **numbers)
    return law


def _found(name: str) -> Any:
    if name not in LAWS:
        raise SpecError(str(UnknownName("law", name, LAWS)), path="law")
    return LAWS[name]
