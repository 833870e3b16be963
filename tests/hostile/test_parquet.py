"""Damaged Parquet through every reader of it: one error that names the file, and not a word of the decoder's own."""

import hashlib
import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from parquet_mutants import decoded, mutant

from voirdire.errors import InputError
from voirdire.formats.files import open_source
from voirdire.formats.propositions import read_propositions
from voirdire.formats.question_ranking import parse_question_ranking, read_table
from voirdire.formats.reference_files import read_sets
from voirdire.formats.references import read_references
from voirdire.runs import Run, Signature, read_run, write_run
from voirdire.runs.estimate import Measures
from voirdire.runs.store import _seals

pytestmark = pytest.mark.slow

COUNT = int(os.environ.get("VOIRDIRE_PARQUET_MUTANTS", "150"))
"""Mutants per reader; those on which the decoder panics or dies go through the reader, and some of the others."""
SOME = 2


def ranking() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "image_id": np.repeat(np.arange(60), 5),
            "question_id": np.repeat(np.arange(60), 5),
            "main_question": [f"is it {number}" for number in range(60) for _ in range(5)],
            "rank": np.tile(np.arange(1, 6), 60),
            "pool_index": rng.permutation(300),
            "basic_question": [f"what is {number}" for number in range(300)],
            "score": np.tile(np.linspace(1, 0.1, 5), 60),
        }
    )


def sets() -> pl.DataFrame:
    rows = range(80)
    flags = [[int(place in (row % 7, row % 5)) for place in range(10)] for row in rows]
    return pl.DataFrame(
        {
            "image_id": list(rows),
            "round_id": [row % 10 for row in rows],
            "question": [f"is it {row}" for row in rows],
            "gt_answer": ["yes"] * 80,
            "refs": [[f"answer {place}" for place in range(sum(flag))] for flag in flags],
            "in_cluster_idxs": flags,
        }
    )


def propositions() -> pl.DataFrame:
    rows = range(90)
    return pl.DataFrame(
        {
            "dialogue": [row // 3 for row in rows],
            "proposition": [f"there is a dog {row}" for row in rows],
            "a_thinks_true": [row % 2 for row in rows],
            "turn_shared": [row % 11 for row in rows],
            "rule": [("there", "color")[row % 2] for row in rows],
            "qa_fact": ["is there a dog yes"] * 90,
        }
    )


READERS = {
    "ranking": (ranking, lambda path: read_table(path, ["image_id", "score", "basic_question"])),
    "ranking, as bytes": (ranking, lambda path: parse_question_ranking(open_source(path))),
    "reference sets": (sets, lambda path: read_references(path)),
    "reference sets, in blocks": (sets, lambda path: read_sets(path)),
    "propositions": (propositions, lambda path: read_propositions(path)),
}


@pytest.mark.parametrize("name", READERS)
def test_damage_is_one_error_and_nothing_else_is_said(name, tmp_path, capfd):
    make, read = READERS[name]
    path, damaged = tmp_path / "seed.parquet", tmp_path / "damaged.parquet"
    make().write_parquet(path, row_group_size=64)
    found = dict(decoded(path, COUNT))
    kinds = Counter(found.values())
    assert sum(kinds.values()) == COUNT
    hard = [number for number, kind in found.items() if kind in ("panic", "death")]
    broken = [number for number, kind in found.items() if kind == "error"]
    capfd.readouterr()
    for number in (*hard, *broken[:SOME]):
        damaged.write_bytes(mutant(path.read_bytes(), number))
        with pytest.raises(InputError, match=r"damaged\.parquet") as caught:
            read(damaged)
        assert len(str(caught.value).splitlines()) == 1
        printed = capfd.readouterr()
        assert printed == ("", ""), f"mutant {number} ({found[number]}): {printed.err[:300]}"


def test_ends_that_do_not_fit_are_told_without_the_decoder(tmp_path, monkeypatch):
    path = tmp_path / "r.parquet"
    ranking().write_parquet(path)
    data = path.read_bytes()
    monkeypatch.setattr("subprocess.run", None)
    for damaged in (data[:-1], data[:-8] + b"\xff\xff\xff\x7fPAR1", data + b"x", b"PAR1", b"PAR1PAR1"):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"r\.parquet: found a Parquet file that cannot be read"):
            read_table(path, ["score"])


def test_a_name_that_is_not_utf8_is_told(tmp_path):
    path = tmp_path / os.fsdecode(b"r\xff.parquet")
    path.write_bytes(b"PAR1")
    with pytest.raises(InputError, match="whose name is not UTF-8, expected one that its decoder can open"):
        read_table(path, ["score"])


def test_damaged_items_of_a_run_are_one_error_also_where_their_hash_fits(tmp_path, capfd):
    folder = write_run(Run("example", {}, ranking(), Measures(), Signature("0")), tmp_path / "run")
    path, copy = folder / "items.parquet", tmp_path / "copy"
    found = dict(decoded(path, COUNT))
    # What ends a process is left out here: items whose hash fits are decoded in this one.
    chosen = [number for number, kind in found.items() if kind == "panic"][:3]
    chosen += [number for number, kind in found.items() if kind == "error"][:SOME]
    for number in chosen:
        for fits in (False, True):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(folder, copy)
            data = mutant(path.read_bytes(), number)
            (copy / path.name).write_bytes(data)
            if fits:
                document = json.loads((copy / "run.json").read_text())
                document["items"]["sha256"] = hashlib.sha256(data).hexdigest()
                document["seals"] = _seals(document)
                (copy / "run.json").write_text(json.dumps(document))
            capfd.readouterr()
            with pytest.raises(InputError, match=r"items\.parquet"):
                read_run(copy)
            assert capfd.readouterr() == ("", "")
