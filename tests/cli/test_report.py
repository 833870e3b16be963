"""`voirdire report` as it is called: labels, formats, and what it refuses."""

import csv
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.cli.output import label_of, read_labelled
from voirdire.errors import InputError, UsageError
from voirdire.runs import Estimate, Run, Signature, write_run


def made(shift: int) -> Run:
    items = pl.DataFrame(
        {
            "image_id": [at // 2 for at in range(20)],
            "round": [at % 2 for at in range(20)],
            "rank": [1 + at % 5 + shift for at in range(20)],
        }
    )
    names = ("mrr", "recall@1", "recall@5", "recall@10", "mr")
    figures = {name: Estimate(0.5 + shift / 10, 0.4, 0.9, 20) for name in names}
    signature = Signature("0.1.0", data={"visdial": "a" * 64}, seed=0)
    return Run("answers", {"cutoff": "relevant", "seed": 0}, items, figures, signature, part="rank")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_run(made(0), tmp_path / "good")
    write_run(made(2), tmp_path / "runs" / "bad" / "answers")
    return tmp_path


def call(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["report", *arguments], catch_exceptions=False)


def test_a_page_of_two_runs(folder: Path) -> None:
    done = call("good", "runs/bad/answers", "-o", "report.html")
    assert done.exit_code == 0
    assert "report: report.html" in done.stdout
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert '<h1 id="verdict-title">good and bad on the stand</h1>' in page
    assert 'data-measure="mrr" data-value="0.7"' in page


@pytest.mark.parametrize("form", ["md", "latex", "csv"])
def test_tables_alone(folder: Path, form: str) -> None:
    assert call("GOOD=good", "runs/bad/answers", "--format", form, "-o", "out.csv").exit_code == 0
    text = (folder / "out.csv").read_text(encoding="utf-8")
    assert "GOOD" in text
    assert "bad" in text


def test_a_csv_file_per_table(folder: Path) -> None:
    """A name that does not end in .csv is a folder; all in one file, they were of no use to a program."""
    done = call("@GOOD=good", "runs/bad/answers", "--format", "csv", "-o", "tables")
    files = sorted((folder / "tables").iterdir())
    assert done.stdout == f"report: {len(files)} tables in tables\n"
    assert len(files) > 1
    for file in files:
        with file.open(newline="", encoding="utf-8") as opened:
            head, *rows = csv.reader(opened)
        assert rows
        assert {len(row) for row in rows} == {len(head)}
        assert not any(cell.startswith(("=", "@")) for row in (head, *rows) for cell in row)
    assert any("'@GOOD" in file.read_text(encoding="utf-8") for file in files)
    with pytest.raises(UsageError, match="tables is there already"):
        call("good", "--format", "csv", "-o", "tables")


def test_without_a_file_the_page_has_its_name_and_tables_go_to_standard_output(folder: Path) -> None:
    assert "report: report.html" in call("good").stdout
    call("good", "--format", "md", "-o", "tables.md")
    for words in ([], ["-o", "-"]):
        done = call("good", "--format", "md", *words)
        assert done.exit_code == 0
        assert done.stdout == (folder / "tables.md").read_text(encoding="utf-8")
    assert sorted(path.name for path in folder.iterdir() if path.is_file()) == ["report.html", "tables.md"]


def test_labels(folder: Path) -> None:
    assert [label for label, _ in read_labelled(["good", "runs/bad/answers", "A B=good"])] == ["good", "bad", "A B"]
    assert label_of("runs/bad/answers-rank", made(0)) == "bad"
    assert label_of("x/score", made(0)) == "score"
    write_run(made(1), folder / "a=b")
    assert read_labelled(["a=b"])[0][0] == "a=b"


def test_what_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="--format pdf: may be one of html, md, latex, csv"):
        call("good", "--format", "pdf", "-o", "out")
    with pytest.raises(UsageError, match="are called 'same'"):
        call("same=good", "same=runs/bad/answers", "-o", "out")
    with pytest.raises(InputError, match="no such folder"):
        call("gone", "-o", "out")
    # Before anything is read: there is no such run, either.
    with pytest.raises(UsageError, match="pictures_gone: found nothing, expected a folder or a zip of pictures"):
        call("gone", "--images", "pictures_gone", "-o", "out")
    Path("ids.txt").write_text("1\n2\n")
    with pytest.raises(InputError, match="list of image ids"):
        call("good", "--with", "ids.txt", "-o", "out")
    assert not (folder / "out").exists()


def test_own_slices(folder: Path) -> None:
    lines = ["image_id,hall", *(f"{image},{'left' if image < 5 else 'right'}" for image in range(10))]
    (folder / "halls.csv").write_text("\n".join(lines), encoding="utf-8")
    assert call("good", "runs/bad/answers", "--slices", "halls.csv", "--format", "csv", "-o", "out.csv").exit_code == 0
    text = (folder / "out.csv").read_text(encoding="utf-8")
    assert "hall: left,10,– (too few: 10)," in text


def test_own_slices_of_other_items_are_refused(folder: Path) -> None:
    (folder / "halls.csv").write_text("image_id,hall\n999,left\n", encoding="utf-8")
    with pytest.raises(InputError, match="found no item of any run by image_id, expected ids of items"):
        call("good", "--slices", "halls.csv", "-o", "out.html")
    assert not (folder / "out.html").exists()
