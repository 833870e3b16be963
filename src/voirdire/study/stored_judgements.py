"""The judgements of a study as far as its file can be read, and which of it is damaged.

A file that a disk or a person has damaged must not take with it what is still in it. Each table is read from both ends
until a page that cannot be read; each row is checked by itself: its types, its judge, whether its answers fit its task.
What is not as this program writes it is left out and named, and all other judgements count.
"""

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from voirdire.bounded import Undecodable, decode
from voirdire.errors import InputError, Problem, shorten, shorten_text
from voirdire.figures import counted
from voirdire.formats.files import check_file
from voirdire.study.design import fits
from voirdire.study.folder import OpenedStudy

SCHEMA = """
CREATE TABLE IF NOT EXISTS study (seal TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tasks (
    id INTEGER PRIMARY KEY, wanted INTEGER NOT NULL, taken INTEGER NOT NULL DEFAULT 0,
    CHECK (taken BETWEEN 0 AND wanted)
);
CREATE TABLE IF NOT EXISTS judges (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, token BLOB NOT NULL UNIQUE, made TEXT NOT NULL,
    revoked TEXT, consented TEXT, consent TEXT, code TEXT
);
CREATE TABLE IF NOT EXISTS given (
    judge INTEGER NOT NULL REFERENCES judges(id), number INTEGER NOT NULL, task INTEGER NOT NULL REFERENCES tasks(id),
    state TEXT NOT NULL CHECK (state IN ('open', 'late', 'done', 'skipped')), due REAL NOT NULL,
    stamp INTEGER NOT NULL DEFAULT 0, answers TEXT, comment TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '',
    seconds REAL NOT NULL DEFAULT 0, at TEXT, PRIMARY KEY (judge, number), UNIQUE (judge, task)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS unfinished ON given (due) WHERE state = 'open';
"""
WAIT = 1.5
"""Seconds that a transaction waits for another process."""
LONGEST = 1_000_000
"""Bytes of a text in the file; ours are far shorter."""
LONGEST_LOOK = 1e6
NAMED = 3
"""Damaged places that a line names; more are counted."""
_SEAL = re.compile("[0-9a-f]{64}")

_Whole = Annotated[int, msgspec.Meta(ge=0)]


class _Row(msgspec.Struct, frozen=True):
    table: ClassVar[str]
    ids: ClassVar[tuple[str, ...]] = ("id",)


class _Task(_Row, frozen=True):
    table = "tasks"
    id: _Whole
    wanted: _Whole
    taken: _Whole


class _Judge(_Row, frozen=True):
    table = "judges"
    id: _Whole
    name: str
    token: bytes
    revoked: str | None
    consented: str | None
    code: str | None


class _Given(_Row, frozen=True):
    table = "given"
    ids = ("judge", "number")
    judge: _Whole
    number: _Whole
    task: _Whole
    state: Literal["open", "late", "done", "skipped"]
    due: float
    stamp: _Whole
    answers: str | None
    comment: str
    reason: str
    seconds: Annotated[float, msgspec.Meta(ge=0, le=LONGEST_LOOK)]
    at: str | None


@dataclass(frozen=True)
class Kept:
    """A judgement, as the file has it."""

    task: int
    judge: str
    answers: tuple[str, ...]
    comment: str
    seconds: float
    at: str


@dataclass(frozen=True)
class JudgeStatus:
    """How far a person is."""

    name: str
    done: int
    skipped: int
    open: int
    consented: str
    revoked: str
    code: str


@dataclass(frozen=True)
class StoredJudgements:
    """What can be read.

    kept     all finished judgements, by task and then by judge
    skipped  task, judge, reason and comment of every skipped task
    people   how far everybody is
    damage   a line that says what is damaged and what is safe; empty where all is as it was written
    """

    kept: tuple[Kept, ...] = ()
    skipped: tuple[tuple[int, str, str, str], ...] = ()
    people: tuple[JudgeStatus, ...] = ()
    damage: str = ""


