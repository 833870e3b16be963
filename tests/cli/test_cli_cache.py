"""`voirdire cache` and `voirdire cache --clear`."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.text.cache import VectorCache


def test_it_shows_and_clears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOIRDIRE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("VOIRDIRE_CACHE_LIMIT", "10M")
    runner = CliRunner()
    empty = runner.invoke(app, ["cache"])
    assert empty.exit_code == 0
    assert "no vectors" in empty.stdout
    assert not (tmp_path / "cache").exists()

    VectorCache(tmp_path / "cache").of("minilm", "53aa51172d14").write(["a", "b"], np.ones((2, 4)))
    shown = runner.invoke(app, ["cache"])
    assert str(tmp_path / "cache") in shown.stdout
    assert "of at most 10.0 MB" in shown.stdout
    assert "2 vectors  minilm (53aa51172d14)" in shown.stdout

    cleared = runner.invoke(app, ["cache", "--clear"])
    assert cleared.exit_code == 0
    assert "removed 2 vectors" in cleared.stdout
    assert "no vectors" in runner.invoke(app, ["cache"]).stdout


def test_a_damaged_cache_is_said_not_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOIRDIRE_CACHE", str(tmp_path))
    file = VectorCache(tmp_path).file
    file.parent.mkdir()
    file.write_bytes(b"no database" * 1000)
    with pytest.warns(UserWarning, match="damaged"):
        shown = CliRunner().invoke(app, ["cache"])
    assert shown.exit_code == 0
    assert "no vectors" in shown.stdout
