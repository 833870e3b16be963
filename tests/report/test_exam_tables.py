"""The tables of papers, made of runs: which are made, what is marked, how claims are decided, how they are written."""

import csv
import io
from dataclasses import replace

import polars as pl
import pytest

from voirdire.errors import UsageError
from voirdire.exam import PaperTable, exam_named, exams, views_of
from voirdire.metrics.key import Key
from voirdire.report import exam_tables
from voirdire.report.exam_tables import FORMS, csv_files, make_tables, tables_in
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.runs.view import estimate_views
from voirdire.section.content import Table
from voirdire.section.printed import PaperClaim

SIGNATURE = Signature("0.1.0", data={"visdial": "a" * 64}, seed=0)


def ranked(shift: int, count: int = 60, signature: Signature = SIGNATURE) -> Run:
    """A run of `answers rank` whose ranks are worse by a shift."""
    items = pl.DataFrame(
        {"image_id": range(count), "round": [1] * count, "rank": [at % 7 + 1 + shift for at in range(count)]}
    )
    bare = Run("answers", {"cutoff": "relevant", "seed": 0}, items, Measures(), signature, part="rank")
    return replace(bare, measures=estimate_views(views_of(bare), seed=0))


@pytest.fixture(scope="module")
def made():
    return make_tables(exam_named("answers"), [("good", ranked(0)), ("bad", ranked(20)), ("same", ranked(0))])


def test_a_row_for_each_model_with_its_figures(made):
    (table,) = made.tables
    assert table.title == "Tables 3, 5, 8 and 9: ranks of the true answer"
    assert table.columns == ("model", "MR ↓", "R@1 ↑", "R@5 ↑", "R@10 ↑", "MRR ↑")
    label, mean_rank, *_ = table.rows[1]
    assert (label, mean_rank.value) == ("bad", pytest.approx(sum(at % 7 + 21 for at in range(60)) / 60))


def line_of(text, name):
    return next(line for line in text.splitlines() if line.startswith(name))


def test_what_differs_is_marked_and_the_best_is_bold(made):
    text = tables_in(made)
    good, bad, same = (
        next(line for line in text.splitlines() if line.startswith(name)) for name in ("good", "bad", "same")
    )
    assert bad.split()[1:] == ["23.90***", "0.00*", "0.00***", "0.00***", "0.0421***"]
    assert "*" not in good + same
    assert "after Holm's correction, against good." in text
    in_latex = tables_in(made, "latex")
    assert r"\textbf{" in line_of(in_latex, "good")
    assert r"\textbf{" not in line_of(in_latex, "bad")


def test_a_figure_that_ranks_nobody_has_a_dagger_and_its_reason_and_is_not_the_best(monkeypatch):
    barred = ranked(0)
    monkeypatch.setattr(exam_tables, "caveats_of", lambda run: {Key("mr"): "too few rounds"} if run is barred else {})
    made = make_tables(exam_named("answers"), [("bad", ranked(20)), ("few", barred)])
    text = tables_in(made)
    assert line_of(text, "few").split()[1].endswith("3.90†")
    assert "***" in line_of(text, "few")
    assert "† no rank; few: too few rounds." in text
    few, bad = (line_of(tables_in(made, "latex"), name).split(" & ") for name in ("few", "bad"))
    assert few[1] == r"3.90\textdagger{}"
    assert few[5].startswith(r"\textbf{")
    assert bad[1] == "23.90"


@pytest.mark.parametrize(("form", "behind"), [("pm", " ± "), ("brackets", " [")])
def test_intervals_stand_behind_figures(made, form, behind):
    line = line_of(tables_in(made, interval=form), "good")
    assert line.count(behind) == 5
    assert behind not in tables_in(made)


def test_csv_has_figures_in_full_with_ends_and_p(made):
    ((_, text),) = csv_files(made).items()
    head, *rows = csv.reader(io.StringIO(text))
    assert head[:5] == ["model", "MR ↓", "MR ↓ low", "MR ↓ high", "MR ↓ p"]
    assert float(rows[0][1]) == made.tables[0].rows[0][1].value
    assert [row[4] for row in rows] == ["", str(made.p["2-bad", "mr"]), ""]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_bytes_again(made, form):
    assert tables_in(made, form) == tables_in(made, form)
    assert tables_in(made, form).endswith("\n")


