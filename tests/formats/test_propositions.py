"""Propositions: the published layout and Parquet, both ways, and what is wrong said with its place."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import Source, open_source
from voirdire.formats.propositions import (
    FORMAT,
    Proposition,
    PropositionSet,
    parse_propositions,
    read_propositions,
    write_propositions,
)
from voirdire.formats.references import read_references

YES = {
    "proposition": "there is a cup.",
    "a_thinks_true": 1,
    "turn_shared": 2,
    "rule": "there",
    "qa_fact": "positive",
}
NO = {**YES, "proposition": "there is no cup.", "a_thinks_true": 0}
CAPTION = {**YES, "turn_shared": 0, "rule": "caption", "qa_fact": None}


def text(dialogues: Any, **more: Any) -> bytes:
    return json.dumps({"orig_data": "visdial", "set": "val", "dialogues": dialogues, **more}).encode()


def parse(dialogues: Any, **more: Any) -> PropositionSet:
    return parse_propositions(Source("f.json", text(dialogues, **more)))


def test_dialogues_and_places_come_in_the_order_of_their_numbers() -> None:
    record = parse({"10": {"0": YES, "1": NO}, "9": {"1": NO, "0": CAPTION}})
    assert list(record.dialogues) == [9, 10]
    assert record.dialogues[9] == (Proposition(**CAPTION), Proposition(**NO))  # type: ignore[arg-type]
    assert (record.split, record.source, len(record)) == ("val", "visdial", 4)
    assert FORMAT.describe(record) == "4 propositions of 2 dialogues, split val"
    assert FORMAT.keys(record)["dialogue"].tolist() == [9, 10]


@pytest.mark.parametrize("turns", [{}, {"3": 11, "4": 6}])
@pytest.mark.parametrize("name", ["p.json", "p.json.gz", "p.parquet"])
def test_written_and_read_again(tmp_path: Path, name: str, turns: dict[str, int]) -> None:
    record = parse({"3": {"0": YES, "1": NO}, "4": {"0": CAPTION, "1": NO}}, turns=turns)
    assert record.turns == {int(dialogue): number for dialogue, number in turns.items()}
    write_propositions(record, tmp_path / name)
    assert read_propositions(tmp_path / name) == record
    assert detect(open_source(tmp_path / name)).name == "propositions"
    first = (tmp_path / name).read_bytes()
    write_propositions(record, tmp_path / name)
    assert (tmp_path / name).read_bytes() == first


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a_thinks_true": 2}, "dialogue 3, proposition 1 (both from 0), field `a_thinks_true`: found 2"),
        ({"a_thinks_true": True}, "field `a_thinks_true`: found True, expected int"),
        ({"turn_shared": 11}, "field `turn_shared`: found 11"),
        ({"turn_shared": -1}, "field `turn_shared`: found -1"),
        ({"qa_fact": "maybe"}, "field `qa_fact`: found 'maybe', expected positive or negative, or null"),
        ({"proposition": ""}, "field `proposition`: found ''"),
        ({"rule": 7}, "field `rule`: found 7, expected str"),
    ],
)
def test_a_bad_field_is_named_with_its_record(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse({"3": {"0": YES, "1": {**NO, **change}}})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ({"3": 12}, r"dialogue 3 \(from 0\), field `turns`: found 12, expected how many turns it has, 1 to 11"),
        ({"3": "x"}, "field `turns`: found 'x'"),
        ({"3": 2}, "field `turns`: found 2 turns, expected at least 3: a proposition is of turn 2"),
    ],
)
def test_lengths_that_cannot_be(turns: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse({"3": {"0": YES, "1": NO}}, turns=turns)


def test_lengths_of_some_dialogues_only() -> None:
    with pytest.raises(InputError, match=r"dialogue 4 \(from 0\), field `turns`: found nothing"):
        parse({"3": {"0": YES}, "4": {"0": YES}}, turns={"3": 11})


def test_all_bad_records_are_listed() -> None:
    with pytest.raises(InputError) as caught:
        parse({"3": {"0": {}, "1": NO}, "4": {"0": {**YES, "turn_shared": 12}}})
    assert caught.value.total == 2


@pytest.mark.parametrize("key", ["-1", "01", "x", "1.0", "٣", "9" * 30])
def test_keys_are_whole_numbers(key: str) -> None:
    with pytest.raises(InputError, match="whole numbers from 0 as keys"):
        parse({key: {"0": YES}})
    with pytest.raises(InputError, match="whole numbers from 0 as keys"):
        parse({"1": {key: YES}})


def test_nothing_at_all_is_an_error() -> None:
    for dialogues in ({}, {"1": {}}):
        with pytest.raises(InputError, match="no proposition"):
            parse(dialogues)


def test_unknown_fields_gaps_and_empty_dialogues_are_noted() -> None:
    record = parse({"1": {"0": {**YES, "more": 1}, "3": NO}, "2": {}}, other=2)
    assert len(record) == 2
    assert sorted(record.dialogues) == [1]
    notes = " | ".join(record.notes)
    assert "'other' is not known" in notes
    assert "'more' is not known" in notes
    assert "1 dialogue with places left out" in notes
    assert "1 dialogue without propositions" in notes


class TestParquet:
    @pytest.fixture
    def table(self, tmp_path: Path) -> pl.DataFrame:
        write_propositions(parse({"3": {"0": YES, "1": NO}}), tmp_path / "good.parquet")
        return pl.read_parquet(tmp_path / "good.parquet")

    def fails(self, table: pl.DataFrame, tmp_path: Path) -> str:
        table.write_parquet(tmp_path / "bad.parquet")
        with pytest.raises(InputError) as caught:
            read_propositions(tmp_path / "bad.parquet")
        return str(caught.value)

    def test_a_bad_value_is_named_with_its_row(self, table: pl.DataFrame, tmp_path: Path) -> None:
        problems = self.fails(table.with_columns(turn_shared=pl.Series([2, 11])), tmp_path)
        assert "row 2, field `turn_shared`: found 11" in problems

    def test_a_missing_column_is_named(self, table: pl.DataFrame, tmp_path: Path) -> None:
        assert "field `rule`: found nothing, expected a column of texts" in self.fails(table.drop("rule"), tmp_path)

    def test_a_column_of_another_type_is_named(self, table: pl.DataFrame, tmp_path: Path) -> None:
        problems = self.fails(table.with_columns(dialogue=pl.lit("x")), tmp_path)
        assert "field `dialogue`: found a column of String" in problems

    def test_two_splits_in_one_file_are_refused(self, table: pl.DataFrame, tmp_path: Path) -> None:
        problems = self.fails(table.with_columns(set=pl.Series(["val", "test"])), tmp_path)
        assert "field `set`: found 2 values" in problems

    def test_a_set_without_polarity_can_be_written_by_others(self, table: pl.DataFrame, tmp_path: Path) -> None:
        table.with_columns(qa_fact=None).write_parquet(tmp_path / "null.parquet")
        assert read_propositions(tmp_path / "null.parquet").dialogues[3][0].qa_fact is None

    def test_a_file_cut_short_is_said_to_be_so(self, tmp_path: Path) -> None:
        write_propositions(parse({"3": {"0": YES, "1": NO}}), tmp_path / "good.parquet")
        (tmp_path / "cut.parquet").write_bytes((tmp_path / "good.parquet").read_bytes()[:-30])
        with pytest.raises(InputError, match="Parquet"):
            read_propositions(tmp_path / "cut.parquet")

    def test_other_tables_are_not_taken_for_propositions(self, table: pl.DataFrame, tmp_path: Path) -> None:
        pl.DataFrame({"image_id": [1]}).write_parquet(tmp_path / "other.parquet")
        assert not FORMAT.matches(_seen(tmp_path / "other.parquet"))
        table.write_parquet(tmp_path / "ours.parquet")
        with pytest.raises(InputError, match="found propositions of dialogues"):
            read_references(tmp_path / "ours.parquet")


def _seen(path: Path) -> Any:
    from voirdire.formats.catalogue import look

    return look(open_source(path))
