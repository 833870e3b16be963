"""The property that the judgements of a study keep when their SQLite file is mutated.

A mutated file is read as it was written, or what is damaged is told in a line and the rest is collected, or it is
refused with an error that names it. Judgements whose rows were not touched are there, where a change goes through SQL.
People can go on judging with a file that is not damaged. Nothing else is ever raised.
"""

import random
import shutil
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from format_cases import Outcome
from mutation import _change_bytes

from voirdire.errors import VoirDireError
from voirdire.study.collect import collect_study
from voirdire.study.database import Gone, JudgedStore, Message
from voirdire.study.folder import OpenedStudy, open_study
from voirdire.study.stored_judgements import read_judgements

sys.path.insert(0, str(Path(__file__).parent.parent / "study"))

from benches import judge_all, plain_tasks, write_study

COLUMNS = {
    "study": ("seal",),
    "tasks": ("id", "wanted", "taken"),
    "judges": ("id", "name", "token", "made", "revoked", "consented", "consent", "code"),
    "given": ("judge", "number", "task", "state", "due", "stamp", "answers", "comment", "reason", "seconds", "at"),
}
VALUES = (
    "NULL", "0", "-1", "1", "7", "9223372036854775807", "-9223372036854775808", "0.5", "1e308", "9e999", "-9e999",
    "''", "'x'", "'yes'", "'[\"yes\",\"no\"]'", "'[]'", "'{}'", "'[[[['", "'[\"yes\"'", "'[1,2]'", "'[null,null]'",
    "x'00'", "x'ff'", "CAST(x'ff' AS TEXT)", "CAST(x'00' AS TEXT)", "char(0xd800)", "char(0x2028)", "'=1+1'",
    "printf('%.70000c', '[')", "zeroblob(500000)", "'done'", "'skipped'", "'open'", "hex(randomblob(32))",
)  # fmt: skip
SCHEMAS = (
    "DROP TABLE {table}", "ALTER TABLE {table} RENAME TO other", "DELETE FROM {table}", "DROP INDEX unfinished",
    "ALTER TABLE {table} ADD COLUMN more", "ALTER TABLE {table} RENAME COLUMN {column} TO more",
    "ALTER TABLE {table} DROP COLUMN {column}", "CREATE TABLE more (x)",
    "CREATE TRIGGER more AFTER INSERT ON {table} BEGIN DELETE FROM given; END",
    "CREATE VIEW more AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n",
    "DROP TABLE {table}; CREATE VIEW {table} AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x "
    "FROM n",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE {table} (x' WHERE name = '{table}'",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 WHERE name = '{table}'",
    "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = '{table}'",
    "PRAGMA user_version = 7", "PRAGMA application_id = 7", "PRAGMA encoding = 'UTF-16'; VACUUM",
    "PRAGMA journal_mode = DELETE", "PRAGMA page_size = 512; VACUUM",
)  # fmt: skip


def run(numbers: Iterable[int], seed: int, folder: Path) -> Iterator[tuple[int, str, Outcome]]:
    """Each number with what was changed, and what became of it."""
    study = write_study(folder / "study", plain_tasks(6), judges=3)
    judge_all(study, 2, lambda task, number: ("yes", "no"))
    with closing(sqlite3.connect(study.database)) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    whole = study.database.read_bytes()
    for number in numbers:
        rng = random.Random(f"{seed} {number}")
        for path in study.folder.glob("judged.sqlite3*"):
            path.unlink()
        study.database.write_bytes(whole)
        change, untouched = _change(study.database, whole, rng)
        shutil.rmtree(folder / "out", ignore_errors=True)
        yield number, change, _examine(study, untouched, folder / "out")


def _change(path: Path, whole: bytes, rng: random.Random) -> tuple[str, int]:
    """Change the file; what was done, and how many judgements must still be there."""
    kind = rng.random()
    if kind < 0.4:
        data = whole
        for _ in range(rng.choice((1, 1, 2, 8, 64))):
            data = _change_bytes(data, rng)
        path.write_bytes(data)
        return "bytes", 0
    if kind < 0.5:
        page = rng.randrange(0, len(whole), 4096)
        filler = rng.choice((bytes(4096), b"\xff" * 4096, whole[:4096], rng.randbytes(4096)))
        path.write_bytes(whole[:page] + filler + whole[page + 4096 :])
        return f"page {page // 4096}", 0
    if kind < 0.55:
        beside = path.with_name(path.name + rng.choice(("-wal", "-shm", "-journal")))
        beside.write_bytes(rng.choice((b"", rng.randbytes(40_000), whole)))
        return f"{beside.name} beside it", 0
    table = rng.choice(("given", "given", "judges", "tasks", "study"))
    column = rng.choice(COLUMNS[table])
    if kind < 0.7:
        statement, untouched = rng.choice(SCHEMAS).format(table=table, column=column), 0
    else:
        one = table == "given" and rng.random() < 0.7
        where = " WHERE judge = 1 AND number = 3" if one else ""
        statement, untouched = f"UPDATE {table} SET {column} = {rng.choice(VALUES)}{where}", 11 if one else 0
    settings = "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON;"
    with closing(sqlite3.connect(path)) as base:
        try:
            base.executescript(f"{settings} {statement}")
        except sqlite3.Error as error:
            return f"{statement}: {error}", 12
    return statement, untouched


def _examine(study: OpenedStudy, untouched: int, out: Path) -> Outcome:
    try:
        damage = _read(study, untouched, out)
    except VoirDireError as error:
        line = str(error)
        return Outcome("error", line) if str(study.folder) in line or "`study`" in line else Outcome("fault", line)
    except AssertionError as error:
        return Outcome("fault", str(error))
    except Exception as error:
        return Outcome("fault", f"{type(error).__name__}: {error}")
    return Outcome("error" if damage else "fine", damage)


def _read(study: OpenedStudy, untouched: int, out: Path) -> str:
    judgements = read_judgements(open_study(study.folder))
    assert len(judgements.kept) >= untouched, f"{len(judgements.kept)} judgements, {untouched} expected"
    assert "\n" not in judgements.damage, "one line"
    collected = collect_study(study, out)
    assert (judgements.damage in collected.warnings) == bool(judgements.damage), "the line is among the warnings"
    try:
        store = JudgedStore(study)
    except VoirDireError as error:
        return str(error)
    assert not judgements.damage, "nothing is added to a file that is damaged"
    with closing(store):
        person = store.judge_of(store.invite(1)[0].token)
        place = store.next(person)
        if place is not None:
            store.place(person, place.number)
            try:
                store.record(person, Message(place.number, place.stamp + 1, ("yes", "no"), done=True))
            except Gone:
                return "gone"
        store.progress(person)
        store.code(person)
        store.taken()
    return ""
