"""A damaged file of judgements is told in a line that names what is damaged and what is safe; the rest counts."""

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benches import Judging, asgi, judge_all, plain_tasks, write_study

from voirdire.errors import InputError, VoirDireError
from voirdire.study.database import JudgedStore, Message
from voirdire.study.folder import OpenedStudy, open_study
from voirdire.study.stored_judgements import read_judgements

CHANGES = {
    "seconds that are a text": (
        "UPDATE given SET seconds = 'long' WHERE judge = 1 AND number = 2",
        r"table given, judge 1, number 2: Expected `float`, got `str` - at `\$\.seconds`",
        17,
    ),
    "bytes that are no text": (
        "UPDATE given SET comment = CAST(x'ff' AS TEXT) WHERE judge = 1 AND number = 2",
        r"table given, judge 1, number 2: Expected `str`, got `bytes`",
        17,
    ),
    "answers to nothing": (
        "UPDATE given SET answers = '[\"maybe\"]' WHERE judge = 2 AND number = 1",
        r"judge 2, number 1: found \('maybe',\), expected answers to task",
        17,
    ),
    "answers that are no JSON": (
        "UPDATE given SET answers = '[[[' WHERE judge = 2",
        r"judge 2, number 1: answers: .*; and 3 more",
        12,
    ),
    "endless answers": (
        "UPDATE given SET answers = printf('%.100000c', '[') WHERE judge = 2 AND number = 1",
        r"judge 2, number 1: answers:",
        17,
    ),
    "a judge who is gone": (
        "PRAGMA foreign_keys = OFF; DELETE FROM judges WHERE id = 3",
        "judge 3, number 1: no such judge",
        12,
    ),
    "a name that is no text": (
        "UPDATE judges SET name = x'07' WHERE id = 3",
        r"table judges, id 3: Expected `str`",
        12,
    ),
    "a task of another study": (
        "PRAGMA foreign_keys = OFF; UPDATE given SET task = 99 WHERE judge = 1 AND number = 1",
        "judge 1, number 1: no task 99",
        17,
    ),
    "a column that is gone": (
        "ALTER TABLE given DROP COLUMN at",
        "given is not as we made it; table given: no such column: at",
        0,
    ),
    "a table that is gone": ("DROP TABLE judges", "judges is not there", 0),
    "a view in place of a table": (
        "DROP TABLE judges; CREATE VIEW judges AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) "
        "SELECT id, 'x' AS name, x'00' AS token, '' AS revoked, '' AS consented, '' AS code FROM n",
        "judges is not as we made it",
        0,
    ),
    "a trigger": (
        "CREATE TRIGGER more AFTER UPDATE ON tasks BEGIN DELETE FROM given; END",
        "more is not ours",
        18,
    ),
    "no seal": ("DELETE FROM study", "table study: no seal", 18),
}  # fmt: skip


@pytest.fixture
def study(tmp_path: Path) -> OpenedStudy:
    study = write_study(tmp_path / "study", plain_tasks(6), judges=3)
    judge_all(study, 3, lambda task, number: ("yes", "no"))
    return study


def changed(study: OpenedStudy, statement: str) -> None:
    base = sqlite3.connect(study.database)
    base.executescript(f"PRAGMA ignore_check_constraints = ON; {statement}")
    base.close()


@pytest.mark.parametrize(("statement", "told", "safe"), CHANGES.values(), ids=CHANGES)
def test_what_is_damaged_is_named_and_the_rest_counts(
    study: OpenedStudy, called: Any, statement: str, told: str, safe: int
) -> None:
    changed(study, statement)
    judgements = read_judgements(study)
    assert len(judgements.kept) == safe
    with pytest.raises(AssertionError, match=told):
        raise AssertionError(judgements.damage)
    assert f"Safe are {safe} judgement" in judgements.damage
    assert "\n" not in judgements.damage
    status, _, err = called("study", "collect", str(study.folder), "-o", str(study.folder.with_name("out")))
    assert status == (0 if safe else 2)
    assert judgements.damage.rstrip(".") in err
    # Nothing is added to a file that is damaged.
    with pytest.raises(InputError, match="voirdire study collect` takes what is safe"):
        JudgedStore(study)
    status, _, err = called("study", "status", str(study.folder))
    assert (status, judgements.damage in err) == (0, True)