def read_judgements(study: OpenedStudy) -> StoredJudgements:
    """The judgements so far; none where nobody was invited yet."""
    if not study.database.is_symlink() and not study.database.exists():
        return StoredJudgements()
    with connected(study.database) as base:
        return judgements_in(base, study)


@contextmanager
def connected(path: Path) -> Iterator[sqlite3.Connection]:
    """The file, opened; what goes wrong with it is an error that names it."""
    base = open_database(path)
    try:
        yield base
    except sqlite3.Error as error:
        raise unusable(path, error) from None
    finally:
        base.close()


class _Connection(sqlite3.Connection):
    """A connection all of whose errors are SQLite's: it quotes damaged names, which Python may fail to decode."""

    def execute(self, *given: Any) -> sqlite3.Cursor:
        try:
            return super().execute(*given)
        except UnicodeDecodeError:
            raise sqlite3.DatabaseError("malformed: a name that is no UTF-8") from None


def open_database(path: Path) -> sqlite3.Connection:
    """The file, and what SQLite keeps beside it, where these are plain files."""
    for beside in ("", "-wal", "-shm", "-journal"):
        place = path.with_name(path.name + beside)
        if place.exists() or place.is_symlink():
            check_file(place)
    try:
        base = sqlite3.connect(path, timeout=WAIT, isolation_level=None, factory=_Connection)
    except sqlite3.Error as error:
        raise unusable(path, error) from None
    base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    base.text_factory = _text
    return base


