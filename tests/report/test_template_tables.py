"""The section of a model that was asked in several templates: each figure, and that over the templates."""

from dataclasses import replace

from small_report import SIGNATURE, ranked

from voirdire.report.make import make_report
from voirdire.report.template_tables import with_templates
from voirdire.section.content import Model, Section, tables_of
from voirdire.section.context import Context

TEMPLATES = ("plain", "explicit", "brief")


def models(*templates):
    made = []
    for shift, template in enumerate(templates):
        options = {"asked": {"template": f"{template}-1:0123456789ab"}}
        run = ranked(2 * shift, signature=replace(SIGNATURE, options=options))
        made.append(Model(f"m@{template}", f"run-{shift}", run))
    return made


def section_of(*templates):
    return with_templates(Section("answers", "Answers", "Right?", (), (), ()), models(*templates))


def test_three_templates_have_a_column_each_and_an_interval_over_all():
    section = section_of(*TEMPLATES)
    (table,) = section.contents
    assert table.columns == ("measure", *TEMPLATES, "over templates")
    assert table.title == "Does it depend on the words? m in 3 templates, answers rank"
    mrr = next(row for row in table.rows if row[0].startswith("mrr"))
    assert [cell.run for cell in mrr[1:4]] == ["run-0", "run-1", "run-2"]
    assert len({cell.text for cell in mrr[1:4]}) == 3
    assert " … " in mrr[4]
    assert mrr[4].endswith(")")
    assert "templates − 1 degrees of freedom" in table.note


def test_a_sentence_says_how_far_the_leading_figure_moves():
    (finding,) = section_of(*TEMPLATES).findings
    assert finding.label == "m"
    assert finding.text.startswith("MRR in 3 templates: ")
    assert "(brief) to " in finding.text
    assert "(plain); over templates " in finding.text


def test_two_templates_have_a_range():
    section = section_of("plain", "brief")
    (table,) = section.contents
    low, high = (float(end) for end in table.rows[0][3].split(" … "))
    assert low < high
    assert "range" in table.note
    assert "over templates" not in section.findings[0].text


def test_the_report_has_the_table_in_the_section_of_its_exam():
    report = make_report(models(*TEMPLATES), Context())
    names = [table.name for table in tables_of(report.sections[0].contents)]
    assert "answers-rank-templates-m" in names
    assert not any(
        "templates" in table.name for table in tables_of(make_report(models("plain"), Context()).sections[0].contents)
    )


def test_one_template_adds_nothing():
    section = section_of("plain")
    assert not section.contents
    assert not section.findings
