import hashlib
import json
import math
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest

from voirdire.errors import InputError, OutputError, UsageError
from voirdire.runs import Estimate, Run, Signature, read_run, store, versions, write_run
from voirdire.runs.store import _seals, read_covered
from voirdire.runs.view import Coverage

WHEN = "2026-01-02T03:04:05Z"


def make(exam: str = "answers", created: str = WHEN, rows: int = 200) -> Run:
    return Run(
        exam=exam,
        options={"top": 21, "encoder": "minilm", "ks": [1, 5]},
        items=pl.DataFrame(
            {
                "image": np.arange(rows),
                "answer": [f"“yes” {i % 7}\n" for i in range(rows)],
                "score": np.random.default_rng(0).random(rows),
                "rank": [None if i % 5 == 0 else i for i in range(rows)],
            }
        ),
        measures={
            "mrr": Estimate(0.1 + 0.2, 0.25, 0.4, rows),
            "cider4@5:std": Estimate(1.5, math.nan, math.inf, rows),
            "accuracy[yes/no]": Estimate(None, None, None, 0),
        },
        signature=Signature("0.1.0", {"visdial": "ab" * 32}, references="H", seed=0, options={"top": 21}),
        fingerprints={"visdial": "ab" * 32, "generations": "cd" * 32},
        versions={"voirdire": "0.1.0"},
        warnings=("3 rounds have no reference",),
        created=created,
    )


def test_what_is_written_is_read(tmp_path):
    run = make()
    again = read_run(write_run(run, tmp_path / "run"))
    assert again.items.equals(run.items)
    assert list(map(str, again.measures)) == ["mrr", "cider4@5:std", "accuracy[yes/no]"]
    assert again.measures["mrr"] == run.measures["mrr"]
    assert again.measures["cider4@5:std"] == Estimate(1.5, None, None, 200)
    for part in ("exam", "options", "signature", "fingerprints", "versions", "warnings", "created"):
        assert getattr(again, part) == getattr(run, part)
    assert again.to_json() == run.to_json()


def test_the_json_for_programs_is_the_agreed_object():
    assert json.loads(make().to_json()) == {
        "exam": "answers",
        "measures": {
            "mrr": {"value": 0.1 + 0.2, "low": 0.25, "high": 0.4, "n": 200},
            "cider4@5:std": {"value": 1.5, "low": None, "high": None, "n": 200},
            "accuracy[yes/no]": {"value": None, "low": None, "high": None, "n": 0},
        },
        "signature": {
            "version": "0.1.0",
            "data": {"visdial": "ab" * 32},
            "references": "H",
            "tokeniser": None,
            "encoder": None,
            "seed": 0,
            "options": {"top": 21},
        },
        "warnings": ["3 rounds have no reference"],
    }


def test_the_file_is_readable_and_sorted(tmp_path):
    text = (write_run(make(), tmp_path / "run") / "run.json").read_text()
    document = json.loads(text)
    assert text == json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    assert document["format"] == 4


def test_two_runs_of_the_same_input_are_the_same_bytes_but_for_the_time(tmp_path):
    first, second = write_run(make(), tmp_path / "a"), write_run(make(), tmp_path / "b")
    later = write_run(make(created="2027-01-01T00:00:00Z"), tmp_path / "c")
    assert (first / "run.json").read_bytes() == (second / "run.json").read_bytes()
    for other in (second, later):
        assert (first / "items.parquet").read_bytes() == (other / "items.parquet").read_bytes()
    lines = zip(
        (first / "run.json").read_text().splitlines(), (later / "run.json").read_text().splitlines(), strict=True
    )
    assert [a for a, b in lines if a != b] == [f'  "created": "{WHEN}",']


@pytest.mark.slow
def test_the_items_have_the_same_bytes_with_one_thread_and_with_several(tmp_path):
    code = textwrap.dedent("""
        import hashlib, sys
        import numpy as np, polars as pl
        from voirdire.runs import store
        rows = 150_000
        words = [str(i % 9) for i in range(rows)]
        class Run: items = pl.DataFrame({"x": np.random.default_rng(0).random(rows), "s": words})
        print(hashlib.sha256(store._parquet(Run)).hexdigest())
    """)
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"POLARS_MAX_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "7")
    }
    assert len(digests) == 1


