"""Who was given which task, and their answers: SQLite in WAL mode; a commit is on disk before it is acknowledged.

A task is given to a person until a time. It is then done, skipped, or late, and a late one is given to somebody else.

    taken = people who have it or are done with it        0 ≤ taken ≤ wanted, for each task, always

Whatever changes that is one transaction that has the write lock from its beginning (BEGIN IMMEDIATE), so two people
who ask at once never get the same place of a task, and no judgement is counted twice. Nobody is given a task twice;
somebody who comes back to an unfinished one goes on with it. What is sent again changes nothing: each message of a
person has a stamp that grows, and one that is not above the last of its task is acknowledged and ignored.

A token is 32 random bytes. Only its SHA-256 is stored: whoever reads the file cannot judge in another's name.
"""

import hashlib
import random
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from voirdire.errors import InputError, Problem, UsageError, shorten, shorten_text
from voirdire.study.design import Answers, fits
from voirdire.study.folder import OpenedStudy
from voirdire.study.stored_judgements import SCHEMA, StoredJudgements, judgements_in, open_database, unusable

TOKEN_BYTES = 32
MOST_PEOPLE = 10_000
# Characters that are not mistaken for each other.
CODE = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


class Unknown(Exception):
    """A token that nobody has, or that was revoked."""


class Gone(Exception):
    """A task that is not this person's to judge any more, or never was."""


@dataclass(frozen=True)
class Person:
    """A person, as a request finds them."""

    id: int
    name: str
    consented: bool


@dataclass(frozen=True)
class Invited:
    """A person and the token of their link, which is shown once."""

    name: str
    token: str


@dataclass(frozen=True)
class Place:
    """A task that a person was given: its number among theirs, its number in the study, and their answers so far."""

    number: int
    task: int
    state: str
    answers: Answers | None
    comment: str
    reason: str
    stamp: int


