"""The tables of a report alone: each format holds every figure, and no text breaks it."""

import csv
import io
import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from small_report import MEASURES, NASTY, ranked, small_models, small_report, small_section

from voirdire.answers.section.tables import ranks_table
from voirdire.escaping import markdown
from voirdire.figures import show_figure
from voirdire.report.make import Report, models_of
from voirdire.report.table_export import csv_table, tables_text
from voirdire.section.content import Cell, Finding, Table


def test_csv_holds_figures_in_full_with_their_intervals() -> None:
    text = tables_text(small_report(), "csv")
    rows = list(csv.reader(io.StringIO(text)))
    head = next(row for row in rows if row[:1] == ["model"])
    assert head[:4] == ["model", "mrr", "mrr low", "mrr high"]
    for model in small_models():
        row = next(row for row in rows if row[0] == model.label)
        for name in MEASURES:
            figure = model.run.measures[name]
            at = head.index(name)
            assert [float(cell) for cell in row[at : at + 3]] == [figure.value, figure.low, figure.high]
        assert row[-1] == "–"
    assert rows[0] == [f"# Ranks {NASTY}"]


def test_a_scaled_figure_is_scaled_in_csv_too() -> None:
    table = Table("t", "T", ("model", "share (%)"), (("a", Cell("50.00", "r", "m", 0.5, 0.25, 0.75, scale=100)),))
    assert list(csv.reader(io.StringIO(csv_table(table)))) == [
        ["model", "share (%)", "share (%) low", "share (%) high"],
        ["a", "50.0", "25.0", "75.0"],
    ]


def test_csv_has_an_interval_once_and_numbers_as_programs_read_them() -> None:
    figure = Cell("0.5000", value=0.5, low=0.25, high=0.75)
    table = Table("t", "T", ("model", "value", "low", "high", "n"), (("a", figure, "0.2500", "0.7500", "1,024,000"),))
    assert csv_table(table) == "model,value,value low,value high,n\na,0.5,0.25,0.75,1024000\n"
    # Without figures that have one, the column is all that there is.
    table = Table("t", "T", ("model", "95 % interval"), (("1,5", "0.2 … 0.3"),))
    assert csv_table(table) == 'model,95 % interval\n"1,5",0.2 … 0.3\n'


def test_markdown_rows_have_as_many_cells_as_the_head() -> None:
    text = tables_text(small_report(), "md")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [len(re.split(r"(?<!\\)\|", line)) for line in rows]
    assert cells == [7] * 4 + [7] * 6
    figure = small_models()[0].run.measures["mrr"]
    assert f"{show_figure(figure.value)} ({show_figure(figure.low)} … {show_figure(figure.high)})" in text


def test_a_share_in_percent_has_its_interval_in_percent_too() -> None:
    model = small_models()[0]
    figure = model.run.measures["recall@1"]
    head, row = csv.reader(csv_table(ranks_table("ranks", [model])).splitlines())
    found = dict(zip(head, row, strict=True))
    ends = [found[f"R@1 (%) ↑{end}"] for end in ("", " low", " high")]
    assert ends == [repr(100 * each) for each in (figure.value, figure.low, figure.high) if each is not None]


def test_latex_is_escaped_and_carries_the_signatures() -> None:
    text = tables_text(small_report(), "latex")
    assert text.count(r"\begin{tabular}{lrrrr}") == 2
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 2
    body = [line for line in text.splitlines() if not line.startswith("%")]
    assert all(not re.search(r"(?<!\\)[%#$_]", line.replace(r"\label{tab:made-table}", "")) for line in body)
    for model in small_models():
        assert f"% {model.label}|answers rank|{model.run.signature}" in text


def test_an_interval_that_has_columns_of_its_own_is_not_told_twice() -> None:
    report = small_report()
    (figure,) = (each.figure for each in report.sections[0].headlines[:1])
    told = f"({figure.low:.3f} … {figure.high:.3f})"
    cell = Cell("0.500", value=figure.value, low=figure.low, high=figure.high)
    for columns, times in ((("model", "mrr"), 1), (("model", "mrr", "95 % interval"), 0), (("model", "mrr", "low"), 0)):
        table = Table("t", "T", columns, (("good", cell, "x")[: len(columns)],))
        section = replace(report.sections[0], contents=(table,))
        assert tables_text(replace(report, sections=[section]), "md").count(told) == times


@pytest.mark.parametrize(
    ("text", "scale", "ends"),
    [
        ("0.5000", 1, "0.1250 … 0.7500"),
        ("50.0 ± 2.25 *", 100, "12.5 … 75.0"),
        ("1,050.25 (2.0)", 2000, "250.00 … 1,500.00"),
        ("5", 10, "1 … 8"),
    ],
)
def test_an_interval_has_the_decimals_of_its_figure(text: str, scale: float, ends: str) -> None:
    assert Cell(text, value=0.5, low=0.125, high=0.75, scale=scale).interval == ends
    assert Cell(text, value=0.5, scale=scale).interval == ""


def test_markdown_says_of_whom_a_finding_is() -> None:
    lines = tables_text(small_report(), "md").splitlines()
    assert "- All of them answer." in lines
    assert f"- {markdown(NASTY)}: It is worse." in lines


FORMULA = '=HYPERLINK("http://example.invalid")'
LABEL = f"{FORMULA}\n\\input{{x}}\r<script>alert(1)</script> [a](javascript:b) `c` \x1b[2J\ud800"


def hostile() -> Report:
    """A report in which every text tries to be code, of every format."""
    models = models_of([(model.label, model.run) for model in small_models()] + [(LABEL, ranked(5))])
    section = small_section(models)
    cells = (LABEL, FORMULA, "-0.5", "-0.50 … 0.25", Cell("-0.25", value=-0.25, low=-0.5, high=0.5))
    table = Table("t", LABEL, ("model", FORMULA, "a", "b", "c"), (cells,), note=LABEL)
    findings = [Finding(LABEL, LABEL, "bad"), Finding("", "1. " + LABEL, "bad")]
    return Report(models, [replace(section, findings=findings, contents=(table, *section.contents))])


def test_no_cell_of_a_csv_is_a_formula_and_numbers_are_numbers() -> None:
    report = hostile()
    for text in (tables_text(report, "csv"), csv_table(report.sections[0].contents[0])):  # type: ignore[arg-type]
        rows = list(csv.reader(io.StringIO(text)))
        signed = {cell for row in rows for cell in row if cell[:1] in tuple("=+-@\t\r")}
        assert {"-0.5", "-0.25", "-0.50 … 0.25"} <= signed
        assert all(re.fullmatch(r"-[\d.]+( … [\d.]+)?", cell) for cell in signed)
        assert any(cell.startswith(f"'{FORMULA}") for row in rows for cell in row)
        assert "\x1b" not in text
        text.encode()


def test_no_text_leaves_a_comment_or_an_argument_of_latex() -> None:
    text = tables_text(hostile(), "latex")
    known = ("%", "\\begin{", "\\caption{", "\\toprule", "\\midrule", "\\bottomrule", "\\end{", "")
    for line in text.splitlines():
        assert line.endswith(" \\\\") or line.startswith(known), line
        assert line.startswith("%") or "\\input" not in line
    assert r"\textbackslash{}input\{x\}" in text


def test_no_text_becomes_markup_in_markdown() -> None:
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(tables_text(hostile(), "md"))
    inside = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in inside} <= {"text", "text_special"}
    assert not {token.type for token in tokens} & {"html_block", "fence", "code_block", "ordered_list_open"}
    assert "<script>alert(1)</script> [a](javascript:b)" in "".join(child.content for child in inside)
