"""The section of exam 4 on models that were asked: every figure is the run's, alone and beside a probe."""

import pytest
from judged import propositions, said
from probe_dialogues import Table, given, material
from section_checks import check_section, draw_charts, tables, texts

from voirdire.runs import Run
from voirdire.scorekeeping.exam import JudgeOptions, ProbeOptions
from voirdire.scorekeeping.judge import score_judgements
from voirdire.scorekeeping.probe.score import probe_states
from voirdire.scorekeeping.section import scorekeeping_section
from voirdire.section.content import Grid, Model
from voirdire.section.context import Context

GIVEN = propositions(8)


def asked(**options) -> Run:
    """Of somebody who denies what is asked at turn 2, and says nothing of use at turn 3."""
    values = {2: {"value": "no"}, 3: {"value": None}}
    return score_judgements(GIVEN, said(GIVEN, lambda row: values.get(row.turn, {})), JudgeOptions(**options))


@pytest.fixture(scope="module")
def run() -> Run:
    return asked()


@pytest.fixture(scope="module")
def section(run):
    return scorekeeping_section([Model("mine", "mine-judge", run)], Context())


def test_every_figure_is_the_runs(section, run):
    assert check_section(section, [Model("mine", "mine-judge", run)]) > 20
    assert draw_charts(section) == 4


def test_what_is_shown(section, run):
    found = tables(section)
    assert list(found) == [
        "scorekeeping-asked",
        "scorekeeping-asked-boards",
        "scorekeeping-by-turn-tfxps",
        "scorekeeping-rules",
        "scorekeeping-confusion-mine-judge",
        "scorekeeping-sources-mine-judge",
    ]
    by_task = texts(found["scorekeeping-asked"])
    kinds = ("at turn 5", "all turns", "at turn 5, unread as wrong", "all turns, unread as wrong")
    assert [row[0] for row in by_task] == [f"mine, {kind}" for kind in kinds]
    assert by_task[0][1:5] == ["100.00"] * 4
    assert by_task[0][5] == f"{100 / 11:.2f}"
    assert by_task[-1][1] == f"{100 * run.measures['accuracy[TFxPS]:asked'].value:.2f}"
    # What states alone have is not there.
    assert "words alone" not in found["scorekeeping-asked-boards"].columns
    assert found["scorekeeping-asked-boards"].columns[0] == "model"


def test_headlines_and_findings(section):
    assert [headline.measure for headline in section.headlines] == ["accuracy@5[TFxPS]", "shift_only_right[TFxPS]"]
    first = section.findings[0].text
    assert first.startswith("Asked what is true and what is shared (TFxPS), the model is right in 100.0 %")
    assert "in 9.1 % of what it said no answer could be read" in first


def test_scoreboards_have_dots_where_nothing_was_read(section):
    (drill,) = section.drills
    item = next(iter(drill.items))
    (grid,) = item.blocks
    assert isinstance(grid, Grid)
    for _, gold, predicted, _ in grid.rows:
        assert gold[3] == predicted[3] == "·"
    assert ("·", "nothing") in grid.legend


def test_one_task_alone():
    run = asked(task="PS")
    models = [Model("mine", "mine-judge", run)]
    section = scorekeeping_section(models, Context())
    check_section(section, models)
    assert tables(section)["scorekeeping-asked-boards"].title == "What the model says, PS"
    assert [headline.measure for headline in section.headlines] == ["accuracy@5", "shift_only_right"]


def test_beside_a_probe_of_the_same_model(run):
    options = ProbeOptions(epochs=1, batch=128, hidden=8)
    probed = probe_states(**given(material(20)), encoder=Table(), options=options)
    models = [Model("mine", "mine-probe", probed), Model("mine", "mine-judge", run)]
    section = scorekeeping_section(models, Context())
    check_section(section, models)
    found = tables(section)
    assert {"scorekeeping-boards", "scorekeeping-asked", "scorekeeping-asked-boards", "scorekeeping-overlap"} <= set(
        found
    )
    assert {row[0] for row in found["scorekeeping-by-turn-tfxps"].rows} == {"mine, states", "mine, asked"}
    assert len(found["scorekeeping-overlap"].rows) == 1


def test_a_sample_of_points_leads_with_all_turns():
    """At turn 5 it has few points, and of no sentence all turns."""
    run = asked(points=60)
    section = scorekeeping_section([Model("mine", "mine-judge", run)], Context())
    assert [headline.measure for headline in section.headlines] == ["accuracy[TFxPS]"]
    assert " of the points; " in section.findings[0].text
    assert check_section(section, [Model("mine", "mine-judge", run)]) > 20


def test_a_dialogue_of_which_a_task_has_nothing_has_no_scoreboard():
    judged = said(GIVEN, lambda row: {"value": None} if row.dialogue == 2 and row.question == "sharing" else {})
    run = score_judgements(GIVEN, judged)
    (drill,) = scorekeeping_section([Model("mine", "mine-judge", run)], Context()).drills
    assert [item.name for item in drill.items] == [f"dialogue {place}" for place in range(8) if place != 2]