@dataclass(frozen=True)
class Progress:
    """How many tasks a person has done, and of how many; `last` is the highest number that they were given."""

    done: int
    total: int
    last: int


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page sends about a task.

    stamp    grows with each message of a page
    answers  not complete unless `done`
    reason   why it is skipped; empty where it is not
    seconds  how long the task has been looked at
    next     whether the acknowledgement is to bring the next task
    """

    number: int
    stamp: int
    answers: tuple[str | None, ...] = ()
    done: bool = False
    reason: str = ""
    comment: str = ""
    seconds: float = 0.0
    next: bool = False


class JudgedStore:
    """The database of a study; to be used by the thread that made it."""

    def __init__(self, study: OpenedStudy, clock: Callable[[], float] = time.time) -> None:
        self.study, self.clock = study, clock
        self.path = study.database
        self.base = open_database(self.path)
        try:
            for line in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
                self.base.execute(f"PRAGMA {line}").fetchall()
            self._prepare()
            self._check()
        except sqlite3.Error as error:
            self.base.close()
            raise unusable(self.path, error) from None
        except InputError:
            self.base.close()
            raise

    def _prepare(self) -> None:
        with self.writing():
            if self.base.execute("SELECT count(*) FROM sqlite_schema").fetchone() != (0,):
                return
            for statement in filter(str.strip, SCHEMA.split(";")):
                self.base.execute(statement)
            self.base.execute("INSERT INTO study VALUES (?)", (self.study.seal,))
            wanted = self.study.about.judges
            rows = ((number, wanted) for number in range(len(self.study.tasks)))
            self.base.executemany("INSERT INTO tasks (id, wanted) VALUES (?, ?)", rows)

    def _check(self) -> None:
        """Refuse a file that is damaged: nothing is added to it."""
        damage = self.read().damage
        if not damage and (faults := self.base.execute("PRAGMA integrity_check(1)").fetchall()) != [("ok",)]:
            damage = f"{self.path.name} is damaged: {shorten_text(str(faults[0][0]))}."
        if damage:
            hint = "`voirdire study collect` takes what is safe; to go on, bring the file back from a copy."
            raise InputError(str(self.path), [Problem("", "", damage.rstrip("."), "a file as it was written", hint)])

    def close(self) -> None:
        """Close the file."""
        self.base.close()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction; inside another one a part of it, which can fail alone."""
        inner = self.base.in_transaction
        try:
            self.base.execute("SAVEPOINT inner" if inner else "BEGIN IMMEDIATE")
            yield
            self.base.execute("RELEASE inner" if inner else "COMMIT")
        except BaseException as error:
            # Where the disk failed, all may be rolled back already.
            with suppress(sqlite3.Error):
                if self.base.in_transaction:
                    self.base.execute("ROLLBACK TO inner" if inner else "ROLLBACK")
                    if inner:
                        self.base.execute("RELEASE inner")
            if isinstance(error, sqlite3.Error):
                raise unusable(self.path, error) from None
            raise

    def _value(self, query: str, *values: Any) -> Any:
        """The first value of the first row."""
        return self.base.execute(query, values).fetchone()[0]

    def _now(self) -> str:
        return datetime.fromtimestamp(self.clock(), UTC).isoformat(timespec="seconds")

    # People.

    def invite(self, count: int = 0, names: Sequence[str] = (), prefix: str = "judge") -> list[Invited]:
        """Add so many new people, and people of these names; each with a token."""
        invited = []
        with self.writing():
            known = self._value("SELECT count(*) FROM judges")
            if known + count + len(names) > MOST_PEOPLE:
                raise UsageError(f"`people`: a study has at most {MOST_PEOPLE:,}, and this one has {known:,}")
            for name in (*names, *([""] * count)):
                token = secrets.token_urlsafe(TOKEN_BYTES)
                try:
                    id_ = self._value(
                        "INSERT INTO judges (name, token, made) VALUES (?, ?, ?) RETURNING id",
                        *(name or f"?{secrets.token_hex(8)}", _hashed(token), self._now()),
                    )
                    if not name:
                        name = f"{prefix}-{id_}"
                        self.base.execute("UPDATE judges SET name = ? WHERE id = ?", (name, id_))
                except sqlite3.IntegrityError:
                    raise UsageError(f"`names`: {shorten(name)} is invited already") from None
                invited.append(Invited(name, token))
        return invited

    def judge_of(self, token: str) -> Person:
        """The person who has a token."""
        row = self.base.execute(
            "SELECT id, name, consented FROM judges WHERE token = ? AND revoked IS NULL", (_hashed(token),)
        ).fetchone()
        if row is None:
            raise Unknown
        return Person(row[0], row[1], row[2] is not None)

    def consent(self, judge: Person, text: str) -> None:
        """Record that a person has agreed, when, and to which text."""
        sha256 = hashlib.sha256(text.encode()).hexdigest()
        with self.writing():
            self.base.execute(
                "UPDATE judges SET consented = coalesce(consented, ?), consent = coalesce(consent, ?) WHERE id = ?",
                (self._now(), sha256, judge.id),
            )

    def revoke(self, name: str) -> None:
        """Revoke a person's token; what they judged stays, and what they have open is free again."""
        with self.writing():
            judge = self._id(name)
            free = "SELECT task FROM given WHERE judge = ? AND state = 'open'"
            self.base.execute(f"UPDATE tasks SET taken = taken - 1 WHERE id IN ({free})", (judge,))
            self.base.execute("UPDATE given SET state = 'late' WHERE judge = ? AND state = 'open'", (judge,))
            self.base.execute("UPDATE judges SET revoked = coalesce(revoked, ?) WHERE id = ?", (self._now(), judge))

    def forget(self, name: str) -> int:
        """Remove a person and all their answers; return how many judgements that were."""
        with self.writing():
            judge = self._id(name)
            self.base.execute(
                "UPDATE tasks SET taken = taken - 1 WHERE id IN "
                "(SELECT task FROM given WHERE judge = ? AND state IN ('open', 'done'))",
                (judge,),
            )
            removed: int = self._value("SELECT count(*) FROM given WHERE judge = ? AND state = 'done'", judge)
            self.base.execute("DELETE FROM given WHERE judge = ?", (judge,))
            self.base.execute("DELETE FROM judges WHERE id = ?", (judge,))
        # The log must not keep it either.
        self.base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return removed

    def _id(self, name: str) -> int:
        row = self.base.execute("SELECT id FROM judges WHERE name = ?", (name,)).fetchone()
        if row is None:
            known = ", ".join(name for (name,) in self.base.execute("SELECT name FROM judges ORDER BY id LIMIT 5"))
            raise UsageError(f"{self.path}: nobody is called {shorten(name)}; there are {known or 'no judges yet'}")
        id_: int = row[0]
        return id_

    # Tasks.

    def next(self, judge: Person) -> Place | None:
        """The next task of this person; None where nothing is left for them."""
        with self.writing():
            self._expire()
            due = self.clock() + 60 * self.study.about.minutes
            unfinished = self.base.execute(
                "SELECT g.number, g.task, g.state FROM given g JOIN tasks t ON t.id = g.task WHERE g.judge = ? AND "
                "(g.state = 'open' OR (g.state = 'late' AND t.taken < t.wanted)) ORDER BY g.number LIMIT 1",
                (judge.id,),
            ).fetchone()
            if unfinished is not None:
                number, task, state = unfinished
                if state == "late":
                    self._take(task)
                self.base.execute(
                    "UPDATE given SET state = 'open', due = ? WHERE judge = ? AND number = ?", (due, judge.id, number)
                )
                return self.place(judge, number)
            if (task := self._choose(judge)) is None:
                return None
            self._take(task)
            number = self._last(judge) + 1
            self.base.execute(
                "INSERT INTO given (judge, number, task, state, due) VALUES (?, ?, ?, 'open', ?)",
                (judge.id, number, task, due),
            )
            return self.place(judge, number)

    def _expire(self) -> None:
        """Free the tasks that were not finished in time."""
        late = self.base.execute(
            "SELECT judge, number, task FROM given WHERE state = 'open' AND due < ?", (self.clock(),)
        ).fetchall()
        for judge, number, task in late:
            self.base.execute("UPDATE given SET state = 'late' WHERE judge = ? AND number = ?", (judge, number))
            self._take(task, -1)

    def _take(self, task: int, places: int = 1) -> None:
        self.base.execute("UPDATE tasks SET taken = taken + ? WHERE id = ?", (places, task))

    def _choose(self, judge: Person) -> int | None:
        """The first free task, in this person's own order, that they were never given."""
        most = self.study.about.per_judge
        if most is not None:
            counted = "SELECT count(*) FROM given WHERE judge = ? AND state IN ('open', 'done')"
            if self._value(counted, judge.id) >= most:
                return None
        # (a x + b)² modulo a prime is another order for each a and b, and nothing of it has to be stored.
        rng = random.Random(f"{self.study.about.seed} {judge.id}")
        row = self.base.execute(
            "SELECT id, (id * ?2 + ?3) % ?4 AS at FROM tasks WHERE taken < wanted AND id NOT IN "
            "(SELECT task FROM given WHERE judge = ?1) ORDER BY (at * at) % ?4, id LIMIT 1",
            (judge.id, rng.randrange(1, _PRIME), rng.randrange(_PRIME), _PRIME),
        ).fetchone()
        return None if row is None else row[0]

    def _last(self, judge: Person) -> int:
        number: int = self._value("SELECT coalesce(max(number), 0) FROM given WHERE judge = ?", judge.id)
        return number

    def place(self, judge: Person, number: int) -> Place:
        """A task that this person was given, by its number."""
        row = self.base.execute(
            "SELECT number, task, state, answers, comment, reason, stamp FROM given WHERE judge = ? AND number = ?",
            (judge.id, number),
        ).fetchone()
        if row is None:
            raise Gone
        number, task, state, answers, *rest = row
        return Place(number, task, state, None if answers is None else tuple(msgspec.json.decode(answers)), *rest)

    def record(self, judge: Person, message: Message) -> bool:
        """Record a person's answers to a task; False where a later message has been recorded.

        Raises ValueError where the answers do not fit the task, Gone where the task is somebody else's by now.
        """
        with self.writing():
            self._expire()
            place = self.place(judge, message.number)
            if not message.reason and not fits(self.study.tasks[place.task], message.answers, whole=message.done):
                raise ValueError("answers that do not fit this task")
            if message.stamp <= place.stamp:
                return False
            taken = place.state in ("open", "done")
            # A person who goes back to a task that is done can change it, not undo it.
            state = "skipped" if message.reason else "done" if message.done or place.state == "done" else "open"
            if place.state == "done" and state == "done" and not message.done:
                return False
            if state == "skipped":
                if taken:
                    self._take(place.task, -1)
            elif not taken:
                if not self._value("SELECT taken < wanted FROM tasks WHERE id = ?", place.task):
                    raise Gone
                self._take(place.task)
            answers = None if message.reason else msgspec.json.encode(message.answers).decode()
            self.base.execute(
                "UPDATE given SET state = ?, stamp = ?, answers = ?, comment = ?, reason = ?, seconds = ?, at = ?, "
                "due = ? WHERE judge = ? AND number = ?",
                (
                    *(state, message.stamp, answers, message.comment, message.reason, message.seconds, self._now()),
                    *(self.clock() + 60 * self.study.about.minutes, judge.id, message.number),
                ),
            )
        return True

    def progress(self, judge: Person) -> Progress:
        """How far this person is."""
        done = self._value("SELECT count(*) FROM given WHERE judge = ? AND state = 'done'", judge.id)
        closed = self._value(
            "SELECT count(*) FROM tasks t WHERE t.taken >= t.wanted AND NOT EXISTS "
            "(SELECT 1 FROM given g WHERE g.judge = ? AND g.task = t.id AND g.state IN ('open', 'done'))",
            judge.id,
        )
        skipped = self._value(
            "SELECT count(*) FROM given g JOIN tasks t ON t.id = g.task WHERE g.judge = ? AND g.state = 'skipped' AND "
            "t.taken < t.wanted",
            judge.id,
        )
        total = len(self.study.tasks) - closed - skipped
        most = self.study.about.per_judge
        return Progress(done, max(done, total if most is None else min(total, most)), self._last(judge))

    def code(self, judge: Person) -> str:
        """The code that shows that this person has finished; the same each time."""
        with self.writing():
            new = "".join(secrets.choice(CODE) for _ in range(10))
            self.base.execute("UPDATE judges SET code = coalesce(code, ?) WHERE id = ?", (new, judge.id))
            code: str = self._value("SELECT code FROM judges WHERE id = ?", judge.id)
        return code

    # Results.

    def read(self) -> StoredJudgements:
        """All judgements so far."""
        return judgements_in(self.base, self.study)

    def taken(self) -> list[int]:
        """How many people are done with each task."""
        query = "SELECT task, count(*) FROM given WHERE state = 'done' GROUP BY task"
        try:
            done = dict(self.base.execute(query).fetchall())
        except sqlite3.Error as error:
            raise unusable(self.path, error) from None
        return [done.get(number, 0) for number in range(len(self.study.tasks))]


_PRIME = 2_147_483_647
"""Above every number of a task, and small enough that SQLite's whole numbers hold its square."""


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()
