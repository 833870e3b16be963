"""Files of single rounds: dense annotations, ranks, generations, reference sets. What they share is tested on all.

Lists of numbers go into an array: the fast way reads what the slow way reads."""

import gzip
import io
import json
import sys
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.errors import InputError
from voirdire.formats import generations, option_numbers, references
from voirdire.formats.catalogue import Format, detect, read_file
from voirdire.formats.documents import decode_records
from voirdire.formats.files import Source
from voirdire.formats.round_files import BATCH, _parse_each, fill_rows, label_round
from voirdire.formats.strict import Problems

ASCENDING = list(range(1, 101))
FLAGS = [1, 0, 1] + [0] * 97
SET = {"in_cluster_idxs": FLAGS, "refs": ["yes", "sure"], "question": "is it red", "gt_answer": "yes"}

FILES = {
    "dense": (option_numbers, {"gt_relevance": [0.2, 1.0] + [0.0] * 98}),
    "ranks": (option_numbers, {"ranks": ASCENDING}),
    "scores": (option_numbers, {"scores": [0.5, -2.25, 7] + [0.0] * 97}),
    "generations": (generations, {"generations": ["yes", "it is"]}),
    "references": (references, SET),
}


def rows(name: str, *pairs: tuple[int, int], **changes: Any) -> list[dict[str, Any]]:
    fields = {key: value for key, value in {**FILES[name][1], **changes}.items() if value is not None}
    return [{"image_id": image, "round_id": round_id, **fields} for image, round_id in pairs]


def parse(name: str, value: Any, base: int | None = None) -> Any:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return getattr(FILES[name][0], f"parse_{name}")(Source("f.json", data), base)


def complaint(name: str, value: Any, base: int | None = None) -> str:
    with pytest.raises(InputError) as caught:
        parse(name, value, base)
    assert str(caught.value).startswith("f.json: ")
    return str(caught.value)


def format_of(name: str) -> Format:
    return getattr(FILES[name][0], name.upper(), None) or FILES[name][0].FORMAT


every = pytest.mark.parametrize("name", sorted(FILES))


@every
def test_rounds_are_counted_from_zero_and_the_base_is_kept(name):
    zero = parse(name, rows(name, (7, 0), (5, 9)))
    each = parse(name, rows(name, (7, 1), (5, 10)))
    assert zero.image_ids.tolist() == each.image_ids.tolist() == [7, 5]
    assert zero.rounds.tolist() == each.rounds.tolist() == [0, 9]
    assert (zero.base, each.base) == (0, 1)
    assert zero != each
    format_ = format_of(name)
    assert format_.describe(each).endswith("rounds counted from 1")
    assert format_.keys(each)["round"].tolist() == [[7, 0], [5, 9]]
    assert format_.keys(each)["image"].tolist() == [5, 7]


@every
def test_an_unclear_base_is_asked_for(name):
    unclear = rows(name, (5, 1), (5, 9))
    assert "`round_base` 0 or `round_base` 1" in complaint(name, unclear)
    assert parse(name, unclear, base=0).rounds.tolist() == [1, 9]
    assert parse(name, unclear, base=1).rounds.tolist() == [0, 8]


@every
def test_a_contradicted_base_is_refused(name):
    assert "found rounds counted from 1, expected rounds counted from 0" in complaint(name, rows(name, (5, 10)), base=0)
    assert "found rounds counted from 0, expected rounds counted from 1" in complaint(name, rows(name, (5, 0)), base=1)
    assert "found both 0 and 10" in complaint(name, rows(name, (5, 0), (5, 10)))
    with pytest.raises(ValueError, match="`base` must be 0, 1 or None, got 2"):
        parse(name, rows(name, (5, 0)), base=2)


@every
def test_a_base_for_open_files_is_taken_in_one_reading(name, tmp_path):
    path, readings = tmp_path / "f.json", []

    def parse_once(source: Source, **options: Any) -> Any:
        readings.append(source.name)
        return format_of(name).parse(source, **options)

    for pairs, otherwise, base in ((((5, 1), (5, 9)), 1, 1), (((5, 0),), 1, 0), (((5, 10),), 0, 1)):
        path.write_text(json.dumps(rows(name, *pairs)))
        assert read_file(path, replace(format_of(name), parse=parse_once), parse_once, otherwise=otherwise).base == base
    assert len(readings) == 3
    with pytest.raises(ValueError, match="`base` must be 0, 1 or None, got 2"):
        format_of(name).parse(Source("f.json", json.dumps(rows(name, (5, 4))).encode()), otherwise=2)


