"""A report written from Python: of runs, of folders that hold them, and of several runs of a model."""

from pathlib import Path

import pytest
from robustness_runs import below, robust, said
from small_report import ranked

import voirdire
from voirdire.errors import UsageError


def test_a_page_of_a_run_and_of_a_folder(tmp_path: Path) -> None:
    voirdire.write_run(ranked(3), tmp_path / "run")
    place = voirdire.write_report({"mine": ranked(0), "theirs": tmp_path / "run"}, tmp_path / "report.html")
    assert place == tmp_path / "report.html"
    assert "mine and theirs on the stand" in place.read_text()
    assert "<strong>mine leads</strong>" in place.read_text()


def test_several_runs_of_a_model_as_tables(tmp_path: Path) -> None:
    runs = [ranked(0), robust(said(below(0.9)), [said(below(0.5))], said(below(0.9)))]
    text = voirdire.write_report({"mine": runs}, tmp_path / "report.md", form="md").read_text()
    assert "# Voir Dire: mine" in text
    assert "robustness" in text


def test_two_runs_of_one_part_need_two_labels(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two runs of `answers rank` are called 'mine'"):
        voirdire.write_report({"mine": [ranked(0), ranked(1)]}, tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()
