"""`voirdire compare` as it is called: the table, JSON, LaTeX, labels, and what it refuses."""

import csv
import json
from dataclasses import replace

import polars as pl
import pytest
from typer.testing import CliRunner

from voirdire import compare_runs
from voirdire.cli.main import app
from voirdire.errors import InputError, UsageError
from voirdire.runs import Run, Signature, read_run, write_run

COUNT = 40
OVERLAP = pl.DataFrame(
    {name: [1] for name in ("image_id", "round", "size", "contains_gt")}
    | {name: [1.0] for name in ("iou", "precision", "recall")}
)


def make_run(shift):
    """Two rounds an image; every rank is `shift` worse than it might be."""
    items = pl.DataFrame(
        {
            "image_id": [at // 2 for at in range(COUNT)],
            "round": [at % 2 for at in range(COUNT)],
            "rank": [1 + at % 7 + shift for at in range(COUNT)],
        }
    )
    signature = Signature("0.1.0", data={"visdial": "a" * 64}, seed=0, options={"ties": "worst"})
    return Run("answers", {"cutoff": "relevant", "seed": 0}, items, {}, signature, part="rank")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, shift in (("good", 0), ("bad", 2), ("worse", 5)):
        write_run(make_run(shift), tmp_path / name / "answers-rank")
    return tmp_path


def call(*arguments):
    return CliRunner().invoke(app, ["compare", *map(str, arguments)], catch_exceptions=False)


def said(done):
    """What stands on stderr beside how far the work is, which is said where it takes long, as on first use."""
    return [line for line in done.stderr.splitlines() if not line.startswith("compare answers")]


def test_the_table(folder):
    done = call("good/answers-rank", "bad/answers-rank")
    assert done.exit_code == 0
    assert said(done) == []
    lines = done.stdout.splitlines()
    assert lines[0] == "answers rank: bad against good, 40 rounds that both were asked"
    assert lines[2].split() == [
        *("measure", "good", "bad", "difference", "95", "%", "interval", "p", "p", "(Holm)", "win/tie/loss", "n")
    ]
    rank = next(line for line in lines if line.startswith("mr ↓"))
    assert rank.split() == [*("mr", "↓", "3.8750", "5.8750", "+2.0000", "***"), *rank.split()[6:]]
    assert rank.split()[6:9] == ["2.0000", "…", "2.0000"]
    assert rank.split()[-2:] == ["0/0/40", "40"]
    assert "mrr ↑" in done.stdout
    assert "* p ≤ 0.05" in done.stdout
    assert "2 of 2 slices differ after a correction of their own." in lines
    assert any(line.startswith("mrr[round 1] ↑") for line in lines)
    assert any(line.startswith("image 0, round 0") for line in lines)
    assert lines[-1] == (
        "answers rank|version:0.1.0|data.visdial:aaaaaaaaaaaa|seed:0|options.ties:worst"
        "|resamples:10000|seed of the comparison:0"
    )


def test_json_is_what_the_function_gives(folder):
    done = call("A=good/answers-rank", "B=bad/answers-rank", "C=worse/answers-rank", "--json", "--seed", 5)
    shown = json.loads(done.stdout)
    runs = [read_run(folder / name / "answers-rank") for name in ("good", "bad", "worse")]
    found = compare_runs(["A", "B", "C"], runs, seed=5)
    assert list(shown) == ["exam", "comparisons", "signature", "seed"]
    assert shown["comparisons"] == json.loads(json.dumps([one.to_dict() for one in found]))
    assert shown["signature"]["data"] == {"visdial": "a" * 64}
    assert shown["comparisons"][1]["labels"] == ["A", "C"]


def test_several_runs_stand_below_each_other(folder):
    lines = call("good/answers-rank", "bad/answers-rank", "worse/answers-rank").stdout.splitlines()
    assert [line for line in lines if " against " in line] == [
        "answers rank: bad against good, 40 rounds that both were asked",
        "answers rank: worse against good, 40 rounds that both were asked",
    ]


def test_latex(folder):
    lines = call("good/answers-rank", "bad/answers-rank", "--latex").stdout.splitlines()
    assert lines[0] == "% answers rank: bad against good, 40 rounds that both were asked"
    assert lines[1].startswith("% answers rank|version:0.1.0")
    assert lines[2] == r"\begin{tabular}{lrrrrrrrrr}"
    assert any(line.startswith(r"mr $\downarrow$ & \textbf{3.8750} & 5.8750 & +2.0000 & *** & ") for line in lines)
    assert lines[-1] == r"\end{tabular}"
    with pytest.raises(UsageError, match="exclude each other"):
        call("good/answers-rank", "bad/answers-rank", "--latex", "--json")


def test_a_run_against_itself_shows_no_star(folder):
    done = call("a=good/answers-rank", "b=good/answers-rank")
    assert "***" not in done.stdout.replace("*** p ≤ 0.001", "")
    assert "0 of 2 slices differ" in done.stdout
    assert "Changed most" not in done.stdout


def test_what_does_not_pair_is_said_on_stderr(folder):
    run = make_run(1)
    write_run(replace(run, items=run.items.head(30)), folder / "short")
    done = call("good/answers-rank", "short")
    assert said(done) == ["warning: 10 rounds only in good, so left out of the comparison."]
    assert "30 rounds that both were asked" in done.stdout


def test_what_is_refused(folder):
    run = make_run(1)
    write_run(replace(run, signature=replace(run.signature, data={"visdial": "b" * 64})), folder / "other")
    with pytest.raises(UsageError, match=r"good and other cannot be compared, .* data\.visdial: aaaa.* against bbbb"):
        call("good/answers-rank", "other")
    with pytest.raises(UsageError, match="two or more"):
        call("good/answers-rank")
    with pytest.raises(UsageError, match="two runs are called 'x'"):
        call("x=good/answers-rank", "x=bad/answers-rank")
    with pytest.raises(InputError, match="no such folder"):
        call("good/answers-rank", "nowhere")


def test_a_folder_stands_for_the_runs_below_it(folder):
    """A folder per model, and all models' folder: what was refused as no run before."""
    assert call("good", "bad").stdout == call("good/answers-rank", "bad/answers-rank").stdout
    write_run(replace(make_run(1), part="overlap", options={}, items=OVERLAP), folder / "good" / "answers-overlap")
    done = call(".")
    assert done.stdout.count(" against bad, 40 rounds that both were asked") == 2
    assert said(done) == ["warning: good: no other run of `answers overlap` to compare with"]
    assert len(json.loads(call(".", "--json").stdout)["comparisons"]) == 2


def test_latex_of_chosen_measures_has_the_better_figure_in_bold(folder):
    lines = call("good/answers-rank", "bad/answers-rank", "--latex", "--measures", "mr,mrr").stdout.splitlines()
    rows = [line for line in lines if line.endswith(r"\\") and not line.startswith("measure")]
    assert [row.split(" ")[0] for row in rows] == ["mr", "mrr"]
    assert rows[0].startswith(r"mr $\downarrow$ & \textbf{3.8750} & 5.8750 & +2.0000 & *** & ")
    assert (
        call("good/answers-rank", "bad/answers-rank", "--measures", "mrr", "--json").stdout.count('"measure": "mr"')
        == 0
    )
    with pytest.raises(UsageError, match=r"names cider4, which is no measure to compare here; there are mr, "):
        call("good/answers-rank", "bad/answers-rank", "--measures", "cider4")


@pytest.mark.parametrize(("form", "shown"), [("pm", r" $\pm$ "), ("brackets", " [")])
def test_latex_of_all_models_side_by_side(folder, form, shown):
    names = ["50%_good=good/answers-rank", "bad/answers-rank", "worse/answers-rank"]
    done = call(*names, "--latex", "--interval", form, "--measures", "mr", "--measures", "recall@1,recall@5")
    lines = done.stdout.splitlines()
    assert lines[2:6] == [r"\begin{tabular}{lrrr}", r"\toprule", r"measure & 50\%\_good & bad & worse \\", r"\midrule"]
    mr, first, *_ = lines[6:]
    (compared,) = compare_runs(["a", "b"], [read_run(folder / name / "answers-rank") for name in ("good", "bad")])
    (found,) = [measure for measure in compared.measures if measure.measure.name == "mr"]
    low, high = found.first_low, found.first_high
    assert low < found.first < high
    ends = rf"{(high - low) / 2:.4f}" if form == "pm" else f"{low:.4f}, {high:.4f}]"
    assert mr.startswith(rf"mr $\downarrow$ & \textbf{{3.8750}}{shown}{ends} & 5.8750{shown}")
    assert mr.count("***") == 2
    assert first.startswith(r"recall@1 $\uparrow$ & \textbf{")
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]