@every
def test_a_round_that_occurs_twice_is_named(name):
    text = complaint(name, rows(name, (5, 0), (6, 3), (6, 3), (5, 3)))
    assert "image 6, round_id 3: found this round twice, expected each round once" in text


@every
def test_ids_are_whole_numbers_in_range(name):
    for image, actual in ((-1, "-1"), (2**63, "9223372036854775808"), (1.0, "1.0"), (True, "True"), ("5", "'5'")):
        value = rows(name, (5, 0), (image, 0))
        assert f"field `image_id`: found {actual}, expected int" in complaint(name, value)
    for round_id in (-1, 11, 0.0, False, None):
        where = f"image 5, round_id {round_id}" if isinstance(round_id, int) else "record 1"
        text = f"{where}, field `round_id`: found {round_id}, expected int"
        assert text in complaint(name, [{**rows(name, (5, 0))[0], "round_id": round_id}])
    assert parse(name, rows(name, (2**63 - 1, 0))).image_ids.tolist() == [2**63 - 1]


@every
def test_missing_fields_are_named(name):
    good = rows(name, (5, 0))[0]
    for key in good:
        text = complaint(name, [good, {field: value for field, value in good.items() if field != key}])
        assert "found nothing, expected" in text or "no relevances" in text
        assert key in text or "relevances" in text


@every
def test_unknown_fields_are_noted(name):
    record = parse(name, rows(name, (5, 0), (5, 1), score=0.5))
    assert record == parse(name, rows(name, (5, 0), (5, 1)))
    assert record.notes == ("field 'score' is not known and was not read (2 times)",)
    assert format_of(name).notes(record) == record.notes


@every
@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"[]", "found no record, expected at least one"),
        (b"", "found an empty file, expected JSON"),
        (b"[1]", "record 1: found 1, expected object"),
        (b"5", "line 1: found 5, expected object"),
        (b"[{]", "broken JSON near"),
        (b"[" * 5000, "nested too deeply"),
    ],
)
def test_what_is_no_list_of_rounds(name, data, text):
    assert text in complaint(name, data)


@every
def test_all_faults_are_listed(name):
    text = complaint(name, [{"image_id": image} for image in range(25)])
    assert "25 problems" in text
    assert "record 1, field `round_id`: found nothing" in text
    assert ". 24 more of this kind: record 2, field `round_id`; record 3, field `round_id`; …" in text


@every
def test_json_lines_are_read_and_name_their_lines(name):
    good = rows(name, (5, 0), (6, 9))
    lines = b"\n".join(json.dumps(row).encode() for row in good)
    assert parse(name, lines) == parse(name, lines + b"\n\n") == parse(name, good)
    broken = lines + b'\n{"image_id": 7, "round_id": "x"}\n{"image_id"'
    text = complaint(name, broken)
    assert "line 3, field `round_id`: found 'x', expected int" in text
    assert "line 4: found" in text


@every
@pytest.mark.parametrize("ending", ["json", "jsonl", "json.gz", "jsonl.gz"])
def test_written_and_read_again(name, ending, tmp_path):
    module, path = FILES[name][0], tmp_path / f"x.{ending}"
    read, write = getattr(module, f"read_{name}"), format_of(name).write
    for pairs, base in ((((5, 0), (6, 9)), 0), (((5, 1), (6, 10)), 1), (((6, 4),), 1)):
        record = parse(name, rows(name, *pairs), base)
        write(record, path)
        assert read(path, base) == record
        data = gzip.decompress(path.read_bytes()) if ending.endswith("gz") else path.read_bytes()
        assert data.startswith(b"{" if "jsonl" in ending else b"[")
        first = path.read_bytes()
        write(record, path)
        assert path.read_bytes() == first


@every
def test_standard_input_and_output(name, monkeypatch, capsysbinary):
    module = FILES[name][0]
    data = json.dumps(rows(name, (5, 0))).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    record = getattr(module, f"read_{name}")("-")
    format_of(name).write(record, "-")
    assert parse(name, capsysbinary.readouterr().out) == record


@every
def test_it_is_recognised(name):
    lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows(name, (5, 0), (5, 1)))
    for data in (json.dumps(rows(name, (5, 0))).encode(), lines, lines.splitlines()[0]):
        assert detect(Source("f", data)) is format_of(name)


