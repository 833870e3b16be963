"""Runs of every part, changed with all hashes made to fit: what its part does not declare is refused by name."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from voirdire.errors import InputError
from voirdire.exam import exams, part_of, read_run
from voirdire.items import KINDS, ItemSchema
from voirdire.metrics.key import Key
from voirdire.options import option_fields
from voirdire.runs.store import StoredColumn, _column_hash, _seals

pytestmark = pytest.mark.slow

PARTS = [(exam.name, part.name) for exam in exams() for part in exam.parts if part.makes == "run"]
OTHERS = {"whole": 0.5, "number": "x", "text": 0.5, "texts": 1, "yes_no": "x"}
"""For each kind of column, a value of another."""


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run or two of every part, on a small world."""
    own = tmp_path_factory.getbasetemp()
    material = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "hostile" / "material"
    folder = tmp_path_factory.mktemp("held")
    fuzz = Path(__file__).with_name("fuzz.py")
    subprocess.run([sys.executable, str(fuzz), "--hold", str(folder), "--material", str(material)], check=True)
    return folder


def forged(folder: Path, items: pl.DataFrame | None = None, change: Callable[[dict[str, Any]], Any] = dict) -> None:
    """Put other items, or another entry, into a run, and make its hashes anew as its writer makes them."""
    document = json.loads((folder / "run.json").read_text())
    change(document)
    if items is not None:
        items.write_parquet(folder / "items.parquet")
        data = (folder / "items.parquet").read_bytes()
        columns = {name: StoredColumn(str(items[name].dtype), _column_hash(items[name])) for name in items.columns}
        document["items"] = {
            "rows": items.height,
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "columns": {name: {"type": column.type, "hash": column.hash} for name, column in columns.items()},
        }
    document["seals"] = _seals(document)
    (folder / "run.json").write_text(json.dumps(document))


def refused(folder: Path) -> list[str]:
    """What is said of a run, a line per problem; each names the file."""
    with pytest.raises(InputError) as caught:
        read_run(folder)
    assert str(folder) in str(caught.value)
    assert "Run the exam again." in str(caught.value)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(("exam", "part"), PARTS)
def test_the_items_of_every_part_are_as_it_declares(runs, tmp_path, exam, part):
    held = sorted(runs.glob(f"{exam}-{part}-*"))
    assert held
    for original in held:
        run = read_run(original)
        assert part_of(run).items is not None
        copy = tmp_path / original.name
        shutil.copytree(original, copy)
        forged(copy, run.items)
        read_run(copy)
        for name in run.items.columns:
            forged(copy, run.items.rename({name: f"{name}x"}))
            said = refused(copy)
            assert any(f"{name}x" in line and "no such column" in line for line in said), said
            kind = next(
                kind for kind in KINDS if not list(ItemSchema(**{kind: "a"}).faults({"a": run.items.schema[name]}, ()))
            )
            forged(copy, run.items.with_columns(pl.lit(OTHERS[kind]).alias(name)))
            (said,) = refused(copy)
            assert name in said
            assert KINDS[kind] in said
        optional = missing_allowed(run)
        for name in run.items.columns:
            forged(copy, run.items.drop(name))
            if name in optional:
                read_run(copy)
            else:
                (said,) = refused(copy)
                assert said.startswith(f"field `{name}`: found no such column"), said


def missing_allowed(run) -> set[str]:
    """ItemSchema that depend on what was given beside the model's outputs."""
    declared = part_of(run).items
    words = " ".join(getattr(declared, kind) for kind in KINDS).split()
    return {word.removesuffix("?") for word in words if word.endswith("?")} & set(run.items.columns)


@pytest.mark.parametrize(("exam", "part"), PARTS)
def test_options_that_a_part_does_not_have_or_allow_are_refused(runs, tmp_path, exam, part):
    original = runs / f"{exam}-{part}-good"
    run = read_run(original)
    copy = tmp_path / "copy"

    def with_option(name, value):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(original, copy)
        forged(copy, change=lambda document: document["options"].update({name: value}))
        return refused(copy)

    (said,) = with_option("no_such", 1)
    assert said.startswith("field `options.no_such`: found 1, expected no such option")
    for option in option_fields(part_of(run).options):
        (said,) = with_option(option.name, {"a": 1})
        assert said.startswith(f"field `options.{option.name}`: "), said
    if "seed" in run.options:
        (said,) = with_option("seed", -1)
        assert "`options.seed`: found -1" in said
        assert "at least 0" in said


def test_a_part_that_declares_no_columns_is_taken_as_it_is(runs, tmp_path, monkeypatch):
    run = read_run(runs / "answers-rank-good")
    shutil.copytree(runs / "answers-rank-good", tmp_path / "copy")
    forged(tmp_path / "copy", run.items.rename({"rank": "place"}))
    assert refused(tmp_path / "copy")
    object.__setattr__(part := part_of(run), "items", (declared := part.items) and None)
    try:
        assert "place" in read_run(tmp_path / "copy").items.columns
    finally:
        object.__setattr__(part, "items", declared)


def test_patterns_stand_for_a_column_per_figure():
    columns = ItemSchema(
        whole="id", number="{key} ndcg?", text="answer:{condition}", yes_no="right:{slice}", texts="{sliced}"
    )
    figures = [Key("mean").at(5), Key("mean").as_variant("std"), Key("right").on("a", "b").under("noise")]
    needed, known = columns._names(figures)
    assert needed == {"id", "mean@5", "right[a, b]:noise", "answer:noise", "right:a, b", "right[a]:noise"}
    assert known["ndcg"] == ["number"]
    assert known["mean@5"] == ["number", "texts"]