def test_models_with_other_units_have_a_table_each(folder):
    run = make_run(1)
    write_run(replace(run, items=run.items.head(30)), folder / "short")
    done = call("good/answers-rank", "bad/answers-rank", "short", "--latex", "--interval", "pm", "--measures", "mr")
    assert done.stdout.count(r"\begin{tabular}{lrr}") == 2


def test_intervals_of_figures_are_those_of_the_run(folder):
    """Where all units are shared, a figure's interval is the one that the run itself would have."""
    from voirdire.exam import views_of
    from voirdire.runs.view import estimate_views

    runs = [read_run(folder / name / "answers-rank") for name in ("good", "bad")]
    (made,) = compare_runs(["good", "bad"], runs, seed=3)
    for run, side in zip(runs, ("first", "second"), strict=True):
        own = estimate_views(views_of(run), seed=3)
        for measure in made.measures:
            found = own[measure.measure.key]
            ends = getattr(measure, f"{side}_low"), getattr(measure, f"{side}_high")
            assert (getattr(measure, side), *ends) == pytest.approx((found.value, found.low, found.high), abs=0.02)


def test_a_csv_file_per_table(folder):
    done = call("@good=good/answers-rank", "bad/answers-rank", "--csv", "tables", "--measures", "mr,mrr")
    assert done.exit_code == 0
    files = sorted(file.name for file in (folder / "tables").iterdir())
    name = "answers-rank-bad-against-good"
    assert files == [f"{name}-changed.csv", f"{name}-measures.csv", f"{name}-slices.csv"]
    with (folder / "tables" / f"{name}-measures.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    assert head[:6] == ["measure", "'@good", "bad", "difference", "low", "high"]
    assert rows[0][:4] == ["mr", "3.875", "5.875", "2.0"]
    with pytest.raises(UsageError, match="tables is there already"):
        call("good/answers-rank", "bad/answers-rank", "--csv", "tables")


def test_what_is_printed_goes_to_a_file_too(folder):
    for flags in ((), ("--latex",), ("--json",)):
        printed = call("good/answers-rank", "bad/answers-rank", *flags).stdout
        done = call("good/answers-rank", "bad/answers-rank", *flags, "-o", "out.txt")
        assert done.stdout == (folder / "out.txt").read_text() == printed


def test_intervals_are_for_latex(folder):
    with pytest.raises(UsageError, match="--interval goes with --latex"):
        call("good/answers-rank", "bad/answers-rank", "--interval", "pm")
    with pytest.raises(UsageError, match="--interval plus: may be one of pm, brackets"):
        call("good/answers-rank", "bad/answers-rank", "--latex", "--interval", "plus")