def test_a_new_run_knows_when_and_with_what(tmp_path):
    run = Run("answers", {}, pl.DataFrame({"x": [1]}), {}, Signature("0.1.0"))
    assert {"python", "voirdire", "numpy", "polars"} <= set(run.versions)
    assert "msgspec" in versions(["msgspec"])
    assert abs(datetime.now(UTC) - datetime.fromisoformat(run.created)) < timedelta(minutes=10)
    assert read_run(write_run(run, tmp_path / "deep" / "run")).measures == {}


def test_no_run_is_overwritten_unasked(tmp_path):
    folder = write_run(make(), tmp_path / "run")
    with pytest.raises(UsageError, match="there is a run already"):
        write_run(make("questions"), folder)
    assert read_run(folder).exam == "answers"
    write_run(make("questions"), folder, overwrite=True)
    assert read_run(folder).exam == "questions"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_what_is_not_a_run_is_never_overwritten(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    (tmp_path / "file").write_text("a file")
    for name in ("mine", "file"):
        with pytest.raises(UsageError, match="not a run"):
            write_run(make(), tmp_path / name, overwrite=True)
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "years of work"
    (tmp_path / "empty").mkdir()
    assert read_run(write_run(make(), tmp_path / "empty")).exam == "answers"


def test_a_failure_while_writing_leaves_nothing(tmp_path):
    folder = write_run(make(), tmp_path / "run")
    with pytest.raises(TypeError):
        write_run(replace(make(), options={"encoder": object()}), folder, overwrite=True)
    assert read_run(folder).exam == "answers"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"/file/run: cannot be written: .*/file is not a folder"):
        write_run(make(), tmp_path / "file" / "run")


def edit(folder, **changes):
    """Other entries, with the hashes of those that were there."""
    document = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(document | changes))


def option(folder, **changes):
    edit(folder, options=json.loads((folder / "run.json").read_text())["options"] | changes)


def put(folder, items):
    items.write_parquet(folder / "items.parquet")


def change(*columns):
    """Other columns in the items' file."""
    return lambda folder: put(folder, pl.read_parquet(folder / "items.parquet").with_columns(*columns))


def repeat_key(folder):
    text = (folder / "run.json").read_text()
    (folder / "run.json").write_text(text.replace('"top": 21', '"top": 5, "\\u0074op": 21', 1))