def test_a_schema_that_is_no_text_is_a_line(study: OpenedStudy, called: Any) -> None:
    changed(study, "PRAGMA journal_mode = DELETE")
    whole = study.database.read_bytes()
    assert whole.count(b"CREATE TABLE given") == 1
    study.database.write_bytes(whole.replace(b"CREATE TABLE given", b"CREATE \xec\xecBLE given"))
    status, _, err = called("study", "collect", str(study.folder), "-o", str(study.folder.with_name("out")))
    assert (status, "a name that is no UTF-8" in err, "tasks and pictures are in other files" in err) == (2, True, True)


def test_a_page_that_cannot_be_read_costs_what_is_on_it(tmp_path: Path) -> None:
    study = write_study(tmp_path / "study", plain_tasks(300), judges=1)
    store = JudgedStore(study)
    with store.writing():
        person = store.judge_of(store.invite(1)[0].token)
        while (place := store.next(person)) is not None:
            store.record(person, Message(place.number, 1, ("yes", "no"), done=True))
    store.close()
    base = sqlite3.connect(study.database)
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    pages = (
        [
            number
            for (number,) in base.execute(
                "SELECT pageno FROM dbstat WHERE name = 'given' AND pagetype = 'leaf'"
            ).fetchall()
        ]
        if _has_dbstat(base)
        else []
    )
    base.close()
    if not pages:
        pytest.skip("this SQLite does not say where its pages are")
    with study.database.open("r+b") as file:
        file.seek((pages[len(pages) // 2] - 1) * 4096)
        file.write(b"\xff" * 4096)
    judgements = read_judgements(study)
    assert "table given: database disk image is malformed" in judgements.damage
    assert 300 * (1 - 2 / len(pages)) < len(judgements.kept) < 300


def _has_dbstat(base: sqlite3.Connection) -> bool:
    try:
        base.execute("SELECT * FROM dbstat LIMIT 1")
    except sqlite3.OperationalError:
        return False
    return True


@pytest.mark.skipif(os.name == "nt", reason="no such pipes")
@pytest.mark.parametrize("name", ["judged.sqlite3", "judged.sqlite3-wal", "study.json", "tasks.jsonl", "texts.txt"])
def test_a_pipe_in_place_of_a_file_is_a_line_and_no_wait(study: OpenedStudy, called: Any, name: str) -> None:
    (study.folder / name).unlink(missing_ok=True)
    os.mkfifo(study.folder / name)
    status, _, err = called("study", "serve" if name == "texts.txt" else "status", str(study.folder))
    assert status == 2
    assert f"{study.folder / name}: found a pipe, expected a readable file" in err


def seconds(call: Callable[[], Any]) -> float:
    started = time.monotonic()
    call()
    return time.monotonic() - started


def test_a_locked_store_answers_in_two_seconds(study: OpenedStudy) -> None:
    pytest.importorskip("starlette", reason="needs the extra study: pip install -e '.[study]'")
    store = JudgedStore(study)
    (invited,) = store.invite(1)
    store.close()

    def refused() -> None:
        with pytest.raises(VoirDireError, match=r"database is locked.*Another program is at work on it"):
            JudgedStore(study).invite(1)

    with asgi(study) as wire:
        judge = Judging(wire, invited.token)
        judge.consent()
        other = sqlite3.connect(study.database, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        replies: list[Any] = []
        assert seconds(lambda: replies.append(judge.ask("/api/next"))) < 2
        assert (replies[0].status, replies[0].json()) == (503, {"refused": "busy"})
        assert seconds(refused) < 2
        other.execute("ROLLBACK")
        assert judge.ask("/api/next").status == 200
    assert open_study(study.folder).seal == study.seal
