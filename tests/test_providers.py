"""Providers by short name, ours and other packages'."""

import importlib.metadata

import pytest

from voirdire import providers
from voirdire.errors import UsageError
from voirdire.providers import Registry


def make_registry() -> Registry[str]:
    registry: Registry[str] = Registry("voice", "voirdire.voices")

    @registry.register("deep")
    def deep(argument: str | None) -> str:
        return f"deep {argument}"

    return registry


def test_argument_is_what_follows_the_first_colon() -> None:
    assert make_registry().make("deep") == "deep None"
    assert make_registry().make("deep:a:b") == "deep a:b"
    assert make_registry().make("deep:") == "deep "


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"there is no voice 'high'; there are: deep"):
        make_registry().make("high:x")


def test_a_name_is_registered_once() -> None:
    registry = make_registry()
    with pytest.raises(ValueError, match="'deep' is registered already"):
        registry.register("deep")(lambda argument: "again")


def test_other_packages_add_providers_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    point = importlib.metadata.EntryPoint(name="loud", value="builtins:repr", group="voirdire.voices")

    def entry_points(group: str, name: str | None = None) -> list[importlib.metadata.EntryPoint]:
        assert group == "voirdire.voices"
        return [point] if name in (None, "loud") else []

    monkeypatch.setattr(providers, "entry_points", entry_points)
    assert make_registry().names() == ["deep", "loud"]
    assert make_registry().make("loud:x") == "'x'"