def _text(data: bytes) -> str | bytes:
    """A text; bytes that are none stay what they are, and no row may have them."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def unusable(path: Path, error: sqlite3.Error) -> InputError:
    """The error that the file cannot be worked with, and what to do."""
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        hint = "Another program is at work on it: wait, or close that."
    elif name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        hint = "Make room on the disk."
    elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        hint = "Check the permissions of the file and of its folder."
    else:
        hint = "Bring the file back from a copy; tasks and pictures are in other files, and are safe."
    return InputError(
        str(path),
        [Problem("", "", shorten(error.args[0] if error.args else error, 200), "the judgements of a study", hint)],
    )


def _schema(base: sqlite3.Connection) -> dict[str, str]:
    """What is in a file, by name, and the statement that made it."""
    query = "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
    return {shorten_text(str(name)): " ".join(str(sql).split()) for name, sql in base.execute(query)}


@cache
def _our_schema() -> dict[str, str]:
    """What is in a file as we make it."""
    base = sqlite3.connect(":memory:")
    base.executescript(SCHEMA)
    schema = _schema(base)
    base.close()
    return schema


def _tables(base: sqlite3.Connection, damage: list[str]) -> set[str]:
    """The tables that may be read: a view in the place of one could have rows without an end."""
    ours, schema = _our_schema(), _schema(base)
    for name in {**ours, **schema}:
        if schema.get(name) != ours.get(name):
            what = (
                "is not there" if name not in schema else "is not ours" if name not in ours else "is not as we made it"
            )
            damage.append(f"{name} {what}")
    return {name for name, sql in schema.items() if sql.startswith("CREATE TABLE")}


def judgements_in(base: sqlite3.Connection, study: OpenedStudy) -> StoredJudgements:
    """The judgements in an open file, all of the same moment."""
    damage: list[str] = []
    base.execute("BEGIN")
    try:
        tables = _tables(base, damage)
        _check_seal(base, study, tables, damage)
        tasks, judges, given = (_rows(base, kind, tables, damage) for kind in (_Task, _Judge, _Given))
    finally:
        base.execute("ROLLBACK")
    if [task.id for task in tasks] != list(range(len(study.tasks))) and not damage:
        damage.append(f"table tasks: {len(tasks):,} rows, expected {len(study.tasks):,}")
    names = {judge.id: judge.name for judge in judges}
    sound: list[tuple[_Given, tuple[str, ...]]] = []
    for row in given:
        answers, fault = _answers(row, study, names)
        if fault:
            damage.append(f"judge {row.judge}, number {row.number}: {fault}")
        else:
            sound.append((row, answers))
    sound.sort(key=lambda pair: (pair[0].task, pair[0].judge))
    kept = tuple(
        Kept(row.task, names[row.judge], answers, row.comment, row.seconds, row.at or "")
        for row, answers in sound
        if row.state == "done"
    )
    skipped = tuple((row.task, names[row.judge], row.reason, row.comment) for row, _ in sound if row.state == "skipped")
    states: dict[int, Counter[str]] = defaultdict(Counter)
    for row, _ in sound:
        states[row.judge][row.state] += 1
    people = tuple(
        JudgeStatus(
            judge.name,
            states[judge.id]["done"],
            states[judge.id]["skipped"],
            states[judge.id]["open"],
            judge.consented or "",
            judge.revoked or "",
            judge.code or "",
        )
        for judge in judges
    )
    return StoredJudgements(kept, skipped, people, _line(damage, len(kept), study))


def _check_seal(base: sqlite3.Connection, study: OpenedStudy, tables: set[str], damage: list[str]) -> None:
    """Refuse the judgements of another study; a seal that is none is damage."""
    if "study" not in tables:
        return
    try:
        seals = base.execute("SELECT seal FROM study LIMIT 2").fetchall()
    except sqlite3.DatabaseError as error:
        damage.append(_fault("study", error))
        return
    if seals == [(study.seal,)]:
        return
    if len(seals) == 1 and isinstance(seals[0][0], str) and _SEAL.fullmatch(seals[0][0]):
        problem = Problem("", "", "judgements of another study", "those of the study in this folder")
        raise InputError(str(study.database), [problem])
    damage.append("table study: no seal")


def _rows(base: sqlite3.Connection, kind: type[Any], tables: set[str], damage: list[str]) -> list[Any]:
    """The rows of a table that can be read, from its beginning and, if need be, from its end."""
    fields = kind.__struct_fields__
    rows: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    faults: list[str] = []
    for way in ("ASC", "DESC") if kind.table in tables else ():
        order = ", ".join(f"{name} {way}" for name in kind.ids)
        try:
            for row in base.execute(f"SELECT {', '.join(fields)} FROM {kind.table} ORDER BY {order}"):
                rows.setdefault(row[: len(kind.ids)], row)
            break
        except sqlite3.DatabaseError as error:
            faults.append(_fault(kind.table, error))
    damage += faults[:1]
    read = []
    for ids, row in rows.items():
        try:
            read.append(msgspec.convert(dict(zip(fields, row, strict=True)), kind))
        except msgspec.ValidationError as error:
            place = ", ".join(f"{name} {shorten(value)}" for name, value in zip(kind.ids, ids, strict=True))
            damage.append(f"table {kind.table}, {place}: {error}")
    return sorted(read, key=lambda row: tuple(getattr(row, name) for name in kind.ids))


def _fault(table: str, error: sqlite3.DatabaseError) -> str:
    """What is wrong with a table; a file that is only locked, or gone, is not damaged."""
    if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_NOTADB")):
        raise error
    return f"table {table}: {shorten_text(str(error))}"


def _answers(row: _Given, study: OpenedStudy, names: dict[int, str]) -> tuple[tuple[str, ...], str]:
    """The answers of a judgement, and what is wrong with it."""
    if row.judge not in names:
        return (), "no such judge"
    if row.task >= len(study.tasks):
        return (), f"no task {row.task}"
    if row.answers is None:
        return (), "" if row.state != "done" else "no answers"
    try:
        answers = decode(row.answers, tuple[str | None, ...])
    except Undecodable as error:
        return (), f"answers: {error.kind}"
    if not fits(study.tasks[row.task], answers, whole=row.state == "done"):
        return (), f"found {shorten(answers)}, expected answers to task {row.task}"
    return tuple(answer or "" for answer in answers), ""


def _line(damage: Sequence[str], safe: int, study: OpenedStudy) -> str:
    if not damage:
        return ""
    more = f"; and {len(damage) - NAMED:,} more" if len(damage) > NAMED else ""
    return (
        f"{study.database.name} is damaged: {'; '.join(damage[:NAMED])}{more}. Safe are {counted(safe, 'judgement')}, "
        "and all tasks and pictures."
    )
