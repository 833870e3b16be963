"""`voirdire EXAM table` as it is called: forms, files, one number, groups, and what it refuses."""

from dataclasses import replace

import polars as pl
import pytest

from voirdire.exam import views_of
from voirdire.runs import Run, Signature, write_run
from voirdire.runs.estimate import Measures
from voirdire.runs.view import estimate_views


def make_run(shift):
    items = pl.DataFrame({"image_id": range(40), "round": [1] * 40, "rank": [1 + at % 7 + shift for at in range(40)]})
    bare = Run("answers", {"cutoff": "relevant", "seed": 0}, items, Measures(), Signature("0.1.0", seed=0), part="rank")
    return replace(bare, measures=estimate_views(views_of(bare), seed=0))


@pytest.fixture
def runs(tmp_path):
    for name, shift in (("good", 0), ("bad", 5)):
        write_run(make_run(shift), tmp_path / name / "answers-rank")
    return [str(tmp_path / name) for name in ("good", "bad")]


def test_all_tables_that_the_runs_decide(runs, called):
    status, out, _ = called("answers", "table", *runs)
    assert status == 0
    assert out.startswith("Tables 3, 5, 8 and 9: ranks of the true answer\n")
    assert "after Holm's correction, against good." in out
    assert called("answers", "table", *runs, "--number", 5)[1] == out


@pytest.mark.parametrize(
    ("form", "part"), [("latex", r"\begin{tabular}"), ("md", "| --- |"), ("csv", "MR ↓ low,MR ↓ high,MR ↓ p")]
)
def test_forms(runs, called, form, part):
    status, out, _ = called("answers", "table", *runs, "--format", form)
    assert status == 0
    assert part in out


def test_a_folder_of_csv_files_and_a_file(runs, called, tmp_path):
    status, out, _ = called("answers", "table", *runs, "--format", "csv", "-o", tmp_path / "tables")
    assert (status, out) == (0, f"1 table in {tmp_path / 'tables'}\n")
    assert [path.name for path in (tmp_path / "tables").iterdir()] == ["answers-table-3.csv"]
    status, _, _ = called("answers", "table", *runs, "--format", "latex", "-o", tmp_path / "t.tex")
    assert status == 0
    assert (tmp_path / "t.tex").read_text().count(r"\begin{table}") == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--number", "77"), "--number must be that of a table, got 77"),
        (("--format", "pdf"), "--format pdf: may be one of text, md, latex, csv"),
        (("--interval", "wide"), "--interval wide: may be one of pm, brackets"),
        (("--group", "attention"), "--group must be NAME=LABEL,LABEL, got attention"),
        (("--group", "attention=x"), "--group must be one of none: no claim is about groups, got attention"),
        (("-o", ""), "--output must name something, got an empty name"),
    ],
)
def test_refused(runs, called, words, told):
    status, out, err = called("answers", "table", *runs, *words)
    assert (status, out) == (2, "")
    assert told in err


def test_help_says_which_tables_there_are(called):
    status, out, _ = called("robustness", "table", "--help")
    assert status == 0
    assert "robustness scores" in " ".join(out.split())
    assert "attention" in out