def test_both_spellings_of_relevance():
    values = [0.2, 1] + [0] * 98
    other = rows("dense", (5, 1), (5, 10), gt_relevance=None, relevance=values)
    record = parse("dense", other)
    assert record.spelling == "relevance"
    assert record.relevance.dtype == np.float64
    assert record.relevance.tolist() == [values, values]
    mixed = complaint("dense", other[:1] + rows("dense", (5, 10)))
    assert "image 5, round_id 10: found gt_relevance, expected relevance alone, as in the rest of the file" in mixed
    twice = complaint("dense", rows("dense", (5, 10), relevance=values))
    assert "image 5, round_id 10: found gt_relevance and relevance, expected gt_relevance alone" in twice


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], "expected array of length >= 1"),
        ([0.0] * 1001, "expected array of length <= 1000"),
        ([0.0] * 99 + [1.1], "field `gt_relevance[99]`: found 1.1, expected float <= 1.0"),
        ([-0.1] + [0.0] * 99, "field `gt_relevance[0]`: found -0.1, expected float >= 0.0"),
        ([None] + [0.0] * 99, "field `gt_relevance[0]`: found None, expected float"),
        ([True] + [0.0] * 99, "field `gt_relevance[0]`: found True, expected float"),
        ("x", "field `gt_relevance`: found 'x', expected array"),
    ],
)
def test_faults_of_relevance(values, text):
    message = complaint("dense", rows("dense", (5, 10), gt_relevance=values))
    assert message.startswith("f.json: image 5, round_id 10, field `gt_relevance")
    assert text in message


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (
            [1, 1, *ASCENDING[2:]],
            "image 5, round_id 10, field `ranks`: found more than one option of rank 1, expected a perm",
        ),
        ([1] * 50 + [2] * 50, "found more than one option of rank 1, 2, expected"),
        ([n // 2 + 1 for n in range(100)], "found more than one option of rank 1, 2, 3, 4, 5, …, expected"),
        ([], "expected array of length >= 1"),
        ([0, *ASCENDING[1:]], "field `ranks[0]`: found 0, expected int >= 1"),
        ([101, *ASCENDING[1:]], "field `ranks`: found rank 101 of 100 options, expected a permutation of 1 to 100"),
        ([1001, *ASCENDING[1:]], "field `ranks[0]`: found 1001, expected int <= 1000"),
        ([1.0, *ASCENDING[1:]], "field `ranks[0]`: found 1.0, expected int"),
        ([True, *ASCENDING[1:]], "field `ranks[0]`: found True, expected int"),
    ],
)
def test_faults_of_ranks(values, text):
    assert text in complaint("ranks", rows("ranks", (5, 10), ranks=values))


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], "expected array of length >= 1"),
        ([0.5] * 99, "field `scores`: found 99 numbers, expected 100, as most rounds of the file have"),
        ([0.5] * 99 + [None], "field `scores[99]`: found None, expected float"),
        ([True] + [0.5] * 99, "field `scores[0]`: found True, expected float"),
        (
            [0.5, float("nan"), *[0.5] * 98],
            "image 5, round_id 10, field `scores[1]`: found nan, expected a finite number",
        ),
        ([-float("inf")] + [0.5] * 99, "image 5, round_id 10, field `scores[0]`: found -inf, expected a finite number"),
    ],
)
def test_faults_of_scores(values, text):
    good = rows("scores", (4, 10))
    bad = rows("scores", (5, 10), scores=values)
    assert text in complaint("scores", good + bad)
    assert text in complaint("scores", "\n".join(map(json.dumps, good + bad)).encode())


def test_scores_may_tie_and_be_whole_numbers():
    record = parse("scores", rows("scores", (5, 10), scores=[1, 1, *[-0.5] * 98]))
    assert record.scores.dtype == np.float64
    assert record.scores.tolist() == [[1, 1, *[-0.5] * 98]]


def test_a_text_that_says_nan_is_no_number():
    record = parse("scores", rows("scores", (5, 10), comment="NaN"))
    assert record.notes == ("field 'comment' is not known and was not read (1 time)",)
    assert "broken JSON near" in complaint("scores", b'[{"image_id": NaN, ]')


def test_ranks_keep_their_order():
    record = parse("ranks", rows("ranks", (5, 10), ranks=ASCENDING[::-1]))
    assert record.ranks.tolist() == [ASCENDING[::-1]]
    assert record.ranks.dtype == np.int16


