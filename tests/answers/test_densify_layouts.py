"""Reference sets in every layout that densifying writes: the same record, the same model, faults by their place."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from word_world import WordWorld, word_world

from voirdire.answers.cca import read_cca, write_cca
from voirdire.answers.cca.sentences import sentences
from voirdire.answers.cca.training import pairs_of_ground_truths, train, train_vocabulary, training_pairs
from voirdire.answers.densify import densify
from voirdire.answers.exam import CcaOptions
from voirdire.errors import InputError
from voirdire.formats import reference_files
from voirdire.formats.reference_files import ENDINGS, read_sets
from voirdire.formats.references import References, read_references
from voirdire.formats.visdial import read_visdial
from voirdire.validation import examine

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> WordWorld:
    """A world whose val split is densified in every layout."""
    folder = word_world(tmp_path_factory.mktemp("sets"))
    visdial = read_visdial(folder["train"])
    texts = sentences(folder.encoder, train_vocabulary(visdial))
    write_cca(train(pairs_of_ground_truths(visdial), texts, CcaOptions(k=40)), folder.folder / "cca.npz")
    for ending in ENDINGS:
        densify(read_visdial(folder["val"]), read_cca(folder.folder / "cca.npz"), folder.folder / f"dense{ending}")
    return folder


@pytest.fixture
def whole_reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Small blocks, and the files that were left to the strict reader all the same."""
    monkeypatch.setattr(reference_files, "ROWS", 7)
    monkeypatch.setattr(reference_files, "SIZE", 4000)
    left: list[str] = []
    strict = reference_files.read_as
    monkeypatch.setattr(reference_files, "read_as", lambda path, *rest: left.append(path.name) or strict(path, *rest))
    return left


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_layout_is_the_same_record(world: WordWorld, whole_reads: list[str], ending: str) -> None:
    path = world.folder / f"dense{ending}"
    expected = read_references(world.folder / "dense.json")
    rows = read_sets(path)
    assert rows == expected
    assert whole_reads == []
    assert len({id(text) for text in (*rows.texts, *rows.gt_answers)}) == len({*rows.texts, *rows.gt_answers})
    if ending != ".parquet":
        assert rows.fingerprint == read_references(path).fingerprint
    else:
        assert len(rows.fingerprint) == 64


