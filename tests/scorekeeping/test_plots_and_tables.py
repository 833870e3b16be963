"""Tables 2, 7, 8 and 9 of scorekeeping from runs of A and Q, and the claim that Q is above A."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "probe"))

from probe_dialogues import Table as EncodingTable
from probe_dialogues import given, material

from voirdire.scorekeeping.exam import ProbeOptions
from voirdire.scorekeeping.plots_and_tables import TABLES, task_claims, task_tables
from voirdire.scorekeeping.probe.score import probe_states
from voirdire.section.content import Cell, Model

SMALL = {"epochs": 2, "batch": 128, "rate": 3e-2, "hidden": 16, "all": True}


@pytest.fixture(scope="module")
def models():
    runs = {
        role: probe_states(**given(material(40)), encoder=EncodingTable(), options=ProbeOptions(role=role, **SMALL))
        for role in "AQ"
    }
    return [Model("SL", f"1-{role}", run) for role, run in runs.items()]


def test_four_tables_with_rows_of_both_roles_and_controls(models):
    tables = task_tables(models)
    assert [table.title.partition(":")[0] for table in tables] == [f"Table {number}" for number in TABLES]
    for table in tables:
        assert table.columns == ("model", "TFxPS SL", "TF SL", "PS SL", "PxTSFS SL")
        assert [row[0] for row in table.rows] == [
            f"{role}, {states}" for role in "AQ" for states in ("main", "random r", "null r")
        ]


def test_cells_are_the_runs_figures_and_q_has_none_where_it_knows_nothing(models):
    table = task_tables(models)[1]
    answerer, questioner = table.rows[0], table.rows[3]
    assert answerer[1].value == models[0].run.measures["accuracy[TFxPS]"].value
    assert answerer[1].text == f"{100 * answerer[1].value:.2f}"
    assert questioner[1:3] == ("–", "–")
    assert isinstance(questioner[3], Cell)


def test_q_against_a_is_paired_by_dialogue(models):
    claims = task_claims(models, {}, 0)
    assert [claim.says for claim in claims] == ["SL: PS, Q above A", "SL: PxTSFS, Q above A"]
    for claim, task in zip(claims, ("PS", "PxTSFS"), strict=True):
        first, second = (model.run.measures[f"accuracy@5[{task}]"].value for model in reversed(models))
        assert claim.difference == pytest.approx(first - second)
        assert 0 < claim.p <= 1
        assert claim.low <= claim.difference <= claim.high


def test_without_a_pair_nothing_is_claimed(models):
    assert task_claims(models[:1], {}, 0) == []