def test_generations_are_flat_and_empty_ones_noted():
    value = [
        {"image_id": 5, "round_id": 0, "generations": ["a", " ", "b"]},
        {"image_id": 5, "round_id": 1, "generations": []},
        {"image_id": 5, "round_id": 2, "generations": ["c"]},
    ]
    record = parse("generations", value)
    assert record.texts == ["a", " ", "b", "c"]
    assert record.first.tolist() == [0, 3, 3, 4]
    assert [record.of(row) for row in range(3)] == [["a", " ", "b"], [], ["c"]]
    assert record.notes == (
        "image 5, round_id 0: 1 of 3 generations without text",
        "image 5, round_id 1: no generations",
    )
    assert generations.FORMAT.describe(record).startswith("0 to 3 generations per round for 3 rounds")
    wrong = complaint("generations", rows("generations", (5, 0), generations=["a", 3]))
    assert "image 5, round_id 0, field `generations[1]`: found 3, expected str" in wrong


def test_reference_sets_hold_flags_and_texts():
    record = parse("references", rows("references", (5, 0), (6, 0)))
    assert record.in_set.dtype == np.bool_
    assert np.flatnonzero(record.in_set[1]).tolist() == [0, 2]
    assert record.texts == ["yes", "sure"] * 2
    assert record.of(1) == ["yes", "sure"]
    assert (record.questions, record.gt_answers) == (["is it red"] * 2, ["yes"] * 2)
    assert record.notes == ()


def test_reference_sets_that_are_odd_are_noted():
    record = parse("references", rows("references", (5, 0), refs=["no", "no"]))
    assert record.notes == (
        "image 5, round_id 0: the ground truth is not in the set",
        "image 5, round_id 0: a reference occurs twice",
    )


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"refs": ["yes"]},
            "image 5, round_id 0, field `refs`: found 1 texts, expected 2, as many as `in_cluster_idxs`",
        ),
        ({"refs": [], "in_cluster_idxs": [0] * 100}, "field `refs`: found [], expected array of length >= 1"),
        ({"in_cluster_idxs": [2] + [0] * 99}, "field `in_cluster_idxs[0]`: found 2, expected int <= 1"),
        ({"in_cluster_idxs": [True] + [0] * 99}, "field `in_cluster_idxs[0]`: found True, expected int"),
        ({"in_cluster_idxs": []}, "expected array of length >= 1"),
        ({"in_cluster_idxs": [1] * 1001}, "expected array of length <= 1000"),
        ({"gt_answer": 5}, "field `gt_answer`: found 5, expected str"),
    ],
)
def test_faults_of_reference_sets(changes, text):
    assert text in complaint("references", rows("references", (5, 0), **changes))


SOME = {"dense": "gt_relevance", "ranks": "ranks", "scores": "scores", "references": "in_cluster_idxs"}


@pytest.mark.parametrize(("name", "field"), SOME.items())
def test_any_number_of_options_that_is_the_same_in_all_rounds(name, field):
    first, second, third = rows(name, (5, 0), (6, 1), (7, 2))
    values = [1, 2] if name == "ranks" else [1, 1]
    small = [{**each, field: values} for each in (first, second, third)]
    numbers = {"dense": "relevance", "references": "in_set"}.get(name, field)
    assert getattr(parse(name, small), numbers).shape == (3, 2)
    odd = complaint(name, [*small[:2], third])
    assert f"image 7, round_id 2, field `{field}`: found 100 " in odd
    assert "expected 2, as most" in odd


def test_sets_of_dialogues_without_options():
    bare = [{k: v for k, v in each.items() if k != "in_cluster_idxs"} for each in rows("references", (5, 0), (6, 1))]
    record = parse("references", bare)
    assert record.in_set.shape == (2, 0)
    assert detect(Source("f", json.dumps(bare).encode())) is format_of("references")
    mixed = complaint("references", [*bare, *rows("references", (7, 0))])
    expected = "field `in_cluster_idxs`: found 100 options, expected nothing, as in most sets of the file"
    assert f"image 7, round_id 0, {expected}" in mixed


@every
def test_a_field_that_occurs_twice_is_refused(name):
    text = json.dumps(rows(name, (5, 0), (6, 1)))
    twice = text.replace('"round_id": 1', '"round_id": 2, "round_id": 1').encode()
    assert "image 6, round_id 1, field `round_id`: found this key twice" in complaint(name, twice)