@pytest.mark.parametrize("words_of_train", [True, False])
@pytest.mark.usefixtures("whole_reads")
def test_the_same_model_to_the_last_digit(world: WordWorld, words_of_train: bool) -> None:
    visdial = read_visdial(world["train"]) if words_of_train else None

    def model(sets: References) -> list[Any]:
        pairs, warnings = training_pairs(None, None, sets)
        texts = sentences(world.encoder, train_vocabulary(visdial, sets))
        cca = train(pairs, texts, CcaOptions(k=40))
        return [cca.eigenvalues, *cca.weights, *cca.means, cca.pairs, cca.signature, warnings]

    expected = model(read_references(world.folder / "dense.json"))
    assert expected[-3] > 120
    for ending in ENDINGS:
        for ours, theirs in zip(model(read_sets(world.folder / f"dense{ending}")), expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_the_words_of_train_are_counted_by_occurrence(world: WordWorld) -> None:
    sets = read_references(world.folder / "dense.json")
    from voirdire.answers.cca.sentences import vocabulary

    assert train_vocabulary(None, sets) == vocabulary((text, 1) for text in (*sets.questions, *sets.gt_answers))


DUMPS: dict[str, Callable[[Any], str]] = {
    "one line": json.dumps,
    "records over several lines": lambda rows: json.dumps(rows, indent=1),
    "blank lines": lambda rows: "[\n" + " ,\n\n".join(map(json.dumps, rows)) + "\n]\n",
    "commas before records": lambda rows: "[" + "\n,".join(map(json.dumps, rows)) + "]",
}


@pytest.mark.parametrize("name", DUMPS)
def test_a_list_in_any_layout_is_read_once(
    world: WordWorld, whole_reads: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    rows = json.loads((world.folder / "dense.json").read_text())
    (tmp_path / "r.json").write_text(DUMPS[name](rows))
    expected = read_references(tmp_path / "r.json")
    opened: list[Path] = []
    open_ = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *rest: opened.append(self) or open_(self, *rest))
    entries = read_sets(tmp_path / "r.json")
    monkeypatch.undo()
    assert entries == expected == read_references(world.folder / "dense.json")
    assert entries.fingerprint == expected.fingerprint
    assert whole_reads == []
    assert opened == [tmp_path / "r.json"]


def test_no_set_is_parsed_twice(world: WordWorld, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also where a block, or the whole file, leaves open from where it counts its rounds."""
    rows = [json.loads(line) for line in (world.folder / "dense.jsonl").open()]
    path, kept = tmp_path / "r.jsonl", [row for row in rows if row["round_id"] in (3, 4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in kept))
    monkeypatch.setattr(reference_files, "SIZE", 4000)
    parsed: list[int] = []
    parse = reference_files.parse_references

    def counting(source: Any, **options: Any) -> References:
        parsed.append(source.data.count(b"image_id"))
        return parse(source, **options)

    monkeypatch.setattr(reference_files, "parse_references", counting)
    assert set(read_sets(path, 1).rounds.tolist()) == {2, 3}
    assert len(parsed) > 1
    assert sum(parsed) == len(kept)


def test_a_byte_order_mark_and_blank_lines(world: WordWorld, whole_reads: list[str], tmp_path: Path) -> None:
    lines = (world.folder / "dense.jsonl").read_bytes().replace(b"}\n", b"}\r\n\n")
    (tmp_path / "r.jsonl").write_bytes(b"\xef\xbb\xbf" + lines)
    assert read_sets(tmp_path / "r.jsonl") == read_references(world.folder / "dense.jsonl")
    assert read_sets(tmp_path / "r.jsonl").fingerprint == read_references(tmp_path / "r.jsonl").fingerprint
    assert whole_reads == []


@pytest.mark.parametrize("ending", [".parquet", ".jsonl"])
@pytest.mark.usefixtures("whole_reads")
def test_the_base_of_rounds(world: WordWorld, tmp_path: Path, ending: str) -> None:
    table, path = pl.read_parquet(world.folder / "dense.parquet"), tmp_path / f"r{ending}"
    write = pl.DataFrame.write_parquet if ending == ".parquet" else pl.DataFrame.write_ndjson
    write(table.with_columns(pl.col("round_id") + 1), path)
    expected = read_references(world.folder / "dense.json")
    for base in (None, 0):
        assert (read_sets(path, base).base, read_sets(path, base).rounds.tolist()) == (1, expected.rounds.tolist())
    write(table.filter(pl.col("round_id") == 4), path)
    assert set(read_sets(path, 1).rounds.tolist()) == {3}
    with pytest.raises(InputError, match="neither 0 nor 10, so that it is unclear"):
        read_sets(path)


def edited(world: WordWorld, path: Path, **columns: Any) -> Path:
    pl.read_parquet(world.folder / "dense.parquet").with_columns(**columns).write_parquet(path)
    return path


def at_row(row: int, name: str, value: pl.Expr) -> dict[str, pl.Expr]:
    return {name: pl.when(pl.int_range(pl.len()) == row).then(value).otherwise(pl.col(name))}


def of_list(values: list[Any], dtype: Any) -> pl.Expr:
    return pl.lit(pl.Series([values], dtype=pl.List(dtype))).first()


ONES = pl.col("in_cluster_idxs")
BAD_ROWS: dict[str, tuple[dict[str, pl.Expr], str]] = {
    "no ground truth": (at_row(30, "gt_answer", pl.lit(None)), "field `gt_answer`: found None, expected str"),
    "no question": (at_row(30, "question", pl.lit(None)), "field `question`: found None, expected str"),
    "no image": (at_row(30, "image_id", pl.lit(None)), "row 31, field `image_id`: found None"),
    "an image below 0": (
        at_row(30, "image_id", pl.lit(-4)),
        "row 31, image -4, round_id 0, field `image_id`: found -4",
    ),
    "a round too late": (at_row(30, "round_id", pl.lit(11, pl.Int8)), "field `round_id`: found 11"),
    "no set": (at_row(30, "refs", pl.lit(None)), "field `refs`: found None, expected array"),
    "an empty set": (
        at_row(30, "refs", of_list([], pl.String)),
        r"field `refs`: found \[\], expected array of length >=",
    ),
    "a text that is none": (
        at_row(30, "refs", of_list(["yes", None], pl.String)),
        r"field `refs\[1\]`: found None, expected str",
    ),
    "99 options": (
        at_row(30, "in_cluster_idxs", ONES.list.head(99)),
        "field `in_cluster_idxs`: found 99 options, expected 100, as most sets of the file have|as many as",
    ),
    "a flag of 2": (
        at_row(30, "in_cluster_idxs", of_list([1, 2] + [0] * 98, pl.UInt8)),
        r"field `in_cluster_idxs\[1\]`: found 2, expected int <= 1",
    ),
    "a flag that is none": (
        at_row(30, "in_cluster_idxs", of_list([1, None] + [0] * 98, pl.UInt8)),
        r"field `in_cluster_idxs\[1\]`: found None, expected int",
    ),
    "more texts than flags": (
        at_row(30, "refs", pl.col("refs").list.concat(pl.lit("what"))),
        "field `refs`: found .* texts, expected .*, as many as `in_cluster_idxs` has ones",
    ),
    "a round twice": (
        at_row(30, "image_id", pl.col("image_id").shift(1)) | at_row(30, "round_id", pl.col("round_id").shift(1)),
        "round_id 9: found this round twice, expected each round once",
    ),
}


@pytest.mark.parametrize("name", BAD_ROWS)
@pytest.mark.usefixtures("whole_reads")
def test_bad_rows_are_named(world: WordWorld, tmp_path: Path, name: str) -> None:
    columns, message = BAD_ROWS[name]
    path = edited(world, tmp_path / "bad.parquet", **columns)
    with pytest.raises(InputError, match=message) as caught:
        read_sets(path)
    assert caught.value.source == str(path)
    assert caught.value.problems[0].where.startswith("row 31")


def test_many_bad_rows_are_counted_on(world: WordWorld, tmp_path: Path) -> None:
    path = edited(world, tmp_path / "bad.parquet", gt_answer=pl.lit(None, pl.String))
    with pytest.raises(InputError, match=r"row 1, .* More may show once .* is mended\. 19 more of this kind"):
        read_sets(path)


BAD_COLUMNS: dict[str, tuple[Callable[[pl.DataFrame], pl.DataFrame], str]] = {
    "a column missing": (
        lambda table: table.drop("refs"),
        "field `refs`: found nothing, expected a column of lists of texts. The columns are image_id, round_id, ",
    ),
    "a list of numbers": (
        lambda table: table.with_columns(refs=pl.col("in_cluster_idxs")),
        r"field `refs`: found a column of List\(UInt8\), expected a column of lists of texts",
    ),
    "texts for lists": (
        lambda table: table.with_columns(refs=pl.col("question")),
        "field `refs`: found a column of String, expected a column of lists of texts",
    ),
    "numbers with fractions": (
        lambda table: table.with_columns(pl.col("round_id").cast(pl.Float64)),
        "field `round_id`: found a column of Float64, expected a column of whole numbers",
    ),
    "other columns": (lambda table: pl.DataFrame({"rank": [1]}), "5 problems"),
    "no row": (lambda table: table.head(0), "found no record, expected at least one"),
}


@pytest.mark.parametrize("name", BAD_COLUMNS)
def test_bad_columns_are_named(world: WordWorld, tmp_path: Path, name: str) -> None:
    change, message = BAD_COLUMNS[name]
    change(pl.read_parquet(world.folder / "dense.parquet")).write_parquet(tmp_path / "bad.parquet")
    with pytest.raises(InputError, match=message) as caught:
        read_sets(tmp_path / "bad.parquet")
    assert caught.value.source == str(tmp_path / "bad.parquet")


def test_further_columns_are_passed_over(world: WordWorld, tmp_path: Path) -> None:
    path = edited(world, tmp_path / "more.parquet", score=pl.lit(0.5))
    assert read_sets(path) == read_references(world.folder / "dense.json")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_parquet_file_that_was_cut_short(world: WordWorld, tmp_path: Path, share: float) -> None:
    data = (world.folder / "dense.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(data[: max(4, int(share * len(data)))])
    with pytest.raises(InputError, match=r"cut\.parquet: found a Parquet file that cannot be read .* cut short"):
        read_sets(tmp_path / "cut.parquet")


def test_bytes_that_changed_are_refused_or_change_a_text(world: WordWorld, tmp_path: Path) -> None:
    data, rng = (world.folder / "dense.parquet").read_bytes(), np.random.default_rng(0)
    refused = 0
    for place in rng.integers(4, len(data), 60).tolist():
        (tmp_path / "r.parquet").write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        try:
            read_sets(tmp_path / "r.parquet")
        except InputError:
            refused += 1
    assert refused > 0


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".json", ".json.gz"])
@pytest.mark.parametrize("share", [0.3, 0.9])
@pytest.mark.usefixtures("whole_reads")
def test_json_that_was_cut_short(world: WordWorld, tmp_path: Path, ending: str, share: float) -> None:
    data = (world.folder / f"dense{ending}").read_bytes()
    (tmp_path / f"cut{ending}").write_bytes(data[: int(share * len(data))])
    same_error(tmp_path / f"cut{ending}")


def same_error(path: Path) -> None:
    with pytest.raises(InputError) as expected:
        read_references(path)
    with pytest.raises(InputError) as caught:
        read_sets(path)
    assert str(caught.value) == str(expected.value)


BAD_JSON: dict[str, Callable[[list[Any]], Any]] = {
    "a round twice, far apart": lambda rows: rows.append(rows[0]),
    "no ground truth": lambda rows: rows[100].pop("gt_answer"),
    "a number for a list": lambda rows: rows[100].update(refs=7),
}


@pytest.mark.parametrize("name", BAD_JSON)
@pytest.mark.usefixtures("whole_reads")
def test_bad_json_is_told_as_ever(world: WordWorld, tmp_path: Path, name: str) -> None:
    rows = [json.loads(line) for line in (world.folder / "dense.jsonl").open()]
    BAD_JSON[name](rows)
    path = tmp_path / "bad.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    same_error(path)


def test_sets_without_their_ground_truth_are_told(world: WordWorld, tmp_path: Path) -> None:
    path = edited(world, tmp_path / "odd.parquet", **at_row(30, "gt_answer", pl.lit("unheard of")))
    sets = read_sets(path)
    _, warnings = training_pairs(None, None, sets)
    image = sets.image_ids[30]
    assert warnings == (f"image {image}, round 0 (counted from 0): the ground truth is not in the reference set.",)


def test_what_is_no_such_file(world: WordWorld, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_sets(tmp_path / "none.parquet")
    with pytest.raises(InputError, match="found a folder"):
        read_sets(tmp_path)
    with pytest.raises(InputError, match="expected reference sets for VisDial"):
        read_sets(world["val"])


def test_validate_knows_sets_in_parquet(tmp_path):
    rows = {
        "image_id": [5, 5],
        "round_id": [1, 10],
        "in_cluster_idxs": [[1, 1] + [0] * 98, [0] * 99 + [1]],
        "refs": [["yes", "yes it is"], ["no"]],
        "question": ["is it", "is it not"],
        "gt_answer": ["yes", "no"],
    }
    path = tmp_path / "sets.parquet"
    pl.DataFrame(rows).write_parquet(path)
    examined = examine(path)
    assert (examined.format, examined.problems) == ("references", ())
    assert examined.holds == "2 sets, 1.50 references each, rounds counted from 1"
    assert read_references(path) == read_sets(path)
    pl.DataFrame({**rows, "refs": [["yes"], ["no"]]}).write_parquet(path)
    assert "image 5, round_id 1, field `refs`: found 1 texts, expected 2" in str(examine(path).problems[0])
    path.write_bytes(path.read_bytes()[:-20])
    assert not examine(path).ok