def cut(folder):
    data = (folder / "items.parquet").read_bytes()
    (folder / "items.parquet").write_bytes(data[: len(data) // 2])


def forge(folder):
    """A file of items that is no Parquet, with its right hashes everywhere."""
    (folder / "items.parquet").write_bytes(b"PAR1 but no more")
    document = json.loads((folder / "run.json").read_text())
    document["items"] |= {"bytes": 16, "sha256": hashlib.sha256(b"PAR1 but no more").hexdigest()}
    (folder / "run.json").write_text(json.dumps(document | {"seals": _seals(document)}))


AGAIN = r"It was changed after it was written; run the exam again"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "items.parquet").unlink(), r"items\.parquet: found no such file, expected the run's items"),
        (lambda f: (f / "run.json").unlink(), r"found no run\.json"),
        pytest.param(
            cut,
            r"items\.parquet: found [\d,]+ bytes, expected [\d,]+ bytes. The file was cut short",
            marks=pytest.mark.slow,
        ),
        (forge, r"items\.parquet: found no Parquet, expected a Parquet file of 200 rows"),
        (lambda f: (f / "run.json").write_text('{"format": 1,'), r"run\.json: .*broken JSON.* cut short"),
        (lambda f: (f / "run.json").write_text(""), r"run\.json: found an empty file"),
        (
            lambda f: (f / "run.json").write_text("[]"),
            r"field `format`: found nothing, expected 4. Run the exam again",
        ),
        (lambda f: edit(f, format=2), r"field `format`: found 2, expected 4. Run the exam again"),
        (lambda f: edit(f, format=5), r"field `format`: found 5, expected 4. A later version"),
        (lambda f: edit(f, exam=7), r"run\.json: field `exam`: found 7, expected str"),
        (
            lambda f: edit(f, measures={"mrr": {"value": "high"}}),
            r"field `measures.*value`: found .*'high'.*expected float",
        ),
        (lambda f: edit(f, order=["mrr"]), rf"field `order`: found \['mrr'\], expected what the run was .* {AGAIN}"),
        (lambda f: edit(f, surprise=1), r"surprise"),
        (lambda f: edit(f, exam="questions"), rf"run\.json: field `exam`: found 'questions', expected what .* {AGAIN}"),
        (
            lambda f: option(f, top=5),
            rf"run\.json: field `options\.top`: found 5, expected what the run was .* {AGAIN}",
        ),
        (lambda f: option(f, top=21.0), r"field `options\.top`: found 21\.0"),
        (lambda f: option(f, more=1), r"field `options\.more`: found 1, expected no such entry"),
        (
            lambda f: edit(f, options={"top": 21, "ks": [1, 5]}),
            r"field `options\.encoder`: found nothing",
        ),
        (lambda f: edit(f, warnings=[]), r"field `warnings`: found \[\]"),
        (lambda f: edit(f, fingerprints={}), r"field `fingerprints\.visdial`: found nothing"),
        (repeat_key, r"run\.json: field `top`: found this key twice in one object"),
    ],
)
def test_a_broken_run_says_what_is_wrong(tmp_path, damage, message):
    folder = write_run(make(), tmp_path / "run")
    damage(folder)
    with pytest.raises(InputError, match=message):
        read_run(folder)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            change(pl.col("score").cast(pl.String)),
            rf"`score`: found a column of String, .* of Float64. {AGAIN}",
        ),
        (change(pl.col("score").cast(pl.Float32)), r"`score`: found a column of Float32, expected one of Float64"),
        (change(pl.col("score") * 2), r"items\.parquet: field `score`: found other values, expected those that"),
        (change(pl.lit(None, pl.Float64).alias("score")), r"field `score`: found other values"),
        (change(pl.lit(math.nan).alias("score")), r"field `score`: found other values"),
        (change(pl.col("rank").fill_null(0)), r"field `rank`: found other values"),
        (change(pl.lit("yes").alias("answer")), r"field `answer`: found other values"),
        (change(pl.lit(1).alias("more")), r"field `more`: found a column of Int32, expected no such column"),
        (
            lambda f: put(f, pl.read_parquet(f / "items.parquet").drop("rank")),
            rf"items\.parquet: field `rank`: found no such column, expected a column of Int64. {AGAIN}",
        ),
        (
            lambda f: put(f, pl.read_parquet(f / "items.parquet").head(180)),
            rf"items\.parquet: found 180 rows, expected 200 rows. {AGAIN}",
        ),
    ],
)
def test_items_that_were_changed_are_refused_by_name(tmp_path, monkeypatch, damage, message):
    # Elsewhere it is a process of its own that looks at the file.
    monkeypatch.setattr(
        store, "_changes_safely", lambda path, stored: list(store._changes(pl.read_parquet(path), stored))
    )
    folder = write_run(make(), tmp_path / "run")
    damage(folder)
    with pytest.raises(InputError, match=message):
        read_run(folder)


@pytest.mark.slow
def test_a_process_of_its_own_looks_at_changed_items(tmp_path):
    folder = write_run(make(), tmp_path / "run")
    change(pl.col("score") * 2)(folder)
    with pytest.raises(InputError, match=r"items\.parquet: field `score`: found other values"):
        read_run(folder)


@pytest.mark.slow
def test_a_flipped_bit_of_the_items_is_noticed_wherever_it_is(tmp_path):
    folder = write_run(make(rows=3), tmp_path / "run")
    data = (folder / "items.parquet").read_bytes()
    for place in range(0, len(data), len(data) // 3):
        (folder / "items.parquet").write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(InputError, match=AGAIN):
            read_run(folder)


def test_a_run_may_be_moved_and_its_file_indented_otherwise(tmp_path):
    folder = write_run(make(), tmp_path / "run").rename(tmp_path / "elsewhere")
    document = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(dict(reversed(document.items()))))
    assert read_run(folder).to_json() == make().to_json()