@every
def test_white_space_before_colons_is_no_fault(name):
    value = rows(name, (5, 0), (6, 1))
    assert parse(name, json.dumps(value, separators=(",", " : ")).encode()) == parse(name, value)


@every
def test_wrong_types_do_not_hide_rounds_that_occur_twice(name):
    good, again, bad = rows(name, (5, 0), (5, 0), (6, 0))
    text = complaint(name, [good, again, {**bad, "image_id": "6"}])
    assert "2 problems" in text
    assert "image 5, round_id 0: found this round twice, expected each round once" in text


@every
def test_of_a_file_with_bad_records_the_base_is_not_asked_for(name):
    text = complaint(name, [rows(name, (5, 3))[0], {}])
    assert "record 2, field `image_id`: found nothing, expected this field" in text
    assert "round-base" not in text


@pytest.mark.parametrize("name", ["generations", "references"])
def test_a_row_of_a_file_is_true_and_has_no_length(name):
    """It is one record of the file, not the columns of all of them."""
    problems = Problems("f.json")
    data = json.dumps(rows(name, (5, 0), (5, 1))).encode()
    entries, _ = decode_records(Source("f.json", data), FILES[name][0]._Row, label_round, problems)
    assert [bool(row) for row in entries] == [True, True]
    assert entries[0] != entries[1]
    with pytest.raises(TypeError, match="has no len"):
        len(entries[0])


# Lists of options.


def fill(
    values: list[Any], width: int = 3, below: int = 10, dump: Any = json.dumps
) -> tuple[list[list[int]], list[Any]]:
    raws = [None if value is None else msgspec.Raw(dump(value).encode()) for value in values]
    out = np.full((len(values), width), -1, np.int32)
    return out, fill_rows(out, raws, below)


def test_rows_are_filled_and_missing_ones_left():
    out, faults = fill([[1, 2, 3], None, [9, 0, 4]])
    assert out.tolist() == [[1, 2, 3], [-1, -1, -1], [9, 0, 4]]
    assert faults == []


def test_nothing_to_fill():
    assert fill([])[1] == []
    assert fill([None, None])[0].tolist() == [[-1] * 3] * 2


def test_white_space_is_no_fault():
    out, faults = fill([[1, 2, 3], [4, 5, 6]], dump=lambda value: json.dumps(value, indent=4))
    assert (out.tolist(), faults) == ([[1, 2, 3], [4, 5, 6]], [])


def test_faults_are_named_and_the_good_rows_of_the_batch_read():
    out, faults = fill([[1, 2, 3], [1, 2], [1, 2, 10], [0, True, 1], "x", [1, [2], 3]])
    assert out[0].tolist() == [1, 2, 3]
    assert faults == [
        (1, "", "2 entries", "3"),
        (2, "[2]", "10", "a whole number from 0 to 9"),
        (3, "[1]", "True", "a whole number from 0 to 9"),
        (4, "", "'x'", "a list of 3 numbers"),
        (5, "[1]", "[2]", "a whole number from 0 to 9"),
    ]


def test_an_empty_pool_has_no_places():
    assert fill([[0, 0, 0]], below=0)[1] == [(0, "[0]", "0", "nothing, since the pool is empty")]


def test_more_rows_than_a_batch():
    rows = [[row % 10, 0, 9] for row in range(2 * BATCH + 3)]
    out, faults = fill([*rows, [1, 2, -3]])
    assert out[:-1].tolist() == rows
    assert [fault[0] for fault in faults] == [len(rows)]


ODD = st.one_of(st.integers(-2, 12), st.booleans(), st.floats(0, 3), st.text(max_size=2), st.none(), st.just([]))
ROW = st.one_of(
    st.lists(st.integers(0, 9), min_size=3, max_size=3),
    st.lists(st.one_of(ODD, st.lists(ODD, max_size=2)), max_size=5),
    st.none(),
)


@pytest.mark.slow
@given(st.lists(ROW, max_size=6))
def test_both_ways_agree(values):
    fast, fast_faults = fill(values)
    slow = np.full((len(values), 3), -1, np.int32)
    batch = [(row, msgspec.Raw(json.dumps(value).encode())) for row, value in enumerate(values) if value is not None]
    assert list(_parse_each(slow, batch, 10)) == fast_faults
    assert np.array_equal(slow, fast)