def test_only_the_tables_of_a_number(monkeypatch):
    """A declaration may make several tables; one that stands for several numbers is made for each."""
    titles = ("Table 2: a", "Table 7: b", "Tables 8 and 9: c")
    declared = PaperTable("3 5 8 9", "ranks", "rank", lambda models: [Table(t, t, ("model",), ()) for t in titles])
    exam = replace(exam_named("answers"), tables=(replace(declared, numbers="2 7 8 9"),))
    made = [make_tables(exam, [("good", ranked(0))], numbers=number) for number in (("2",), ("9",), ("7", "2"), ())]
    assert [[table.title for table in each.tables] for each in made] == [
        ["Table 2: a", "Tables 8 and 9: c"],
        ["Tables 8 and 9: c"],
        [*titles],
        [*titles],
    ]


def test_plain_tables_have_no_marks():
    made = make_tables(exam_named("answers"), [("good", ranked(0)), ("bad", ranked(20))], compared=False)
    assert "*" not in tables_in(made)


def test_runs_on_other_data_have_a_table_and_a_first_model_of_their_own():
    other = replace(SIGNATURE, data={"visdial": "b" * 64})
    runs = [("a", ranked(0)), ("b", ranked(9)), ("c", ranked(0, signature=other)), ("d", ranked(9, signature=other))]
    made = make_tables(exam_named("answers"), runs)
    assert [[row[0] for row in table.rows] for table in made.tables] == [["a", "b"], ["c", "d"]]
    assert "against a or c." in tables_in(made)


def test_the_same_label_may_stand_for_runs_against_other_sets():
    other = replace(SIGNATURE, data={"visdial": "b" * 64})
    made = make_tables(exam_named("answers"), [("a", ranked(0)), ("a", ranked(3, signature=other))])
    assert len(made.tables) == 2


@pytest.mark.parametrize(
    ("numbers", "groups", "told"),
    [
        (["11"], {}, "`number` must be that of a table, got 11; there are: 1, 10 "),
        (["2"], {}, r"no figures of table 2; there are: .*2 \(reference sets as judges see them\)"),
        ([], {"attention": ["good"]}, "`group` must be one of none: no claim is about groups, got attention"),
    ],
)
def test_calls_that_cannot_be_carried_out(numbers, groups, told):
    with pytest.raises(UsageError, match=told):
        make_tables(exam_named("answers"), [("good", ranked(0))], numbers, groups)


def test_a_run_of_another_exam_and_a_label_of_nobody_are_named():
    with pytest.raises(UsageError, match="good is a run of `answers rank`, not of questions"):
        make_tables(exam_named("questions"), [("good", ranked(0))])
    with pytest.raises(UsageError, match="`group` attention names nobody, which no run is called; there are good"):
        exam_tables._check(
            exam_named("robustness"),
            [replace_exam(ranked(0), "robustness")],
            (),
            {"attention": ["nobody"]},
        )


def replace_exam(run, name):
    from voirdire.section.content import Model

    return Model("good", "1-good", replace(run, exam=name))


def claim(difference, p):
    return PaperClaim("it is better", difference, None, None, p, "a test")


@pytest.mark.parametrize(
    ("difference", "p", "verdict"),
    [(1.0, 0.01, "holds"), (-1.0, 0.01, "the opposite holds"), (1.0, 0.2, "not shown"), (None, None, "not tested")],
)
def test_what_becomes_of_a_claim(difference, p, verdict):
    table = exam_tables._claims_table(exam_named("questions"), [claim(difference, p)])
    assert table.rows[0][-1] == verdict


def test_claims_are_corrected_together():
    table = exam_tables._claims_table(exam_named("questions"), [claim(1.0, 0.03), claim(1.0, 0.03)])
    assert [row[4] for row in table.rows] == ["0.0600", "0.0600"]
    assert [row[-1] for row in table.rows] == ["not shown", "not shown"]


def test_a_label_is_no_markup():
    text = tables_in(make_tables(exam_named("answers"), [(r"\input{x} & 50%", ranked(0))]), "latex")
    assert not any(r"\input" in line for line in text.splitlines() if not line.startswith("%"))


@pytest.mark.parametrize("exam", exams(), ids=lambda exam: exam.name)
def test_every_number_of_a_table_is_declared_once_and_its_runs_are_scored(exam):
    numbers = [number for table in exam.tables for number in table.numbers.split()]
    assert len(numbers) == len(set(numbers)) > 0
    assert all(exam.part(name).makes == "run" for table in exam.tables for name in table.parts.split())
