"""Providers by short name, ours and other packages'."""

import importlib.metadata
import zipfile
from pathlib import Path

import pytest

from voirdire import providers
from voirdire.errors import UsageError
from voirdire.providers import Registry, entry_points


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


def test_a_package_is_found_wherever_it_is_installed_and_archives_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert list(entry_points("voirdire.voices")) == []
    for place, about in (("folder", "loud-1.0.dist-info"), ("older", "low.egg-info"), ("old.egg", "EGG-INFO")):
        folder = tmp_path / place / about
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {place}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(f"[voirdire.voices]\n{place} = builtins:repr\nother = builtins:str\n")
        monkeypatch.syspath_prepend(tmp_path / place)
        assert [point.load() for point in entry_points("voirdire.voices", place)] == [repr]
    with zipfile.ZipFile(tmp_path / "zipped.whl", "w") as archive:
        archive.writestr("zipped-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: zipped\nVersion: 1.0\n")
        archive.writestr("zipped-1.0.dist-info/entry_points.txt", "[voirdire.choirs]\nmany = builtins:repr\n")
    monkeypatch.syspath_prepend(tmp_path / "zipped.whl")
    assert [point.name for point in entry_points("voirdire.choirs")] == ["many"]
    assert list(entry_points("voirdire.voice")) == []


def test_all_that_the_library_finds_is_found() -> None:
    installed = importlib.metadata.entry_points()
    for group in ("console_scripts", "pytest11"):
        expected = sorted(point.name for point in installed.select(group=group))
        assert expected
        assert sorted(point.name for point in entry_points(group)) == expected