def test_columns_of_every_type_come_back(tmp_path):
    items = pl.DataFrame(
        {
            "list": [[1, 2], None, []],
            "struct": [{"a": 1.5}, {"a": None}, None],
            "bool": [True, None, False],
            "nan": [math.nan, None, 1.0],
            "small": pl.Series([1, 2, 3], dtype=pl.UInt8),
            "kind": pl.Series(["x", "y", "x"], dtype=pl.Categorical),
        }
    )
    run = replace(make(), items=items)
    assert read_run(write_run(run, tmp_path / "run")).items.equals(items, null_equal=True)


def reseal(folder, **changes):
    """Other entries, with right hashes."""
    document = json.loads((folder / "run.json").read_text()) | changes
    (folder / "run.json").write_text(json.dumps(document | {"seals": _seals(document)}))


def test_entries_that_contradict_each_other_are_refused_also_with_right_hashes(tmp_path):
    folder = write_run(make(), tmp_path / "run")
    for order in (["mrr"], ["mrr", "mrr", "accuracy[yes/no]"]):
        reseal(folder, order=order)
        with pytest.raises(InputError, match=r"field `order`: found .*, expected the name of each measure once"):
            read_run(folder)
    items = json.loads((write_run(make(), tmp_path / "again") / "run.json").read_text())["items"]
    reseal(tmp_path / "again", items=items | {"rows": 199})
    with pytest.raises(InputError, match=r"items\.parquet: found 200 rows, expected a Parquet file of 199 rows"):
        read_run(tmp_path / "again")


def test_how_much_was_answered_is_kept_as_it_was(tmp_path):
    folder = write_run(replace(make(), coverage=Coverage("round", 10, 8)), tmp_path / "run")
    assert read_run(folder).coverage == Coverage("round", 10, 8)
    edit(folder, coverage={"noun": "round", "asked": 8, "answered": 8, "beyond": 0})
    with pytest.raises(InputError, match=r"field `coverage\.asked`: found 8, expected what the run was written with"):
        read_run(folder)


def test_what_a_run_covers_is_told_without_reading_the_rest(tmp_path):
    limited = Signature("1", options={"limit": {"images": 5, "of": 20, "seed": 3}})
    for name, coverage, signature, said in (
        ("whole", Coverage("round", 10, 10), Signature("1"), ""),
        ("some", Coverage("round", 10, 8), Signature("1"), "8 of 10 rounds"),
        ("more", Coverage("round", 10, 10, 2), Signature("1"), "10 of 10 rounds, 2 others left aside"),
        ("limited", Coverage("round", 10, 8), limited, "5 of 20 images, seed 3; 8 of 10 rounds"),
        ("nothing", None, Signature("1"), ""),
    ):
        folder = write_run(replace(make(), coverage=coverage, signature=signature), tmp_path / name)
        (folder / "items.parquet").unlink()
        assert read_covered(folder) == said
    assert read_covered(tmp_path) == ""


def test_no_folder_and_no_run(tmp_path):
    with pytest.raises(InputError, match="found no such folder"):
        read_run(tmp_path / "none")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="found a file"):
        read_run(tmp_path / "file")
    with pytest.raises(InputError, match="found an empty name, expected the name of a run's folder"):
        read_run("")


WRITER = """
import sys
sys.path.insert(0, {here!r})
import test_store
from voirdire.runs import write_run
runs = [test_store.make(exam, rows=3000) for exam in ("answers", "questions")]
while True:
    for run in runs:
        print("writing", flush=True)
        write_run(run, {folder!r}, overwrite=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_a_killed_writer_leaves_a_whole_run_or_none(tmp_path):
    here = os.path.dirname(__file__)  # noqa: PTH120
    rng = random.Random(5)
    folder = tmp_path / "run"
    for begun in (1, 2, 1, 3):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER.format(here=here, folder=str(folder))], stdout=subprocess.PIPE
        )
        assert writer.stdout is not None
        for _ in range(begun):
            assert writer.stdout.readline() == b"writing\n"
        time.sleep(rng.uniform(0, 0.03))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        if folder.exists():
            assert read_run(folder).exam in {"answers", "questions"}
        assert all(path == folder or path.name.startswith(".") for path in tmp_path.iterdir())
    assert folder.exists()
